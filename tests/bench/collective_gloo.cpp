/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/collective_gloo.h"

#include <cstdio>
#include <exception>
#include <memory>

#include <gloo/allreduce.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

struct collective_gloo {
    std::shared_ptr<gloo::transport::Device> device;
    std::shared_ptr<gloo::rendezvous::Context> context;
};

struct collective_gloo *collective_gloo_new(int rank, int size, const char *folder,
                                            const char *host)
{
    try {
        std::unique_ptr<collective_gloo> made(new collective_gloo);
        gloo::rendezvous::FileStore store(folder);
        made->device = gloo::transport::tcp::CreateDevice(gloo::transport::tcp::attr(host));
        made->context = std::make_shared<gloo::rendezvous::Context>(rank, size);
        made->context->connectFullMesh(store, made->device);
        return made.release();
    } catch (const std::exception &e) {
        fprintf(stderr, "gloo: %s\n", e.what());
        return nullptr;
    }
}

void collective_gloo_sum(struct collective_gloo *gloo, float *data, size_t count)
{
    gloo::AllreduceOptions options(gloo->context);
    void (*sum)(void *, const void *, const void *, size_t) = &gloo::sum<float>;
    options.setOutput(data, count);
    options.setReduceFunction(sum);
    gloo::allreduce(options);
}

void collective_gloo_free(struct collective_gloo *gloo)
{
    delete gloo;
}
