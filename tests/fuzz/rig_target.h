/* SPDX-License-Identifier: Apache-2.0 */
/* The entry points of a fuzz target over operators of the rig: a target defines rig_rows, a list of
 * them that ends with NULL, perhaps RIG_CONTRACT, a rig_fuzz_contract, and then includes this file.
 */
#ifndef ACLNN_CPU_TESTS_RIG_TARGET_H
#define ACLNN_CPU_TESTS_RIG_TARGET_H

#include "tests/support/rig_fuzz.h"

#ifndef RIG_CONTRACT
#define RIG_CONTRACT NULL
#endif

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    rig_fuzz_begin(RIG_CONTRACT);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return rig_fuzz(rig_rows, data, size);
}

#endif
