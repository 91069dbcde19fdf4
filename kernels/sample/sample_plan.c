/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/sample/k_roi.h"
#include "kernels/sample/k_sample.h"

enum { GRAIN = 16384 };

static int64_t tiles(const struct k_sample *s)
{
    return s->points / K_SAMPLE_TILE + (s->points % K_SAMPLE_TILE > 0);
}

static struct k_work work_of(int64_t items, int64_t cost)
{
    return (struct k_work){.items = items, .grain = cost < GRAIN ? GRAIN / (cost + 1) + 1 : 1};
}

struct k_work k_sample_plan(const struct k_sample *s)
{
    return work_of(s->batch * tiles(s), (s->channels + 4) * K_SAMPLE_TILE * 4);
}

struct k_work k_sample_grad_plan(const struct k_sample *s)
{
    const int64_t groups = (s->channels + K_SAMPLE_CHANNELS - 1) / K_SAMPLE_CHANNELS;
    return work_of(s->batch * groups, s->points < GRAIN ? s->points * K_SAMPLE_CHANNELS : GRAIN);
}

struct k_work k_affine_grid_plan(const struct k_sample *s)
{
    return work_of(s->batch * s->sizes[0] * s->sizes[1] * s->sizes[2], 16);
}

struct k_work k_roi_plan(const struct k_roi *r)
{
    return work_of(r->regions * r->bins[0], r->channels < GRAIN ? r->channels * 64 : GRAIN);
}

struct k_work k_roi_grad_plan(const struct k_roi *r)
{
    const int64_t groups = (r->channels + K_ROI_CHANNELS - 1) / K_ROI_CHANNELS;
    return work_of(r->batch * groups, GRAIN);
}

struct k_work k_iou_plan(const struct k_iou *p)
{
    return work_of(p->first, p->is_aligned ? 16 : p->second < GRAIN ? 16 * p->second : GRAIN);
}
