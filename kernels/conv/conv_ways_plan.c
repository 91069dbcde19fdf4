/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of kernels/conv/ways.def: what each objects to, and how it is cut. */
#include "kernels/conv/conv_outer_plan.h"
#include "kernels/way.h"

const char *k_conv_direct_refuses(const struct k_problem *problem)
{
    return k_conv_is_direct(problem->parameters) ? NULL : "more than a few channels";
}

struct k_work k_conv_direct_plan(const struct k_problem *problem)
{
    struct k_conv *conv = problem->parameters;
    conv->stream_output = k_conv_streams(conv);
    return k_conv_direct_work(conv);
}

const char *k_conv_point_refuses(const struct k_problem *problem)
{
    const struct k_conv *conv = problem->parameters;
    if (!conv_outer_joins(conv)) return "windows of several elements";
    return k_conv_is_point(conv) ? NULL : "positions are not contiguous, or few";
}

struct k_work k_conv_point_plan(const struct k_problem *problem)
{
    struct k_conv *conv = problem->parameters;
    conv->stream_output = k_conv_streams(conv);
    return k_conv_point_work(conv);
}

const char *k_conv_outer_refuses(const struct k_problem *problem)
{
    return conv_outer_of(problem->parameters).fits ? NULL : "the window is too wide for a band";
}

const char *k_conv_outer_unwise(const struct k_problem *problem)
{
    return k_conv_is_outer(problem->parameters) ? NULL : "few channels";
}

struct k_work k_conv_outer_plan(const struct k_problem *problem)
{
    return k_conv_outer_work(problem->parameters);
}

struct k_work k_conv_map_plan(const struct k_problem *problem)
{
    return k_conv_map_work(problem->parameters);
}
