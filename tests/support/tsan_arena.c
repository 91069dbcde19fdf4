/* SPDX-License-Identifier: Apache-2.0 */
/* Linked into Criterion programs under the thread sanitizer, x86-64 only. Criterion 2.4 shares
 * memory with a test's process at 2^45 + rand_r() * 2^24; the sanitizer keeps almost all of that
 * range to itself, and Criterion gives up. This rand_r answers with places below the executable
 * (0x551000000000 to 0x551fff000000), which the sanitizer leaves to programs. */
#include <stdlib.h>

enum { FIRST = 0x351000, LAST_BITS = 0xfff };

__attribute__((visibility("default"))) int rand_r(unsigned *seed)
{
    *seed = *seed * 1103515245u + 12345u;
    return FIRST + (int)(*seed >> 16 & LAST_BITS);
}
