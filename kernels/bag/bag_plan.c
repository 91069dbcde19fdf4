/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/bag/k_bag.h"

enum { GRAIN = 16384 }; /* elements of the table worth a thread */

struct k_work k_bag_work(const struct k_bag *bag)
{
    const int64_t rows = bag->bags > 0 ? bag->indices / bag->bags + 1 : 1;
    const int64_t each = rows * (bag->features + 1);
    return (struct k_work){.items = bag->bags, .grain = each >= GRAIN ? 1 : GRAIN / each + 1};
}
