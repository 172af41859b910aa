// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device without a device: its memory is the host's, its queues are threads that begin when they
// like, and its kernels are the loops over the index maps that GPUs run.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "halo/device/device.hpp"
#include "halo/device/device_moves.hpp"

namespace weft::halo::test {

/// Work in order on a thread of its own.
class emulated_queue {
 public:
  emulated_queue() : worker_([this] { work(); }) {}
  ~emulated_queue();
  emulated_queue(const emulated_queue&) = delete;
  emulated_queue& operator=(const emulated_queue&) = delete;

  void submit(std::function<void()> job);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool is_ending_ = false;
  std::thread worker_;
};

/// What `emulated_device` can be told to do wrong, for tests of tests.
struct emulated_faults {
  bool queues_do_not_wait = false;
  std::size_t fail_at_copy = 0;        // the so-manieth copy throws; 0: none
  std::size_t fail_at_allocation = 0;  // of any memory
};

class emulated_device final : public detail::device {
 public:
  explicit emulated_device(detail::mpi_support::answer mpi_says = detail::mpi_support::answer::no,
                           const emulated_faults& faults = {})
      : mpi_says_(mpi_says), faults_(faults) {}
  ~emulated_device() override;
  emulated_device(const emulated_device&) = delete;
  emulated_device& operator=(const emulated_device&) = delete;

  /// What a program's own kernels are to a stream.
  void run(detail::device_queue* in, std::function<void()> kernel);
  /// Waits for all that is in the queue.
  void drain(detail::device_queue* queue);
  /// Waits for all that is in the other queues, but the default one.
  void drain_all_but(detail::device_queue* queue);
  [[nodiscard]] std::size_t num_allocations() const { return num_allocations_; }
  [[nodiscard]] std::size_t num_launches() const { return num_launches_; }
  [[nodiscard]] std::size_t num_copies() const { return num_copies_; }

  [[nodiscard]] std::string name() const override { return "threads of the host"; }
  [[nodiscard]] detail::mpi_support support_of_mpi() const override {
    return {.says = mpi_says_, .why = "the test says so"};
  }
  [[nodiscard]] std::string trouble_with(const std::byte* field) const override;
  [[nodiscard]] std::byte* allocate(std::size_t bytes) override;
  void release(std::byte* memory) noexcept override;
  [[nodiscard]] std::byte* allocate_pinned(std::size_t bytes) override;
  void release_pinned(std::byte* memory) noexcept override;
  void upload(std::byte* into, const void* from, std::size_t bytes) override;
  [[nodiscard]] detail::device_queue* make_queue() override;
  void release_queue(detail::device_queue* queue) noexcept override;
  [[nodiscard]] detail::device_mark* make_mark() override;
  void release_mark(detail::device_mark* mark) noexcept override;
  void record(detail::device_mark* mark, detail::device_queue* in) override;
  void wait(detail::device_queue* queue, detail::device_mark* until) override;
  [[nodiscard]] bool is_reached(detail::device_mark* mark) override;
  void wait_here(detail::device_mark* until) override;
  void copy(std::byte* into,
            const std::byte* from,
            std::size_t bytes,
            detail::device_queue* in) override;
  void move(const detail::device_moves& what,
            const detail::move_pointers& where,
            detail::device_queue* in) override;

 private:
  void count_allocation();
  emulated_queue& queue_of(detail::device_queue* which);
  [[nodiscard]] bool holds(const std::byte* first, std::size_t bytes) const;
  void check_ends(const std::byte* into, const std::byte* from, std::size_t bytes) const;

  detail::mpi_support::answer mpi_says_;
  emulated_faults faults_;
  std::unique_ptr<emulated_queue> default_queue_;
  std::set<detail::device_queue*> queues_;                 // but the default one
  std::map<const std::byte*, std::size_t> device_memory_;  // bytes, by where it begins
  std::map<const std::byte*, std::size_t> pinned_memory_;
  std::size_t num_allocations_ = 0;  // of any memory
  std::size_t num_launches_ = 0;
  std::size_t num_copies_ = 0;
};

/// The device that exchanges of `halo::cuda` in this program are on.
[[nodiscard]] std::shared_ptr<emulated_device>& current_emulated_device();

}  // namespace weft::halo::test
