/* SPDX-License-Identifier: Apache-2.0 */
/* The names by which bodies know this compute type. Included before them, any number of times. */
#undef T
#undef MASK
#undef ELEMENT
#undef NAME
#undef NUMBERS_OF
#define T             vi /* a vector */
#define MASK          vi /* what comparing two gives: -1 or 0 in each lane */
#define ELEMENT       int32_t
#define NAME(f)       f##_i32
#define NUMBERS_OF(e) ((e)->integers) /* a call's constants and coefficients */
