/* SPDX-License-Identifier: Apache-2.0 */
/* The names by which bodies know this compute type. Included before them, any number of times. */
#undef T
#undef MASK
#undef ELEMENT
#undef NAME
#undef NUMBERS_OF
#undef FN
#define T             vd /* a vector */
#define MASK          vl /* what comparing two gives: -1 or 0 in each lane */
#define ELEMENT       double
#define NAME(f)       f##_f64
#define NUMBERS_OF(e) ((e)->reals) /* a call's constants and coefficients */
#define FN(f)         v_##f##_f64  /* of kernels/vector/math.h */
