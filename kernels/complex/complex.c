/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers in both compute types. */
#define K_FORM(name, types, constants)
#define K_CORE(name, results, operands, types, cost)                                               \
    name##_results = (results), name##_operands = (operands),
enum {
#include "kernels/complex/cores.def"
};
#undef K_CORE
#undef K_FORM

#include "kernels/complex/k_complex.h"
#include "kernels/loss/wide_cores.h"
#include "kernels/vector/by_lane.h"

/* The type before what is written for it. */
#include "kernels/elementwise/as_f32.h"
#include "kernels/elementwise/run.h"

#include "kernels/complex/bodies.h"

#include "kernels/elementwise/as_f64.h"
#include "kernels/elementwise/run.h"

#include "kernels/complex/bodies.h"

#define K_CORE WIDE_CORE
#define K_FORM WIDE_FORM
#include "kernels/complex/cores.def"
