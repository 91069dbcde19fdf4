/* SPDX-License-Identifier: Apache-2.0 */
/* The tree in which blocks of memory are found by their addresses. */
#include <criterion/criterion.h>
#include <stdint.h>

#include "runtime/support/block_tree.h"
#include "tests/support/random.h"

Test(tree, finds_what_it_holds)
{
    enum { COUNT = 3000, STRIDE = 100 };
    static char memory[COUNT * STRIDE];
    static struct rt_block_node nodes[COUNT];
    static int order[COUNT];
    struct rt_block_tree tree = {0};
    struct random random = {random_test_seed()};
    for (int i = 0; i < COUNT; i++) {
        nodes[i].memory = memory + i * STRIDE;
        nodes[i].capacity = 1 + (size_t)i % STRIDE;
        order[i] = i;
    }
    for (int i = COUNT - 1; i > 0; i--) {
        int64_t other = random_below(&random, i + 1);
        int swapped = order[i];
        order[i] = order[other];
        order[other] = swapped;
    }
    for (int i = 0; i < COUNT; i++)
        rt_block_tree_insert(&tree, &nodes[order[i]]);
    for (int i = 0; i < COUNT; i += 2)
        rt_block_tree_remove(&tree, &nodes[order[i]]);
    static char removed[COUNT];
    for (int i = 0; i < COUNT; i += 2)
        removed[order[i]] = 1;
    for (int i = 0; i < COUNT; i++) {
        for (size_t offset = 0; offset < STRIDE; offset += 7) {
            struct rt_block_node *expected =
                removed[i] || offset >= nodes[i].capacity ? NULL : &nodes[i];
            cr_assert_eq(rt_block_tree_find(&tree, nodes[i].memory + offset), expected);
        }
    }
    for (int i = 1; i < COUNT; i += 2)
        rt_block_tree_remove(&tree, &nodes[order[i]]);
    cr_expect_null(tree.root);
    cr_expect_null(rt_block_tree_find(&tree, memory));
}

Test(tree, finds_the_first_node_at_or_above_an_address)
{
    enum { COUNT = 500, STRIDE = 10 };
    static char memory[COUNT * STRIDE + STRIDE];
    static struct rt_block_node nodes[COUNT];
    struct rt_block_tree tree = {0};
    cr_expect_null(rt_block_tree_first(&tree, memory));
    for (int i = 0; i < COUNT; i++) {
        nodes[i].memory = memory + i * STRIDE;
        nodes[i].capacity = 1 + (size_t)i % STRIDE;
        if (i % 3) rt_block_tree_insert(&tree, &nodes[i]);
    }
    for (int at = 0; at < COUNT * STRIDE; at++) {
        const struct rt_block_node *expected = NULL;
        for (int i = at / STRIDE; i < COUNT && !expected; i++) {
            if (i % 3 && nodes[i].memory + nodes[i].capacity > memory + at) expected = &nodes[i];
        }
        cr_assert_eq(rt_block_tree_first(&tree, memory + at), expected, "%d", at);
    }
}
