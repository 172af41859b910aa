// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process's auxiliary threads, for calls that block.
#include "weft/tasks/blocking.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "weft/tasks/detail/self.hpp"
#include "weft/tasks/detail/task.hpp"
#include "weft/tasks/detail/waiter.hpp"
#include "weft/tasks/detail/worker.hpp"

#include "tasks/scheduler.hpp"

namespace weft::tasks::detail {
namespace {

/// Threads: every member from any thread. The object lives as long as the process.
class auxiliary_threads {
 public:
  /// Errors: std::system_error, and `t` is not queued.
  void submit(task& t) {
    const std::lock_guard guard(mutex_);
    if (num_queued_ >= num_idle_) {
      std::thread([this] { run(); }).detach();
      ++num_idle_;
    }
    t.next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = &t;
    last_ = &t;
    ++num_queued_;
    changed_.notify_one();
  }

 private:
  void run() noexcept {
    constexpr auto idle_time = std::chrono::seconds(1);
    std::unique_lock lock(mutex_);
    while (changed_.wait_for(lock, idle_time, [this] { return first_ != nullptr; })) {
      task& t = take();
      --num_idle_;
      lock.unlock();
      if (waiter* ready = t.run(t)) {
        resume(*ready);
      }
      lock.lock();
      ++num_idle_;
    }
    --num_idle_;
  }

  task& take() noexcept {
    task& oldest = *first_;
    first_ = oldest.next;
    last_ = first_ == nullptr ? nullptr : last_;
    --num_queued_;
    return oldest;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  task* first_ = nullptr;
  task* last_ = nullptr;
  std::size_t num_queued_ = 0;
  std::size_t num_idle_ = 0;  // those about to start included
};

auxiliary_threads& process_threads() {
  // Never destroyed: its threads are not joined.
  static auto& instance = *new auxiliary_threads;
  return instance;
}

}  // namespace

void run_on_auxiliary_thread(task& t, const wait_reason& why) {
  scheduler& home = *self()->home;
  home.external_begin();
  try {
    process_threads().submit(t);
  } catch (...) {
    home.external_end();
    throw;
  }
  // If there is no address space for a stack, this must not return while the call is under way.
  try {
    wait_for_completion(t, why);
  } catch (...) {
    while (!task::is_final(t.done.load(std::memory_order_acquire))) {
      std::this_thread::yield();
    }
  }
  home.external_end();
}

}  // namespace weft::tasks::detail
