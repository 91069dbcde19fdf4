/* SPDX-License-Identifier: Apache-2.0 */
#include "api/op_chip.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "api/op_check.h"
#include "runtime/support/base.h"
#include "runtime/support/checked.h"
#include "runtime/support/config.h"
#include "runtime/support/log.h"

enum op_chip_source { MATH, NN, TRANSFORMER, CV };

#define BIT_910    | 1 << OP_CHIP_910
#define BIT_310P   | 1 << OP_CHIP_310P
#define BIT_310B   | 1 << OP_CHIP_310B
#define BIT_910B   | 1 << OP_CHIP_910B
#define BIT_910_93 | 1 << OP_CHIP_910_93
#define BIT_950    | 1 << OP_CHIP_950

#define TYPE_(type)     | OP_TYPE(ACL_##type)
#define TYPE_FLOAT      TYPE_(FLOAT)
#define TYPE_FLOAT16    TYPE_(FLOAT16)
#define TYPE_BF16       TYPE_(BF16)
#define TYPE_DOUBLE     TYPE_(DOUBLE)
#define TYPE_INT4       TYPE_(INT4)
#define TYPE_INT8       TYPE_(INT8)
#define TYPE_INT16      TYPE_(INT16)
#define TYPE_INT32      TYPE_(INT32)
#define TYPE_INT64      TYPE_(INT64)
#define TYPE_UINT8      TYPE_(UINT8)
#define TYPE_UINT16     TYPE_(UINT16)
#define TYPE_UINT32     TYPE_(UINT32)
#define TYPE_UINT64     TYPE_(UINT64)
#define TYPE_BOOL       TYPE_(BOOL)
#define TYPE_COMPLEX64  TYPE_(COMPLEX64)
#define TYPE_COMPLEX128 TYPE_(COMPLEX128)

static const uint64_t USUAL_TYPES =
    0 TYPE_FLOAT TYPE_FLOAT16 TYPE_BF16 TYPE_DOUBLE TYPE_INT8 TYPE_INT16 TYPE_INT32 TYPE_INT64
        TYPE_UINT8 TYPE_UINT16 TYPE_UINT32 TYPE_UINT64 TYPE_BOOL TYPE_COMPLEX64 TYPE_COMPLEX128;

#define RANK_0 | 1 << 0
#define RANK_1 | 1 << 1
#define RANK_2 | 1 << 2
#define RANK_3 | 1 << 3
#define RANK_4 | 1 << 4
#define RANK_5 | 1 << 5
#define RANK_6 | 1 << 6
#define RANK_7 | 1 << 7
#define RANK_8 | 1 << 8

#define LAYOUT_(format) | OP_FORMAT(ACL_FORMAT_##format)
#define LAYOUT_ND       LAYOUT_(ND)
#define LAYOUT_NC       LAYOUT_(NC)
#define LAYOUT_NCL      LAYOUT_(NCL)
#define LAYOUT_NCHW     LAYOUT_(NCHW)
#define LAYOUT_NHWC     LAYOUT_(NHWC)
#define LAYOUT_NCDHW    LAYOUT_(NCDHW)

#define CHIP_LACKS(operator, chip_list)                                                            \
    {OP_NUMBER_##operator, OP_CHIP_LACKS, 0 OP_EACH(BIT_, chip_list), CHIP_SOURCE, 0, NULL, 0},
#define CHIP_TYPES(operator, chip_list, names, types)                                              \
    {OP_NUMBER_##operator,                                                                         \
     OP_CHIP_TYPES,                                                                                \
     0 OP_EACH(BIT_, chip_list),                                                                   \
     CHIP_SOURCE,                                                                                  \
     0,                                                                                            \
     names,                                                                                        \
     0 OP_EACH(TYPE_, types)},
#define CHIP_RANKS(operator, chip_list, names, ranks)                                              \
    {OP_NUMBER_##operator,                                                                         \
     OP_CHIP_RANKS,                                                                                \
     0 OP_EACH(BIT_, chip_list),                                                                   \
     CHIP_SOURCE,                                                                                  \
     0,                                                                                            \
     names,                                                                                        \
     0 OP_EACH(RANK_, ranks)},
#define CHIP_LAYOUTS(operator, chip_list, names, layouts)                                          \
    {OP_NUMBER_##operator,                                                                         \
     OP_CHIP_LAYOUTS,                                                                              \
     0 OP_EACH(BIT_, chip_list),                                                                   \
     CHIP_SOURCE,                                                                                  \
     0,                                                                                            \
     names,                                                                                        \
     0 OP_EACH(LAYOUT_, layouts)},
#define CHIP_MATH(operator, chip_list, types, math)                                                \
    {OP_NUMBER_##operator,                                                                         \
     OP_CHIP_MATH,                                                                                 \
     0 OP_EACH(BIT_, chip_list),                                                                   \
     CHIP_SOURCE,                                                                                  \
     math,                                                                                         \
     "cubeMathType",                                                                               \
     0 OP_EACH(TYPE_, types)},

static const struct op_chip_row rows[] = {
#define CHIP_SOURCE MATH
#include "api/chips_math.def"
#undef CHIP_SOURCE
#define CHIP_SOURCE NN
#include "api/chips_nn.def"
#undef CHIP_SOURCE
#define CHIP_SOURCE TRANSFORMER
#include "api/chips_transformer.def"
#undef CHIP_SOURCE
#define CHIP_SOURCE CV
#include "api/chips_cv.def"
#undef CHIP_SOURCE
};

const struct op_chip_row *op_chip_rows(size_t *count)
{
    *count = RT_LENGTH(rows);
    return rows;
}

const char *op_chip_source(const struct op_chip_row *row)
{
    static const char *const names[] = {
        [MATH] = "ops-math", [NN] = "ops-nn", [TRANSFORMER] = "ops-transformer", [CV] = "ops-cv"};
    return names[row->source];
}

/* --- which chip, and who asks ---------------------------------------------------------------- */

signed char op_chip_state;

static enum op_chip own_chip = OP_CHIPS;
static bool is_strict;
static uint16_t first_of[OP_NUMBERS]; /* the place of an operator's first row, plus one; 0: none */

enum op_chip op_chip_of(const char *soc_name)
{
    static const struct {
        const char *prefix;
        enum op_chip chip;
    } chips[] = {{"Ascend910_93", OP_CHIP_910_93}, {"Ascend910B", OP_CHIP_910B},
                 {"Ascend950", OP_CHIP_950},       {"Ascend310P", OP_CHIP_310P},
                 {"Ascend310B", OP_CHIP_310B},     {"Ascend910", OP_CHIP_910}};
    for (size_t i = 0; i < RT_LENGTH(chips); i++)
        if (strncmp(soc_name, chips[i].prefix, strlen(chips[i].prefix)) == 0) return chips[i].chip;
    return OP_CHIPS;
}

static void look(void)
{
    is_strict = rt_config()->strict;
    const bool is_asked = is_strict || (rt_check_flags & RT_CHECK_DEVICE) != 0;
    if (is_asked) own_chip = op_chip_of(rt_config()->soc_name);
    if (is_asked && own_chip == OP_CHIPS)
        rt_log_unhonoured("ACLNN_CPU_SOC", rt_config()->soc_name,
                          "there are no tables of that chip; nothing of it is checked");
    for (size_t i = RT_LENGTH(rows); i-- > 0;)
        first_of[rows[i].number] = (uint16_t)(i + 1);
    __atomic_store_n(&op_chip_state, own_chip == OP_CHIPS ? 1 : 2, __ATOMIC_RELEASE);
}

bool op_chip_look(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    return __atomic_load_n(&op_chip_state, __ATOMIC_ACQUIRE) == 2;
}

/* --- one call -------------------------------------------------------------------------------- */

static bool is_named(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* "FLOAT, FLOAT16 or BF16" of the bits' names. */
static void list_values(char *text, size_t room, uint64_t values, enum op_chip_rule rule)
{
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < 64 && used < room; i++) {
        if ((values >> i & 1) == 0) continue;
        const uint64_t left = i == 63 ? 0 : values >> (i + 1);
        const char *head = used == 0 ? "" : left == 0 ? " or " : ", ";
        const char *name = rule == OP_CHIP_TYPES     ? op_data_type_name((aclDataType)i)
                           : rule == OP_CHIP_LAYOUTS ? op_format_name((aclFormat)i)
                                                     : NULL;
        const int length = name ? snprintf(text + used, room - used, "%s%s", head, name)
                                : snprintf(text + used, room - used, "%s%d", head, i);
        used += length > 0 ? (size_t)length : 0;
    }
}

/* A tensor without elements stands for one that is missing, whatever its rank. The tables know the
 * usual types only, and so say nothing of INT4 or of floats of a byte. */
static bool takes(const struct op_chip_row *row, const aclTensor *tensor)
{
    if (row->rule == OP_CHIP_RANKS)
        return op_is_empty(tensor) || (row->values >> tensor->descriptor.rank & 1) != 0;
    if (row->rule == OP_CHIP_LAYOUTS) {
        const int format = tensor->descriptor.storage_format;
        return op_is_empty(tensor) || format < 0 || format > 63 || (row->values >> format & 1) != 0;
    }
    const int type = tensor->descriptor.data_type;
    const bool is_usual = type >= 0 && type < 64 && (USUAL_TYPES >> type & 1) != 0;
    return !is_usual || (row->values >> type & 1) != 0;
}

/* The first tensor of the argument that the row does not take; NULL: none. */
static const aclTensor *find_refused(const struct op_chip_row *row, const struct op_value *value)
{
    if (!value->pointer || value->kind > OP_REFS) return NULL;
    if (value->kind < OP_INS) return takes(row, value->tensor) ? NULL : value->tensor;
    for (uint64_t i = 0; i < value->tensors->size; i++)
        if (!takes(row, value->tensors->elements[i])) return value->tensors->elements[i];
    return NULL;
}

static bool breaks_math(const struct op_chip_row *row, const struct op_value *values, int count,
                        const char *soc_name, char *text, size_t room)
{
    const aclTensor *first = NULL;
    for (int i = 0; i < count; i++) {
        if (values[i].kind == OP_IN && !first) first = values[i].tensor;
        if (values[i].kind == OP_MATH && values[i].integer != row->math) return false;
    }
    const int type = first ? first->descriptor.data_type : -1;
    if (type < 0 || type > 63 || (row->values >> type & 1) == 0) return false;
    snprintf(text, room, "%s is %d and the operands are %s; %s does not take that", row->arguments,
             row->math, op_data_type_name((aclDataType)type), soc_name);
    return true;
}

static bool breaks(const struct op_chip_row *row, const struct op_value *values, int count,
                   const char *soc_name, char *text, size_t room)
{
    char list[160];
    if (row->rule == OP_CHIP_LACKS) {
        snprintf(text, room, "its document says that %s does not have it", soc_name);
        return true;
    }
    if (row->rule == OP_CHIP_MATH) return breaks_math(row, values, count, soc_name, text, room);
    for (int i = 0; i < count; i++) {
        const aclTensor *refused =
            is_named(row->arguments, values[i].name) ? find_refused(row, &values[i]) : NULL;
        if (!refused) continue;
        list_values(list, sizeof list, row->values, row->rule);
        if (row->rule == OP_CHIP_LAYOUTS)
            snprintf(text, room, "%s has format %s; %s takes %s there", values[i].name,
                     op_format_name((aclFormat)refused->descriptor.storage_format), soc_name, list);
        else if (row->rule == OP_CHIP_TYPES)
            snprintf(text, room, "%s has data type %s; %s takes %s there", values[i].name,
                     op_data_type_name((aclDataType)refused->descriptor.data_type), soc_name, list);
        else
            snprintf(text, room, "%s has %d dimensions; %s takes %s there", values[i].name,
                     refused->descriptor.rank, soc_name, list);
        return true;
    }
    return false;
}

const struct op_chip_row *op_chip_broken(enum op_chip chip, enum op_number number,
                                         const struct op_value *values, int count,
                                         const char *soc_name, struct op_chip_text *sentence)
{
    if (first_of[number] == 0) return NULL;
    for (size_t i = first_of[number] - 1U; i < RT_LENGTH(rows) && rows[i].number == number; i++)
        if ((rows[i].chips >> chip & 1) != 0 &&
            breaks(&rows[i], values, count, soc_name, sentence->text, sizeof sentence->text))
            return &rows[i];
    return NULL;
}

aclnnStatus op_chip_check(enum op_number number, const char *op, const struct op_value *values,
                          int count)
{
    static const char *const rules[] = {"operator", "types", "ranks", "layouts", "math"};
    struct op_chip_text sentence;
    char text[sizeof sentence.text + 160];
    const struct op_chip_row *row =
        op_chip_broken(own_chip, number, values, count, rt_config()->soc_name, &sentence);
    if (!row) return ACLNN_SUCCESS;
    snprintf(text, sizeof text, "%s (CANN's document of %s in %s)", sentence.text, op,
             op_chip_source(row));
    if ((rt_check_flags & RT_CHECK_DEVICE) != 0)
        rt_check_hooks.told(rules[row->rule], op, text, NULL);
    /* Documents leave out operators that are called on those chips: nobody is refused for that. */
    OP_CHECK(op, !is_strict || row->rule == OP_CHIP_LACKS, ACLNN_ERR_PARAM_INVALID, "%s", text);
    return ACLNN_SUCCESS;
}
