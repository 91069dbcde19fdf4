/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a run against the oracle, and against those of another run. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tests/support/oracle_rows.h"
#include "tests/support/rig_parts.h"

static void print_position(const struct operand *view, int64_t index, char *text, size_t size)
{
    int64_t at[OPERAND_RANK];
    for (int i = view->rank - 1; i >= 0; i--) {
        at[i] = index % view->dims[i];
        index /= view->dims[i];
    }
    size_t used = 0;
    for (int i = 0; i < view->rank && used < size; i++) {
        const char *prefix = i == view->channels_at ? "c" : i < view->channels_at ? "n" : "";
        used +=
            (size_t)snprintf(text + used, size - used, "%s%s%" PRId64, i ? " " : "", prefix, at[i]);
    }
}

static bool wrong_element(struct rig *rig, int operand, int64_t i, const char *what)
{
    char line[CASE_LINE], position[200];
    print_position(&rig->problem.tensor[operand].view, i, position, sizeof position);
    snprintf(rig->text, sizeof rig->text, "%s\n  isa %s: %s[%s]: %s", case_print(&rig->test, line),
             getenv("ACLNN_CPU_ISA") ? getenv("ACLNN_CPU_ISA") : "best",
             rig_operand_name(&rig->problem.call, operand).text, position, what);
    return false;
}

static bool compare_sums(struct rig *rig, int operand)
{
    const struct rig_tensor *tensor = &rig->problem.tensor[operand];
    struct compare_rule rule = {tensor->view.dtype, rig->problem.roundings, rig->problem.headroom};
    for (int64_t i = 0; i < tensor->count; i++) {
        const struct oracle_sum *want = &tensor->sums[i];
        double bound, got = tensor->values[i];
        if (compare_sum(&rule, want, got, &bound)) continue;
        char what[256];
        snprintf(what, sizeof what,
                 "expected %.9g (%" PRId64 " terms), got %.9g, off by %.3g, bound %.3g",
                 want->value, want->terms, got, fabs(got - want->value), bound);
        return wrong_element(rig, operand, i, what);
    }
    return true;
}

static int64_t whole_at(uint64_t bits, int shift, int digits)
{
    return (int64_t)(bits << (64 - digits - shift)) >> (64 - digits);
}

/* Whole numbers of which the oracle says the least and the most. */
static bool compare_between(struct rig *rig, int operand)
{
    const struct rig_tensor *tensor = &rig->problem.tensor[operand];
    const int digits = tensor->digits, all = 8 * (int)operand_element_size(tensor->view.dtype);
    for (int64_t i = 0; i < tensor->count; i++)
        for (int shift = 0; shift < all; shift += digits) {
            const int64_t least = whole_at(tensor->want[i], shift, digits);
            const int64_t most = whole_at(tensor->most[i], shift, digits);
            const int64_t got = whole_at(tensor->bits[i], shift, digits);
            if (got >= least && got <= most) continue;
            char what[160];
            snprintf(what, sizeof what,
                     "expected from %" PRId64 " to %" PRId64 ", got %" PRId64 " (bits from %d on)",
                     least, most, got, shift);
            return wrong_element(rig, operand, i, what);
        }
    return true;
}

static bool compare_exactly(struct rig *rig, int operand)
{
    const struct rig_tensor *tensor = &rig->problem.tensor[operand];
    enum case_dtype dtype = tensor->view.dtype;
    for (int64_t i = 0; i < tensor->count; i++) {
        uint64_t want = tensor->want[i], got = tensor->bits[i];
        if (got == want || (oracle_is_nan(dtype, want) && oracle_is_nan(dtype, got))) continue;
        char what[256];
        snprintf(what, sizeof what, "expected %.17g (%" PRIx64 "), got %.17g (%" PRIx64 ")",
                 oracle_from_bits(dtype, want), want, oracle_from_bits(dtype, got), got);
        return wrong_element(rig, operand, i, what);
    }
    return true;
}

static bool compare_closely(struct rig *rig, int operand)
{
    const struct rig_tensor *tensor = &rig->problem.tensor[operand];
    const enum case_dtype dtype = tensor->view.dtype;
    for (int64_t i = 0; i < tensor->count; i++) {
        const double want = tensor->near[i], got = oracle_from_bits(dtype, tensor->bits[i]);
        struct compare_near near = rig->problem.near;
        near.absolute += tensor->slack[i];
        if (compare_near(near, dtype, want, got)) continue;
        char what[256];
        snprintf(what, sizeof what, "expected %.17g, got %.17g, %.3g ulp away", want, got,
                 fabs(got - want) / oracle_ulp(dtype == CASE_F64 ? CASE_F64 : CASE_F32, want));
        return wrong_element(rig, operand, i, what);
    }
    return true;
}

static bool is_unwritten(struct rig *rig, int operand, const char *what)
{
    const struct rig_tensor *tensor = &rig->problem.tensor[operand];
    for (int64_t i = 0; rig_role_at(&rig->problem, operand)->is_changed && i < tensor->count; i++) {
        const uint64_t found = tensor->bits[i], given = tensor->given[i];
        const bool is_nan = oracle_is_nan(tensor->view.dtype, given);
        if (found != given && !(is_nan && oracle_is_nan(tensor->view.dtype, found)))
            return wrong_element(rig, operand, i, what);
    }
    if (tensor->count == 0 || rig_role_at(&rig->problem, operand)->is_changed) return true;
    struct operand one = tensor->view;
    uint64_t poison = 0, found = 0;
    memset(&poison, POISON, operand_element_size(one.dtype));
    if (oracle_is_nan(one.dtype, poison)) poison = oracle_to_bits(one.dtype, (double)NAN);
    for (int64_t i = 0; i < tensor->count; i++) {
        found = tensor->bits[i];
        if (found != poison) return wrong_element(rig, operand, i, what);
    }
    return true;
}

static bool compare(struct rig *rig, int i)
{
    const struct compare_near *near = &rig->problem.near;
    const bool is_near = near->ulp > 0 || near->absolute > 0;
    const enum rig_role how = rig_role_at(&rig->problem, i)->role;
    const bool is_float = oracle_is_float(rig->problem.tensor[i].view.dtype);
    if (rig_is_idle(&rig->problem.call, i))
        return is_unwritten(rig, i, "written although not asked for");
    if (rig->problem.tensor[i].digits > 0) return compare_between(rig, i);
    if (how == RIG_SUM || (rig->problem.is_sum && is_float)) return compare_sums(rig, i);
    if (how == RIG_NEAR || (is_near && (is_float || near->whole))) return compare_closely(rig, i);
    return compare_exactly(rig, i);
}

bool rig_compare(struct rig *rig)
{
    bool ok = true;
    for (int i = 0; ok && i < rig->problem.operands; i++) {
        if (!rig_is_written(&rig->problem, i)) continue;
        ok = rig_has_oracle(&rig->problem) ? compare(rig, i)
                                           : is_unwritten(rig, i, "written although all is empty");
    }
    return ok;
}

bool rig_bits_agree(struct rig *rig, uint64_t *kept[RIG_OPERANDS], const char *way)
{
    for (int i = 0; i < rig->problem.operands; i++) {
        const struct rig_tensor *tensor = &rig->problem.tensor[i];
        if (!rig_is_written(&rig->problem, i)) continue;
        for (int64_t j = 0; j < tensor->count; j++) {
            if (tensor->bits[j] == kept[i][j]) continue;
            char what[160];
            snprintf(what, sizeof what, "%" PRIx64 " %s, %" PRIx64 " in another run",
                     tensor->bits[j], way, kept[i][j]);
            return wrong_element(rig, i, j, what);
        }
    }
    return true;
}

void rig_bits_keep(const struct rig *rig, uint64_t *kept[RIG_OPERANDS])
{
    for (int i = 0; i < rig->problem.operands; i++) {
        const struct rig_tensor *tensor = &rig->problem.tensor[i];
        kept[i] = rig_resize(NULL, tensor->count, sizeof *tensor->bits);
        memcpy(kept[i], tensor->bits, (size_t)tensor->count * sizeof *tensor->bits);
    }
}
