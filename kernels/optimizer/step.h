/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of optimisers on vectors; included once for each compute type (elementwise/as_<type>.h).
 * count is a number of whole vectors. */

K_TEMPLATE
T NAME(load)(const ELEMENT *from)
{
    T x;
    memcpy(&x, from, sizeof x);
    return x;
}

K_TEMPLATE
void NAME(keep)(ELEMENT *to, T x)
{
    memcpy(to, &x, sizeof x);
}

/* The larger; a NaN beats every number. */
K_TEMPLATE
T NAME(top)(T a, T b)
{
    const MASK second = (a < b) | (b != b);
    return (T)((second & (MASK)b) | (~second & (MASK)a));
}

static void NAME(adam)(const struct constants *k, const ELEMENT *const *x, ELEMENT *const *y,
                       int64_t count)
{
    enum { LANES = sizeof(T) / sizeof(ELEMENT) };
    const unsigned flags = k->flags;
    const ELEMENT beta1 = (ELEMENT)k->beta1, beta2 = (ELEMENT)k->beta2, ema = (ELEMENT)k->ema,
                  rest1 = (ELEMENT)k->rest1, rest2 = (ELEMENT)k->rest2, rate = (ELEMENT)k->rate,
                  root = (ELEMENT)k->root, eps = (ELEMENT)k->eps, kept = (ELEMENT)k->kept,
                  decay = (ELEMENT)k->decay, rest = (ELEMENT)k->rest, scale = (ELEMENT)k->scale;
    for (int64_t i = 0; i < count; i += LANES) {
        T var = NAME(load)(x[0] + i), g = NAME(load)(x[3] + i);
        if (flags & K_STEP_SCALED) g /= scale;
        if (flags & K_STEP_KEPT) NAME(keep)(y[k->results - 1] + i, g);
        if (flags & K_STEP_NEGATED) g = -g;
        if ((flags & K_STEP_L2) && decay != 0) g += decay * var;
        const T m = beta1 * NAME(load)(x[1] + i) + rest1 * g;
        const T v = beta2 * NAME(load)(x[2] + i) + rest2 * g * g;
        const T top = flags & K_STEP_LARGEST ? NAME(top)(NAME(load)(x[4] + i), v) : v;
        const T update = flags & K_STEP_NESTEROV ? beta1 * m + rest1 * g : m;
        var = kept * var - rate * update / (NAME(root)(top) / root + eps);
        if (flags & K_STEP_AVERAGE)
            NAME(keep)(y[3] + i, ema * NAME(load)(x[4] + i) + rest * var);
        else if ((flags & K_STEP_LARGEST) && !(flags & K_STEP_IN_MOMENT))
            NAME(keep)(y[3] + i, top);
        NAME(keep)(y[0] + i, var);
        NAME(keep)(y[1] + i, m);
        NAME(keep)(y[2] + i, flags & K_STEP_IN_MOMENT ? top : v);
    }
}

static void NAME(sgd)(const struct constants *k, const ELEMENT *const *x, ELEMENT *const *y,
                      int64_t count)
{
    enum { LANES = sizeof(T) / sizeof(ELEMENT) };
    const unsigned flags = k->flags;
    const ELEMENT scale = (ELEMENT)k->scale, decay = (ELEMENT)k->decay, rate = (ELEMENT)k->rate,
                  momentum = (ELEMENT)k->beta1, rest = (ELEMENT)k->rest1;
    const bool has_moment = (flags & K_STEP_MOMENT) != 0;
    for (int64_t i = 0; i < count; i += LANES) {
        const T var = NAME(load)(x[0] + i);
        T g = NAME(load)(x[1] + i);
        if (flags & K_STEP_SCALED) {
            g /= scale;
            NAME(keep)(y[1 + has_moment] + i, g);
        }
        if (flags & K_STEP_MAXIMIZE) g = -g;
        if (decay != 0) g += decay * var;
        if (has_moment) {
            const T v = flags & K_STEP_FIRST ? g : momentum * NAME(load)(x[2] + i) + rest * g;
            NAME(keep)(y[1] + i, v);
            g = flags & K_STEP_NESTEROV ? g + momentum * v : v;
        }
        NAME(keep)(y[0] + i, var - rate * g);
    }
}

/* The last elements go through whole vectors of the stack. */
static void NAME(tile)(const void *parameters, const void *const from[], void *const to[],
                       int64_t count)
{
    enum { LANES = sizeof(T) / sizeof(ELEMENT) };
    const struct constants *k = parameters;
    const int64_t remainder = count % LANES, whole = count - remainder;
    ELEMENT in[OPERANDS][LANES] = {{0}}, out[RESULTS][LANES];
    const ELEMENT *x[OPERANDS] = {NULL};
    ELEMENT *y[RESULTS] = {NULL};
    for (int i = 0; i < k->operands; i++)
        x[i] = from[i];
    for (int i = 0; i < k->results; i++)
        y[i] = to[i];
    for (bool is_last = false;; is_last = true) {
        const int64_t elements = is_last ? LANES : whole;
        if (k->flags & K_STEP_SGD)
            NAME(sgd)(k, x, y, elements);
        else
            NAME(adam)(k, x, y, elements);
        if (is_last || remainder == 0) break;
        for (int i = 0; i < k->operands; i++) {
            memcpy(in[i], x[i] + whole, (size_t)remainder * sizeof(ELEMENT));
            x[i] = in[i];
        }
        for (int i = 0; i < k->results; i++)
            y[i] = out[i];
    }
    for (int i = 0; i < k->results && remainder > 0; i++)
        memcpy((ELEMENT *)to[i] + whole, out[i], (size_t)remainder * sizeof(ELEMENT));
}
