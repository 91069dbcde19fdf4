/* SPDX-License-Identifier: Apache-2.0 */
/* The families' oracles, and what they share. */
#include "tests/support/oracle_rows.h"

#include <math.h>
#include <string.h>

/* ---- the families ---- */

#define FAMILIES                                                                                   \
    FAMILY(elementwise)                                                                            \
    FAMILY(copy)                                                                                   \
    FAMILY(matmul)                                                                                 \
    FAMILY(equal)                                                                                  \
    FAMILY(shape)                                                                                  \
    FAMILY(pieces)                                                                                 \
    FAMILY(ramp)                                                                                   \
    FAMILY(edges)                                                                                  \
    FAMILY(reduce)                                                                                 \
    FAMILY(softmax)                                                                                \
    FAMILY(nll)                                                                                    \
    FAMILY(gate)                                                                                   \
    FAMILY(loss)                                                                                   \
    FAMILY(layer_norm)                                                                             \
    FAMILY(index)                                                                                  \
    FAMILY(mask)                                                                                   \
    FAMILY(scatter)                                                                                \
    FAMILY(parts)                                                                                  \
    FAMILY(places)                                                                                 \
    FAMILY(sort)                                                                                   \
    FAMILY(search)                                                                                 \
    FAMILY(channels)                                                                               \
    FAMILY(rotary)                                                                                 \
    FAMILY(random)                                                                                 \
    FAMILY(amp)                                                                                    \
    FAMILY(optimizer)                                                                              \
    FAMILY(lists)                                                                                  \
    FAMILY(overlap)                                                                                \
    FAMILY(distance)                                                                               \
    FAMILY(cross)                                                                                  \
    FAMILY(complex)                                                                                \
    FAMILY(unique)                                                                                 \
    FAMILY(margin)                                                                                 \
    FAMILY(attention)                                                                              \
    FAMILY(infer)                                                                                  \
    FAMILY(resize)                                                                                 \
    FAMILY(sample)                                                                                 \
    FAMILY(roi)                                                                                    \
    FAMILY(nms)                                                                                    \
    FAMILY(rope)                                                                                   \
    FAMILY(slots)                                                                                  \
    FAMILY(quant)                                                                                  \
    FAMILY(quantize)                                                                               \
    FAMILY(int8)                                                                                   \
    FAMILY(group)                                                                                  \
    FAMILY(group_add)                                                                              \
    FAMILY(moe)                                                                                    \
    FAMILY(moe_sum)                                                                                \
    FAMILY(moe_quant)                                                                              \
    FAMILY(moe_map)                                                                                \
    FAMILY(moe_part)                                                                               \
    FAMILY(outer)                                                                                  \
    FAMILY(modulate)                                                                               \
    FAMILY(regroup)                                                                                \
    FAMILY(keep)                                                                                   \
    FAMILY(linalg)                                                                                 \
    FAMILY(ctc)                                                                                    \
    FAMILY(bag)                                                                                    \
    FAMILY(rnn)                                                                                    \
    FAMILY(fft)                                                                                    \
    FAMILY(cell)                                                                                   \
    FAMILY(transposed)                                                                             \
    FAMILY(norm_quant)                                                                             \
    FAMILY(gate_quant)                                                                             \
    FAMILY(experts_gate)                                                                           \
    FAMILY(experts_sum)                                                                            \
    FAMILY(fused_product)                                                                          \
    FAMILY(ffn)                                                                                    \
    FAMILY(qkv)                                                                                    \
    FAMILY(ring)

#define FAMILY(name) extern const struct oracle_row oracle_##name##_rows[];
FAMILIES
#undef FAMILY

static const struct oracle_row *const families[] = {
#define FAMILY(name) oracle_##name##_rows,
    FAMILIES
#undef FAMILY
};

/* Is it one of the words? */
static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

const struct oracle_row *oracle_row_of(const char *name)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        for (const struct oracle_row *row = families[i]; row->name; row++)
            if (has_word(row->name, name)) return row;
    return NULL;
}

/* ---- types ---- */

int oracle_kind(enum case_dtype dtype)
{
    return dtype == CASE_BOOL ? 0 : oracle_is_float(dtype) ? 2 : 1;
}

static bool is_unsigned(enum case_dtype dtype)
{
    return dtype == CASE_U8 || dtype == CASE_U16 || dtype == CASE_U32 || dtype == CASE_U64;
}

static enum case_dtype signed_of(size_t size)
{
    return size == 2 ? CASE_I16 : size == 4 ? CASE_I32 : CASE_I64;
}

enum case_dtype oracle_promote(enum case_dtype a, enum case_dtype b)
{
    const size_t of_a = operand_element_size(a), of_b = operand_element_size(b);
    if (oracle_kind(a) != oracle_kind(b)) return oracle_kind(a) > oracle_kind(b) ? a : b;
    if (a == b) return a;
    if (oracle_is_float(a)) return of_a == of_b ? CASE_F32 : of_a > of_b ? a : b;
    if (is_unsigned(a) == is_unsigned(b)) return of_a > of_b ? a : b;
    const size_t without_sign = is_unsigned(a) ? of_a : of_b;
    const size_t with_sign = is_unsigned(a) ? of_b : of_a;
    return signed_of(with_sign > without_sign ? with_sign : 2 * without_sign);
}

enum case_dtype oracle_promote_scalar(enum case_dtype tensor, enum case_dtype scalar)
{
    if (oracle_kind(scalar) <= oracle_kind(tensor)) return tensor;
    return oracle_is_float(scalar) ? CASE_F32 : CASE_I64;
}

/* ---- casts ---- */

/* The double that rounds as the integer does: its last bit says whether bits behind it were set. */
static double jammed(uint64_t magnitude)
{
    enum { LOST = 11 };
    if (magnitude >> 53 == 0) return (double)magnitude;
    const bool is_inexact = (magnitude & ((1 << LOST) - 1)) != 0;
    return (double)(magnitude >> LOST | is_inexact) * (1 << LOST);
}

uint64_t oracle_cast_whole(enum case_dtype to, int64_t value)
{
    const size_t bits = 8 * operand_element_size(to);
    if (to == CASE_BOOL) return value != 0;
    if (to == CASE_F64) return oracle_to_bits(to, (double)value);
    if (oracle_is_float(to))
        return oracle_to_bits(to,
                              value < 0 ? -jammed(0 - (uint64_t)value) : jammed((uint64_t)value));
    return bits == 64 ? (uint64_t)value : (uint64_t)value & ((UINT64_C(1) << bits) - 1);
}

uint64_t oracle_cast_real(enum case_dtype to, double value)
{
    if (to == CASE_BOOL) return value != 0;
    if (!oracle_is_float(to) && isnan(value)) return 0;
    return oracle_to_bits(to, value);
}

double oracle_value(const struct rig_problem *problem, int operand, int64_t i)
{
    const struct rig_tensor *tensor = &problem->tensor[operand];
    return oracle_from_bits(tensor->view.dtype, rig_given(problem, operand)[i]);
}

int64_t oracle_whole_value(const struct rig_problem *problem, int operand, int64_t i)
{
    const struct rig_tensor *tensor = &problem->tensor[operand];
    return oracle_integer(tensor->view.dtype, rig_given(problem, operand)[i]);
}

void oracle_real(struct rig_problem *problem, int operand, int64_t i, enum case_dtype via,
                 double value)
{
    struct rig_tensor *tensor = &problem->tensor[operand];
    const enum case_dtype to = tensor->view.dtype;
    const uint64_t bits = oracle_cast_real(via, value);
    tensor->near[i] = value;
    tensor->slack[i] = 0;
    tensor->want[i] = via == to              ? bits
                      : oracle_is_float(via) ? oracle_cast_real(to, oracle_from_bits(via, bits))
                                             : oracle_cast_whole(to, oracle_integer(via, bits));
    problem->near.via = via;
}

void oracle_whole(struct rig_problem *problem, int operand, int64_t i, enum case_dtype via,
                  int64_t value)
{
    struct rig_tensor *tensor = &problem->tensor[operand];
    const enum case_dtype to = tensor->view.dtype;
    const int64_t kept = oracle_integer(via, oracle_cast_whole(via, value));
    tensor->want[i] = oracle_cast_whole(to, kept);
    tensor->near[i] = oracle_from_bits(to, tensor->want[i]);
    tensor->slack[i] = 0;
    problem->near.via = to;
}

void oracle_rounded(struct rig_problem *problem, int operand, int64_t i, int digits, double value,
                    double error)
{
    struct rig_tensor *tensor = &problem->tensor[operand];
    const double end = ldexp(1, digits - 1);
    const int in_one = 8 * (int)operand_element_size(tensor->view.dtype) / digits;
    const int shift = (int)(i % in_one) * digits;
    const double slack = isfinite(value) && !isnan(error) ? error : 0;
    tensor->digits = digits;
    for (int side = -1; side <= 1; side += 2) {
        uint64_t *to = (side < 0 ? tensor->want : tensor->most) + i / in_one;
        const double whole = isnan(value) ? 0 : rint(value + side * slack);
        const double held = whole < -end ? -end : whole > end - 1 ? end - 1 : whole;
        const uint64_t bits = (uint64_t)(int64_t)held & ((UINT64_C(1) << digits) - 1);
        if (shift == 0) *to = 0;
        *to |= bits << shift;
    }
}

int64_t oracle_broadcast(const struct operand *to, int64_t i, const struct operand *from)
{
    int64_t at = 0, step = 1;
    for (int back = 1; back <= from->rank; back++) {
        const int64_t size = from->dims[from->rank - back];
        const int64_t whole = back <= to->rank ? to->dims[to->rank - back] : 1;
        if (size > 1) at += i % whole * step;
        step *= size;
        i /= whole;
    }
    return at;
}
