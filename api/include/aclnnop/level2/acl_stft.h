/* SPDX-License-Identifier: Apache-2.0 */
/* CANN has this header in both folders. */
#include "../acl_stft.h"
