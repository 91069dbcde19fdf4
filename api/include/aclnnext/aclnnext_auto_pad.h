/* SPDX-License-Identifier: Apache-2.0 */
/* The values of autoPad in the aclnnext operators, which say it as int64_t. */
#ifndef ACLNNEXT_AUTO_PAD_H_
#define ACLNNEXT_AUTO_PAD_H_

/* With an input of I cells along an axis, stride s, and a window that reaches over e cells
 * (e = (k - 1) * dilation + 1), the SAME values pad by
 *     total = max((ceil(I / s) - 1) * s + e - I, 0)
 * cells, half at either end; so there are ceil(I / s) windows. */
typedef enum aclnnextAutoPad {
    ACLNNEXT_AUTO_PAD_NONE = 0,       /* as padsBegin and padsEnd say */
    ACLNNEXT_AUTO_PAD_SAME_UPPER = 1, /* the odd cell goes to the end */
    ACLNNEXT_AUTO_PAD_SAME_LOWER = 2, /* the odd cell goes to the beginning */
    ACLNNEXT_AUTO_PAD_VALID = 3       /* no padding */
} aclnnextAutoPad;

#endif
