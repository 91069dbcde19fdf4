/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: names of gloo's, found before those of libgloo.so by everything that looks for them in
 * the whole process. Whoever calls one of them here dies. */
#include <stdlib.h>

#define OTHER(function, name)                                                                      \
    __attribute__((visibility("default"))) void function(void) __asm__(name);                      \
    void function(void)                                                                            \
    {                                                                                              \
        abort();                                                                                   \
    }

OTHER(new_context, "_ZN4gloo10rendezvous7ContextC1Eiii")
OTHER(close_connections, "_ZN4gloo7Context16closeConnectionsEv")
OTHER(create_buffer, "_ZN4gloo7Context19createUnboundBufferEPvm")
OTHER(create_device, "_ZN4gloo9transport3tcp12CreateDeviceERKNS1_4attrE")
