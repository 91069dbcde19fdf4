/* SPDX-License-Identifier: Apache-2.0 */
/* As frameworks do: everything from the one handle of libopapi.so. The names are used, not only
 * found: a stub that was bound instead of the function would trap. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

static const char *const names[] = {
    "aclnnAvgPool2dBackwardGetWorkspaceSize",
    "aclnnAvgPool2dBackward",
    "aclCreateTensor",
    "aclDestroyTensor",
    "aclCreateScalar",
    "aclDestroyScalar",
    "aclCreateIntArray",
    "aclDestroyIntArray",
    "aclCreateFloatArray",
    "aclDestroyFloatArray",
    "aclCreateBoolArray",
    "aclDestroyBoolArray",
    "aclCreateTensorList",
    "aclDestroyTensorList",
    "aclCreateScalarList",
    "aclDestroyScalarList",
    "aclGetViewShape",
    "aclSetAclOpExecutorRepeatable",
    "aclDestroyAclOpExecutor",
    "aclSetInputTensorAddr",
    "AclSetInputTensorAddr",
    "aclrtMalloc",
    "aclrtFree",
    "aclrtCreateStream",
    "aclInit",
};

int main(void)
{
    void *handle = dlopen("libopapi.so", RTLD_LAZY);
    if (!handle) {
        printf("%s\n", dlerror());
        return 1;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!dlsym(handle, names[i])) {
            printf("%s is not found through libopapi.so\n", names[i]);
            return 1;
        }
    }
    void *(*create)(const int64_t *, uint64_t);
    int (*size_of)(const void *, uint64_t *);
    int (*destroy)(const void *);
    *(void **)&create = dlsym(handle, "aclCreateIntArray");
    *(void **)&size_of = dlsym(handle, "aclGetIntArraySize");
    *(void **)&destroy = dlsym(handle, "aclDestroyIntArray");
    const int64_t values[] = {3, 1, 4};
    uint64_t size = 0;
    void *array = create(values, 3);
    if (!array || size_of(array, &size) != 0 || size != 3 || destroy(array) != 0) {
        printf("the functions that were found do not work\n");
        return 1;
    }
    printf("right\n");
    return dlclose(handle);
}
