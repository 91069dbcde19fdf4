/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/support/block_tree.h"

#include <stdint.h>

static uint64_t priority(const struct rt_block_node *node)
{
    uint64_t hash = (uint64_t)(uintptr_t)node->memory * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 32;
}

/* Cuts the tree under node into the addresses below and above key. */
static void split(struct rt_block_node *node, const char *key, struct rt_block_node **below,
                  struct rt_block_node **above)
{
    while (node) {
        if (node->memory < key) {
            *below = node;
            below = &node->right;
            node = node->right;
        } else {
            *above = node;
            above = &node->left;
            node = node->left;
        }
    }
    *below = NULL;
    *above = NULL;
}

/* The link that points, or would point, at node. */
static struct rt_block_node **descend(struct rt_block_node **link, const struct rt_block_node *node,
                                      uint64_t least_priority)
{
    while (*link && *link != node && priority(*link) >= least_priority) {
        link = node->memory < (*link)->memory ? &(*link)->left : &(*link)->right;
    }
    return link;
}

void rt_block_tree_insert(struct rt_block_tree *tree, struct rt_block_node *node)
{
    struct rt_block_node **link = descend(&tree->root, node, priority(node));
    split(*link, node->memory, &node->left, &node->right);
    *link = node;
}

void rt_block_tree_remove(struct rt_block_tree *tree, struct rt_block_node *node)
{
    struct rt_block_node **link = descend(&tree->root, node, 0);
    struct rt_block_node *left = node->left;
    struct rt_block_node *right = node->right;
    while (left && right) {
        if (priority(left) > priority(right)) {
            *link = left;
            link = &left->right;
            left = left->right;
        } else {
            *link = right;
            link = &right->left;
            right = right->left;
        }
    }
    *link = left ? left : right;
}

struct rt_block_node *rt_block_tree_find(const struct rt_block_tree *tree, const void *address)
{
    const char *wanted = address;
    struct rt_block_node *at_or_below = NULL;
    for (struct rt_block_node *node = tree->root; node;) {
        if (node->memory <= wanted) {
            at_or_below = node;
            node = node->right;
        } else {
            node = node->left;
        }
    }
    if (!at_or_below || (size_t)(wanted - at_or_below->memory) >= at_or_below->capacity)
        return NULL;
    return at_or_below;
}

struct rt_block_node *rt_block_tree_first(const struct rt_block_tree *tree, const void *address)
{
    const char *wanted = address;
    struct rt_block_node *first = NULL;
    for (struct rt_block_node *node = tree->root; node;) {
        if (node->memory + node->capacity > wanted) { /* ranges do not overlap: so for all above */
            first = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return first;
}
