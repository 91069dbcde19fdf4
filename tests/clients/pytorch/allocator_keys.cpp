// SPDX-License-Identifier: Apache-2.0
// torch's CUDA build and torch_npu both register the names of their allocators' settings with c10,
// which takes a name once and ends the process at the second. Loaded between the two this forgets
// the first registration; nothing uses it where there is no such card. torch's build without CUDA
// needs none of this.
#include <string>
#include <unordered_set>

namespace c10::CachingAllocator
{
class AcceleratorAllocatorConfig
{
  public:
    static std::unordered_set<std::string> &getMutableKeys();
};
} // namespace c10::CachingAllocator

__attribute__((constructor)) static void forget()
{
    for (const char *key : {"backend", "release_lock_on_cudamalloc", "release_lock_on_hipmalloc",
                            "graph_capture_record_stream_reuse", "pinned_reserve_segment_size_mb",
                            "pinned_use_cuda_host_register", "pinned_use_hip_host_register",
                            "pinned_num_register_threads", "per_process_memory_fraction"})
        c10::CachingAllocator::AcceleratorAllocatorConfig::getMutableKeys().erase(key);
}
