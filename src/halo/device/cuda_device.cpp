// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's streams, events and memory.
#include "halo/device/cuda_device.hpp"

#include <cstddef>
#include <memory>
#include <source_location>
#include <string>

#include <cuda_runtime_api.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

#include "halo/device/cuda_kernels.hpp"
#include "halo/device/device.hpp"
#include "halo/device/device_moves.hpp"
#include "halo/plan/agree.hpp"
#include "halo/transport/mpi_support.hpp"

namespace weft::halo::detail {
namespace {

std::string said_by(const char* call, cudaError_t code) {
  return std::string(call) + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")";
}

cudaStream_t stream_of(device_queue* queue) { return reinterpret_cast<cudaStream_t>(queue); }
cudaEvent_t event_of(device_mark* mark) { return reinterpret_cast<cudaEvent_t>(mark); }

/// Makes a device current, and restores the previous one at the end.
class as_current {
 public:
  explicit as_current(int ordinal) {
    if (cudaGetDevice(&before_) == cudaSuccess && before_ != ordinal) {
      is_changed_ = cudaSetDevice(ordinal) == cudaSuccess;
    }
  }
  ~as_current() {
    if (is_changed_) {
      static_cast<void>(cudaSetDevice(before_));
    }
  }
  as_current(const as_current&) = delete;
  as_current& operator=(const as_current&) = delete;

 private:
  int before_ = 0;
  bool is_changed_ = false;
};

class cuda_device final : public device {
 public:
  cuda_device(int ordinal, int rank) : ordinal_(ordinal), rank_(rank) {
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, ordinal_), "cudaGetDeviceProperties");
    name_ = std::string(properties.name) + " (CUDA device " + std::to_string(ordinal_) + ")";
    int lowest = 0;
    check(cudaDeviceGetStreamPriorityRange(&lowest, &highest_priority_),
          "cudaDeviceGetStreamPriorityRange");
    check(cudaStreamCreateWithFlags(&uploads_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  cuda_device(const cuda_device&) = delete;
  cuda_device& operator=(const cuda_device&) = delete;
  ~cuda_device() override { static_cast<void>(cudaStreamDestroy(uploads_)); }

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] mpi_support support_of_mpi() const override { return asked_mpi(); }
  [[nodiscard]] std::string trouble_with(const std::byte* field) const override;

  [[nodiscard]] std::byte* allocate(std::size_t bytes) override {
    const as_current during(ordinal_);
    void* made = nullptr;
    check(cudaMalloc(&made, bytes), "cudaMalloc");
    return static_cast<std::byte*>(made);
  }
  void release(std::byte* memory) noexcept override { static_cast<void>(cudaFree(memory)); }
  [[nodiscard]] std::byte* allocate_pinned(std::size_t bytes) override {
    const as_current during(ordinal_);
    void* made = nullptr;
    check(cudaHostAlloc(&made, bytes, cudaHostAllocPortable), "cudaHostAlloc");
    return static_cast<std::byte*>(made);
  }
  void release_pinned(std::byte* memory) noexcept override {
    static_cast<void>(cudaFreeHost(memory));
  }
  void upload(std::byte* into, const void* from, std::size_t bytes) override {
    const as_current during(ordinal_);
    check(cudaMemcpyAsync(into, from, bytes, cudaMemcpyHostToDevice, uploads_), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(uploads_), "cudaStreamSynchronize");
  }

  /// Of the highest priority: other ranks wait for this work, so it runs before their computation.
  [[nodiscard]] device_queue* make_queue() override {
    const as_current during(ordinal_);
    cudaStream_t made = nullptr;
    check(cudaStreamCreateWithPriority(&made, cudaStreamNonBlocking, highest_priority_),
          "cudaStreamCreateWithPriority");
    return reinterpret_cast<device_queue*>(made);
  }
  void release_queue(device_queue* queue) noexcept override {
    static_cast<void>(cudaStreamDestroy(stream_of(queue)));
  }
  [[nodiscard]] device_mark* make_mark() override {
    const as_current during(ordinal_);
    cudaEvent_t made = nullptr;
    check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    return reinterpret_cast<device_mark*>(made);
  }
  void release_mark(device_mark* mark) noexcept override {
    static_cast<void>(cudaEventDestroy(event_of(mark)));
  }

  void record(device_mark* mark, device_queue* in) override {
    const as_current during(ordinal_);
    check(cudaEventRecord(event_of(mark), stream_of(in)), "cudaEventRecord");
  }
  void wait(device_queue* queue, device_mark* until) override {
    const as_current during(ordinal_);
    check(cudaStreamWaitEvent(stream_of(queue), event_of(until), 0), "cudaStreamWaitEvent");
  }
  [[nodiscard]] bool is_reached(device_mark* mark) override {
    const cudaError_t code = cudaEventQuery(event_of(mark));
    if (code == cudaErrorNotReady) {
      // An answer, not a failure: clears it, so that no other code finds it as the thread's last
      // error.
      if (cudaPeekAtLastError() == cudaErrorNotReady) {
        static_cast<void>(cudaGetLastError());
      }
      return false;
    }
    check(code, "cudaEventQuery");
    return true;
  }
  void wait_here(device_mark* until) override {
    check(cudaEventSynchronize(event_of(until)), "cudaEventSynchronize");
  }

  void copy(std::byte* into, const std::byte* from, std::size_t bytes, device_queue* in) override {
    const as_current during(ordinal_);
    check(cudaMemcpyAsync(into, from, bytes, cudaMemcpyDefault, stream_of(in)), "cudaMemcpyAsync");
  }
  void move(const device_moves& what, const move_pointers& where, device_queue* in) override {
    const as_current during(ordinal_);
    check(launch_moves(what, where, stream_of(in)), "launch of the kernel that copies halo cells");
  }

 private:
  void check(cudaError_t code, const char* call) const {
    if (code != cudaSuccess) {
      throw error(
          errc::device_call, "rank " + std::to_string(rank_) + ": " + said_by(call, code), rank_);
    }
  }

  int ordinal_;
  int rank_;
  int highest_priority_ = 0;
  std::string name_;
  cudaStream_t uploads_ = nullptr;
};

std::string cuda_device::trouble_with(const std::byte* field) const {
  cudaPointerAttributes found{};
  check(cudaPointerGetAttributes(&found, field), "cudaPointerGetAttributes");
  switch (found.type) {
    case cudaMemoryTypeManaged:
      return {};
    case cudaMemoryTypeDevice:
      return found.device == ordinal_
                 ? std::string()
                 : "lies on CUDA device " + std::to_string(found.device) +
                       ", the exchange was made while device " + std::to_string(ordinal_) +
                       " was current; call cudaSetDevice before making the exchange";
    case cudaMemoryTypeHost:
    case cudaMemoryTypeUnregistered:
      break;
  }
  return "lies in host memory; pass memory of cudaMalloc or cudaMallocManaged, or use an exchange "
         "of halo::host";
}

}  // namespace

std::shared_ptr<device> current_cuda_device(const grid& processes) {
  int ordinal = 0;
  int num_devices = 0;
  const char* call = "cudaGetDeviceCount";
  cudaError_t code = cudaGetDeviceCount(&num_devices);
  if (code == cudaSuccess) {
    call = "cudaGetDevice";
    code = cudaGetDevice(&ordinal);
  }
  refusal why{.code = errc::device_call};
  if (code != cudaSuccess) {
    why.why = "rank " + std::to_string(processes.rank()) +
              ": an exchange of halo::cuda needs a CUDA device: " + said_by(call, code);
  }
  std::shared_ptr<device> made;
  if (why.why.empty()) {
    const auto make = [&] { made = std::make_shared<cuda_device>(ordinal, processes.rank()); };
    why = trouble_of(make, errc::device_call);
  }
  refuse_together(processes, why, std::source_location::current());
  return made;
}

}  // namespace weft::halo::detail
