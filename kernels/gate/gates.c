/* SPDX-License-Identifier: Apache-2.0 */
/* Gates and curves in both compute types. */
#define K_FORM(name, types, constants)
#define K_CORE(name, results, operands, types, cost)                                               \
    name##_results = (results), name##_operands = (operands),
enum {
#include "kernels/gate/cores.def"
};
#undef K_CORE
#undef K_FORM

#include "kernels/loss/wide_cores.h"
/* The type before what is written for it. */
#include "kernels/elementwise/as_f32.h"
#include "kernels/elementwise/run.h"
#include "kernels/gate/gates.h"
/* It calls functions of gates.h. */
#include "kernels/gate/curves.h"

#include "kernels/elementwise/as_f64.h"
#include "kernels/elementwise/run.h"
#include "kernels/gate/gates.h"
/* It calls functions of gates.h. */
#include "kernels/gate/curves.h"

#define K_CORE WIDE_CORE
#define K_FORM WIDE_FORM
#include "kernels/gate/cores.def"
