/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of memory in the order of their addresses: a treap whose priorities are hashes of the
 * addresses, so that it needs no field for balance. The caller locks. */
#ifndef ACLNN_CPU_RUNTIME_SUPPORT_BLOCK_TREE_H
#define ACLNN_CPU_RUNTIME_SUPPORT_BLOCK_TREE_H

#include <stddef.h>

struct rt_block_node {
    struct rt_block_node *left;
    struct rt_block_node *right;
    char *memory; /* the key; ranges of two nodes do not overlap */
    size_t capacity;
};

struct rt_block_tree {
    struct rt_block_node *root;
};

void rt_block_tree_insert(struct rt_block_tree *tree, struct rt_block_node *node);
void rt_block_tree_remove(struct rt_block_tree *tree, struct rt_block_node *node);
/* The node with address in [memory, memory + capacity), or NULL. */
struct rt_block_node *rt_block_tree_find(const struct rt_block_tree *tree, const void *address);
/* The first node that has an address at or above this one, or NULL. */
struct rt_block_node *rt_block_tree_first(const struct rt_block_tree *tree, const void *address);

#endif
