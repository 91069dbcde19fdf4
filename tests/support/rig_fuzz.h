/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target for any operator of the rig. */
#ifndef ACLNN_CPU_TESTS_RIG_FUZZ_H
#define ACLNN_CPU_TESTS_RIG_FUZZ_H

#include "tests/support/rig.h"

/* Bytes choose one of the rows (a list that ends with NULL; one byte, two of more than 255), a
 * random problem of it, changes of the problem, and changes that break the call. A refusal must
 * have a code and a text and write nothing; a problem nobody changed must be accepted; what is
 * accepted must have sound views, and runs when it is small: against the oracle unless the call was
 * broken, else in memory of exactly the touched size. What does not hold aborts. */

/* What the contract says of a call, where a target knows it; RIG_EITHER: it leaves that open. */
enum rig_verdict { RIG_SOUND, RIG_WRONG, RIG_EITHER };
typedef enum rig_verdict rig_fuzz_contract(const struct rig_call *call);

/* contract may be NULL: only what is said above is asked. */
void rig_fuzz_begin(rig_fuzz_contract *contract);
int rig_fuzz(const struct rig_operator *const *rows, const uint8_t *data, size_t size);

#endif
