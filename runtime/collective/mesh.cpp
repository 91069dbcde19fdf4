/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: mesh->closing guards is_closed; mesh->lock its list of ports and its fault. gloo's are
 * taken inside it (a port is told to stop waiting), never the other way round.
 *
 * gloo leaves a thread waiting whose message was half read when its sender died, so nothing here
 * relies on gloo to end a wait: who hears of a death calls co_mesh_break, which ends all. gloo
 * writes to sockets without MSG_NOSIGNAL: every thread that comes here, and gloo's own, has SIGPIPE
 * blocked. */
#include "runtime/collective/mesh.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/store.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

using std::chrono::milliseconds;

struct co_port {
    struct co_mesh *mesh;
    co_port *next;
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
};

struct co_mesh {
    std::shared_ptr<gloo::transport::Device> device;
    std::shared_ptr<gloo::rendezvous::Context> context;
    std::mutex lock;
    co_port *ports = nullptr;
    co_fault broken = {};
    std::mutex closing; /* held until all are closed */
    bool is_closed = false;
};

namespace
{

/* A thread of the program may be here, with the signals that it likes. */
class WithoutSignals
{
  public:
    WithoutSignals()
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old_);
    }
    ~WithoutSignals()
    {
        pthread_sigmask(SIG_SETMASK, &old_, nullptr);
    }
    WithoutSignals(const WithoutSignals &) = delete;
    WithoutSignals &operator=(const WithoutSignals &) = delete;

  private:
    sigset_t old_;
};

/* gloo's store of addresses. Each rank sets a table of where it listens for each other, and asks
 * for the tables of all: with the introduction's exchange every rank gets just what is meant for
 * it, and the tables that it asks for are made of that. */
class Introduction : public gloo::rendezvous::Store
{
  public:
    Introduction(const co_introduction *how, size_t rank, size_t size)
        : how_(how), rank_(rank), size_(size)
    {
    }

    void set(const std::string &key, const std::vector<char> &table) override
    {
        if (key.compare(0, 5, "rank_") == 0) return; /* a host's name, of no use here */
        item_ = table.size() / (size_ - 1);
        std::vector<char> mine(size_ * item_);
        theirs_.resize(size_ * item_);
        for (size_t peer = 0; peer < size_; peer++)
            if (peer != rank_)
                memcpy(&mine[peer * item_], &table[place(rank_, peer) * item_], item_);
        if (!how_->exchange(how_->context, mine.data(), theirs_.data(), item_))
            throw std::runtime_error("the ranks could not exchange their addresses");
    }

    std::vector<char> get(const std::string &key) override
    {
        if (key.compare(0, 5, "rank_") == 0) return std::vector<char>(1, '-');
        size_t peer = std::stoul(key);
        std::vector<char> table((size_ - 1) * item_);
        memcpy(&table[place(peer, rank_) * item_], &theirs_[peer * item_], item_);
        return table;
    }

    void wait(const std::vector<std::string> &) override
    {
    }
    void wait(const std::vector<std::string> &, const milliseconds &) override
    {
    }

  private:
    /* A rank has no entry for itself. */
    static size_t place(size_t owner, size_t peer)
    {
        return peer > owner ? peer - 1 : peer;
    }

    const co_introduction *how_;
    size_t rank_, size_, item_ = 0;
    std::vector<char> theirs_;
};

/* What gloo has to say, without its source line. */
const char *plain(const char *text)
{
    const char *bracket = strstr(text, "] ");
    return *text == '[' && bracket ? bracket + 2 : text;
}

/* A failure of gloo's: of the mesh as a whole. The cause that was heard of before says more. */
void fail(co_mesh *mesh, co_fault *fault, HcclResult code, const char *text)
{
    co_mesh_break(mesh, code, text);
    std::lock_guard<std::mutex> guard(mesh->lock);
    co_fail(fault, mesh->broken.code, "%s", mesh->broken.text);
}

void stop(co_port *port)
{
    port->buffer->abortWaitRecv();
    port->buffer->abortWaitSend();
}

template <typename Step> void attempt(co_port *port, co_fault *fault, Step step)
{
    if (!co_is_well(fault)) return;
    WithoutSignals quiet;
    try {
        if (!step()) fail(port->mesh, fault, HCCL_E_INTERNAL, "a wait has been ended");
    } catch (const std::exception &e) {
        bool is_late = strstr(e.what(), "Timed out waiting") != nullptr;
        fail(port->mesh, fault, is_late ? HCCL_E_TIMEOUT : HCCL_E_REMOTE,
             is_late ? "nothing came within HCCL_EXEC_TIMEOUT: a rank is missing, or has called "
                       "with another count, type, operation or root"
                     : plain(e.what()));
    }
}

} // namespace

struct co_mesh *co_mesh_new(uint32_t rank, uint32_t size, const char *host,
                            const struct co_introduction *introduction, int64_t timeout_ms,
                            struct co_fault *fault)
{
    if (!co_is_well(fault)) return nullptr;
    WithoutSignals quiet; /* gloo's thread inherits it */
    try {
        std::unique_ptr<co_mesh> mesh(new co_mesh);
        gloo::transport::tcp::attr where(host);
        Introduction store(introduction, rank, size);
        mesh->device = gloo::transport::tcp::CreateDevice(where);
        mesh->context = std::make_shared<gloo::rendezvous::Context>((int)rank, (int)size);
        /* gloo waits five times as long for a connection. */
        mesh->context->setTimeout(milliseconds(timeout_ms < 5000 ? 1000 : timeout_ms / 5));
        mesh->context->connectFullMesh(store, mesh->device);
        return mesh.release();
    } catch (const std::exception &e) {
        co_fail(fault, HCCL_E_TCP_CONNECT, "connecting the ranks: %s", plain(e.what()));
        return nullptr;
    }
}

void co_mesh_free(struct co_mesh *mesh)
{
    WithoutSignals quiet;
    delete mesh;
}

void co_mesh_break(struct co_mesh *mesh, HcclResult code, const char *text)
{
    WithoutSignals quiet;
    std::lock_guard<std::mutex> guard(mesh->lock);
    co_fail(&mesh->broken, code, "%s", text);
    for (co_port *port = mesh->ports; port; port = port->next)
        stop(port);
}

void co_mesh_close(struct co_mesh *mesh)
{
    WithoutSignals quiet;
    std::lock_guard<std::mutex> guard(mesh->closing);
    if (mesh->is_closed) return;
    try {
        mesh->context->closeConnections();
    } catch (const std::exception &) { /* closed as far as can be */
    }
    mesh->is_closed = true;
}

static bool is_broken(struct co_mesh *mesh)
{
    std::lock_guard<std::mutex> guard(mesh->lock);
    return !co_is_well(&mesh->broken);
}

struct co_port *co_port_new(struct co_mesh *mesh, void *memory, size_t size, struct co_fault *fault)
{
    if (!co_is_well(fault)) return nullptr;
    try {
        std::unique_ptr<co_port> port(new co_port);
        port->mesh = mesh;
        port->buffer = mesh->context->createUnboundBuffer(memory, size);
        std::lock_guard<std::mutex> guard(mesh->lock);
        if (!co_is_well(&mesh->broken)) {
            co_fail(fault, mesh->broken.code, "%s", mesh->broken.text);
            return nullptr;
        }
        port->next = mesh->ports;
        mesh->ports = port.get();
        return port.release();
    } catch (const std::exception &e) {
        co_fail(fault, HCCL_E_MEMORY, "a buffer: %s", plain(e.what()));
        return nullptr;
    }
}

/* After a failure gloo may still be at what nobody waits for any more: it is made to let go first.
 */
void co_port_free(struct co_port *port)
{
    if (!port) return;
    if (is_broken(port->mesh)) co_mesh_close(port->mesh);
    {
        std::lock_guard<std::mutex> guard(port->mesh->lock);
        co_port **at = &port->mesh->ports;
        while (*at != port)
            at = &(*at)->next;
        *at = port->next;
    }
    delete port;
}

void co_port_send(struct co_port *port, uint32_t to, uint64_t slot, size_t offset, size_t size,
                  struct co_fault *fault)
{
    attempt(port, fault, [&] {
        port->buffer->send((int)to, slot, offset, size);
        return true;
    });
}

void co_port_receive(struct co_port *port, uint32_t from, uint64_t slot, size_t offset, size_t size,
                     struct co_fault *fault)
{
    attempt(port, fault, [&] {
        port->buffer->recv((int)from, slot, offset, size);
        return true;
    });
}

void co_port_await_sent(struct co_port *port, int64_t timeout_ms, struct co_fault *fault)
{
    attempt(port, fault, [&] { return port->buffer->waitSend(milliseconds(timeout_ms)); });
}

void co_port_await_received(struct co_port *port, int64_t timeout_ms, struct co_fault *fault)
{
    attempt(port, fault, [&] { return port->buffer->waitRecv(milliseconds(timeout_ms)); });
}

const co_mesh_calls co_mesh_gloo = {
    co_mesh_new,  co_mesh_free, co_mesh_break,   co_mesh_close,      co_port_new,
    co_port_free, co_port_send, co_port_receive, co_port_await_sent, co_port_await_received,
};
