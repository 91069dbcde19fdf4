/* SPDX-License-Identifier: Apache-2.0 */
/* What operators on images, boxes and positions refuse, and with which words. */
#include "tests/ops/row_refusals.h"

RIG_SUITE(image_refusals);

Test(image_refusals, of_grids)
{
    static const struct rig_fault faults[] = {
        {"interpolationMode=3", INVALID, "interpolationMode is 3", "0 to 2"},
        {"paddingMode=-1", INVALID, "paddingMode is -1", "0 to 2"},
        {"grid.dims[3]=3", INVALID, "grid's shape", "(2, 6, 7, 2)"},
        {"grid.dims[0]=1", INVALID, "grid's shape", "(2, 6, 7, 2)"},
        {"grid.type=f16", INVALID, "grid", "FLOAT16"},
        {"out.dims[1]=4", INVALID, "out's shape", "(2, 3, 6, 7)"},
    };
    CHECK_REFUSALS(operator_named("aclnnGridSampler2D"),
                   "grid_sampler2_d f32 input=2x3x4x5 grid=2x6x7x2 out=2x3x6x7", faults, any);
}

Test(image_refusals, of_regions)
{
    static const struct rig_fault faults[] = {
        {"boxes.dims[1]=4", INVALID, "boxes's shape", "(7, 5)"},
        {"pooledHeight=0", INVALID, "pooledHeight is 0", NULL},
        {"samplingRatio=-1", INVALID, "samplingRatio is -1", "0 to 4096"},
        {"samplingRatio=5000", INVALID, "samplingRatio is 5000", "0 to 4096"},
        {"spatialScale=0", INVALID, "spatialScale is 0", NULL},
        {"self.dims[2]=0", INVALID, "self has 0 along axis 2", NULL},
        {"out.dims[3]=1", INVALID, "out's shape", "(7, 3, 2, 4)"},
    };
    CHECK_REFUSALS(operator_named("aclnnRoiAlignV2"),
                   "roi_align_v2 f32 self=2x3x8x9 boxes=7x5 pooledHeight=2 pooledWidth=4 "
                   "spatialScale=1 out=7x3x2x4",
                   faults, any);
}

Test(image_refusals, of_positions)
{
    static const struct rig_fault faults[] = {
        {"positions.type=f32", INVALID, "positions", "INT32, INT64"},
        {"positions.dims[0]=2", INVALID, "positions's shape", "(3, 5)"},
        {"mropeSection[1]=5", INVALID, "mropeSection[1] is 5", "from 0 to 3"},
        {"mropeSection[2]=1", INVALID, "mropeSection has 3 pairs", "4"},
        {"headSize=7", INVALID, "queryIn has rows of 24", "headSize, 7"},
        {"cosSinCache.dims[1]=10", INVALID, "cosSinCache has 10 columns", "headSize, 8"},
        {"keyIn.dims[0]=4 keyOut.dims[0]=4", INVALID, "keyIn has 4 rows", "queryIn, 5"},
    };
    CHECK_REFUSALS(operator_named("aclnnRopeWithSinCosCache"),
                   "rope_with_sin_cos_cache f32 positions=3x5:i64 queryIn=5x24 keyIn=5x8 "
                   "cosSinCache=9x8 mropeSection=1x1x2 headSize=8 queryOut=5x24 keyOut=5x8",
                   faults, any);
}
