/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of the digits 0 to 9, drawn by the program: data to learn from without a download. */
#ifndef ACLNN_CPU_SAMPLES_DIGITS_H
#define ACLNN_CPU_SAMPLES_DIGITS_H

#include <stdint.h>

enum { DIGITS_SIDE = 28, DIGITS_PIXELS = DIGITS_SIDE * DIGITS_SIDE };

/* Draws `count` digits, each turned, moved, scaled and slanted by chance, of a thickness of its own
 * and with noise: images[count][28][28] from 0 (paper) to 1 (ink), labels[count] from 0 to 9.
 * The same seed draws the same pictures; it is moved on. */
void digits_draw(uint64_t *seed, int count, float *images, int64_t *labels);

/* The next random number of a seed, uniform from 0 to 1. */
double digits_random(uint64_t *seed);

#endif
