/* SPDX-License-Identifier: Apache-2.0 */
/* A body over a dense tile; included once for each compute type (as_<type>.h). The number of
 * operands, of results and the set of constants are constants of each instance. */

K_TEMPLATE
void NAME(run)(void (*body)(T *, const T *, const T *), int result_count, int operand_count,
               unsigned constants, const struct k_elementwise *e, const void *const operands[],
               void *const results[], int64_t count)
{
    enum { LANES = sizeof(T) / sizeof(ELEMENT), MOST = 6 };
    const ELEMENT *from[MOST];
    ELEMENT *to[MOST];
    ELEMENT rest[2 * MOST][LANES] = {{0}};
    T numbers[K_NUMBERS], x[MOST], y[MOST];
    int tensors = 0, constant_count = 0;
    for (int i = 0; i < K_NUMBERS; i++)
        numbers[i] = (T){0} + (ELEMENT)NUMBERS_OF(e)[i];
    for (int i = 0; i < operand_count; i++) {
        const bool is_constant = constants >> i & 1;
        if (is_constant)
            x[i] = numbers[constant_count++];
        else
            from[i] = operands[tensors++];
    }
    for (int i = 0; i < result_count; i++)
        to[i] = results[i];
    const int64_t remainder = count % LANES;
    int64_t whole = count - remainder;
    /* The last elements go through whole vectors of the stack. */
    for (bool is_last = whole == 0;; is_last = true) {
        if (is_last) {
            if (remainder == 0) return;
            for (int i = 0; i < operand_count; i++) {
                if (constants >> i & 1) continue;
                memcpy(rest[i], from[i] + whole, (size_t)remainder * sizeof(ELEMENT));
                from[i] = rest[i];
            }
            for (int i = 0; i < result_count; i++)
                to[i] = rest[MOST + i];
        }
        const int64_t end = is_last ? LANES : whole;
        for (int64_t i = 0; i < end; i += LANES) {
            for (int j = 0; j < operand_count; j++)
                if (!(constants >> j & 1)) memcpy(&x[j], from[j] + i, sizeof(T));
            body(y, x, numbers + constant_count);
            for (int j = 0; j < result_count; j++)
                memcpy(to[j] + i, &y[j], sizeof(T));
        }
        if (is_last) break;
    }
    for (int i = 0; i < result_count; i++)
        memcpy((ELEMENT *)results[i] + whole, rest[MOST + i], (size_t)remainder * sizeof(ELEMENT));
}
