// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process's auxiliary threads, which make blocking calls.
#include "weft/tasks/blocking.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "weft/tasks/detail/deque/task.hpp"
#include "weft/tasks/detail/scheduler/self.hpp"
#include "weft/tasks/detail/scheduler/worker.hpp"
#include "weft/tasks/detail/waiting/waiter.hpp"

#include "tasks/scheduler/scheduler.hpp"

namespace weft::tasks::detail {
namespace {

/// The runtime whose task's blocking call this auxiliary thread makes; else null.
constinit thread_local scheduler* served = nullptr;

/// A blocking call. It lives in the frame of the task that waits for it.
struct blocking_call {
  task& work;
  scheduler& home;
  blocking_call* next = nullptr;

  /// Makes the call and resumes its task. Afterwards this object no longer exists.
  void make() noexcept {
    served = &home;
    waiter* const ready = work.run(work);
    served = nullptr;
    if (ready != nullptr) {
      resume(*ready);
    }
  }
};

/// Threads: every member from any thread. The object lives as long as the process.
class auxiliary_threads {
 public:
  /// Errors: std::system_error, and `call` is not queued.
  void submit(blocking_call& call) {
    const std::lock_guard guard(mutex_);
    if (num_queued_ >= num_idle_) {
      std::thread([this] { run(); }).detach();
      ++num_idle_;
    }
    (last_ == nullptr ? first_ : last_->next) = &call;
    last_ = &call;
    ++num_queued_;
    changed_.notify_one();
  }

 private:
  void run() noexcept {
    constexpr auto idle_time = std::chrono::seconds(1);
    std::unique_lock lock(mutex_);
    while (changed_.wait_for(lock, idle_time, [this] { return first_ != nullptr; })) {
      blocking_call& call = take();
      --num_idle_;
      lock.unlock();
      call.make();
      lock.lock();
      ++num_idle_;
    }
    --num_idle_;
  }

  blocking_call& take() noexcept {
    blocking_call& oldest = *first_;
    first_ = oldest.next;
    last_ = first_ == nullptr ? nullptr : last_;
    --num_queued_;
    return oldest;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  blocking_call* first_ = nullptr;
  blocking_call* last_ = nullptr;
  std::size_t num_queued_ = 0;
  std::size_t num_idle_ = 0;  // includes threads that are about to start
};

auxiliary_threads& process_threads() {
  // Never destroyed: its threads are not joined.
  static auto& instance = *new auxiliary_threads;
  return instance;
}

}  // namespace

[[gnu::noinline]] scheduler* runtime_of_caller() noexcept {
  const worker* w = self();
  return w != nullptr ? w->home : served;
}

void run_on_auxiliary_thread(task& t, const wait_reason& why) {
  scheduler& home = *self()->home;
  blocking_call call{.work = t, .home = home};
  home.external_begin();
  try {
    process_threads().submit(call);
  } catch (...) {
    home.external_end();
    throw;
  }
  wait_for_completion(t, why);
  home.external_end();
}

}  // namespace weft::tasks::detail
