/* SPDX-License-Identifier: Apache-2.0 */
/* One call of an operator with memory of its own, for tests of executors, workspaces and failures.
 * What a test may not fail at aborts. */
#ifndef ACLNN_CPU_TESTS_RIG_FLIGHT_H
#define ACLNN_CPU_TESTS_RIG_FLIGHT_H

#include "tests/support/rig.h"

struct rig_flight {
    struct test_case test;
    struct rig_call call;
    void *workspace;
};

enum { RIG_POISON = 0xFF }; /* a NaN in every floating type */

/* Loads the case and makes its tensors: inputs as loaded, outputs poisoned, descriptors open. */
struct rig_flight rig_prepare(struct rig *rig, const struct rig_operator *op,
                              const struct test_case *test);
/* The same for a line, and phase 1 and a workspace as large as it says. */
struct rig_flight rig_start(struct rig *rig, const struct rig_operator *op, const char *line);
/* Closes what is open and frees the memory; the executor is the test's. */
void rig_finish(struct rig_flight *flight);

aclnnStatus rig_launch(const struct rig_flight *flight, aclrtStream stream);

/* Are the outputs those of the oracle? Loads the flight's case again; false leaves rig->text. */
bool rig_is_right(struct rig *rig, const struct rig_flight *flight);
/* Is every byte of the outputs still poison? */
bool rig_is_unwritten(const struct rig_flight *flight);

#endif
