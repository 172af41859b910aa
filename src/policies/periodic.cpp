// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts the thread with the first policy, ends it with the last, and calls what is due.
#include "policies/periodic.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include "weft/base/message.hpp"
#include "weft/counters/policy_counts.hpp"
#include "weft/policies/policy.hpp"

#include "counters/core/signals_blocked.hpp"

namespace weft::policies::detail {

/// One thread and its policies. It is current until its last policy ends; a later policy gets a new
/// thread.
struct policy_thread {
  std::vector<std::shared_ptr<periodic>> all;
  const periodic* running = nullptr;
  bool is_ending = false;
  std::condition_variable changed;
  std::thread handle;
  std::thread::id id;  // of `handle`, also after its end
};

namespace {

using clock = std::chrono::steady_clock;

struct process_state {
  const process_id process = getpid();
  std::mutex mutex;  // protects everything below, and the threads and policies
  std::shared_ptr<policy_thread> current;
};

/// Never destroyed: policies may outlive the statics of this file. A fork starts anew, because the
/// thread of its parent, which may hold the mutex, does not exist there.
process_state& here() {
  static std::atomic<process_state*> known{nullptr};
  process_state* state = known.load(std::memory_order_acquire);
  if (state != nullptr && state->process == getpid()) {
    return *state;
  }
  auto fresh = std::make_unique<process_state>();
  if (known.compare_exchange_strong(state, fresh.get(), std::memory_order_acq_rel)) {
    return *fresh.release();
  }
  return *state;
}

void tell_failure(const periodic& body, const std::exception_ptr& failure) noexcept {
  try {
    std::string what;
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& known) {
      what = known.what();
    } catch (...) {
      what = "an exception of an unknown type";
    }
    send_message("weft: policy " + body.name + " has ended, because its function threw: " + what +
                 '\n');
  } catch (const std::exception&) {
    send_message("weft: a policy has ended, because its function threw\n");
  }
}

/// Calls the function of a policy without the lock.
void call(const periodic& body, std::exception_ptr& failure) noexcept {
  counters::process_policies().num_calls.fetch_add(1, std::memory_order_relaxed);
  try {
    body.step();
  } catch (...) {
    failure = std::current_exception();
    tell_failure(body, failure);
  }
}

/// Returns the policy that is due first; null: none is left that has not thrown.
std::shared_ptr<periodic> first_due(const policy_thread& mine) {
  std::shared_ptr<periodic> first;
  for (const auto& each : mine.all) {
    if (each->failure == nullptr && (first == nullptr || each->next < first->next)) {
      first = each;
    }
  }
  return first;
}

void run(process_state& state, const std::shared_ptr<policy_thread>& mine) {
  pthread_setname_np(pthread_self(), "weft-policies");
  std::unique_lock lock(state.mutex);
  while (!mine->is_ending) {
    std::shared_ptr<periodic> due = first_due(*mine);
    if (due == nullptr) {
      mine->changed.wait(lock);
      continue;
    }
    if (const auto next = due->next; clock::now() < next) {
      due.reset();
      mine->changed.wait_until(lock, next);
      continue;
    }
    mine->running = due.get();
    lock.unlock();
    std::exception_ptr failure;
    call(*due, failure);
    if (getpid() != state.process) {
      return;  // the function forked: this is the child, which has no policies
    }
    lock.lock();
    due->failure = failure;
    if (failure != nullptr || due->is_ended) {  // what the function holds ends with the policy
      const std::function<void()> ended = std::exchange(due->step, nullptr);
      lock.unlock();
    }
    if (!lock.owns_lock()) {
      lock.lock();
    }
    due->next += due->period;
    if (const auto now = clock::now(); due->next < now) {
      due->next = now + due->period;  // calls that come too late are left out
    }
    mine->running = nullptr;
    if (due.use_count() == 1) {  // it ended within its own call
      lock.unlock();
      due.reset();
      lock.lock();
    }
    due.reset();
    mine->changed.notify_all();
  }
}

}  // namespace

void start(const std::shared_ptr<periodic>& body) {
  if (!are_on()) {
    return;
  }
  process_state& state = here();
  const std::lock_guard guard(state.mutex);
  const bool is_first = state.current == nullptr;
  if (is_first) {
    state.current = std::make_shared<policy_thread>();
  }
  const std::shared_ptr<policy_thread> mine = state.current;
  try {
    mine->all.push_back(body);
    if (is_first) {
      const counters::detail::signals_blocked for_thread;
      mine->handle = std::thread([&state, mine] { run(state, mine); });
      mine->id = mine->handle.get_id();
    }
  } catch (...) {
    if (is_first) {
      state.current.reset();
    }
    throw;
  }
  body->thread = mine;
  body->process = state.process;
  mine->changed.notify_all();
}

void stop(const std::shared_ptr<periodic>& body) noexcept {
  process_state& state = here();
  std::unique_lock lock(state.mutex);
  if (body->thread == nullptr || body->process != state.process) {
    return;
  }
  const std::shared_ptr<policy_thread> home = body->thread;
  body->is_ended = true;
  std::erase(home->all, body);
  const bool is_own_call = home->id == std::this_thread::get_id();
  std::function<void()> ended;  // destroyed without the lock
  if (!is_own_call) {
    home->changed.wait(lock, [&] { return home->running != body.get(); });
    ended = std::exchange(body->step, nullptr);
  }
  if (!home->all.empty() || home->is_ending) {
    lock.unlock();
    return;
  }
  home->is_ending = true;
  home->changed.notify_all();
  state.current.reset();
  if (is_own_call) {
    home->handle.detach();  // the thread ends after this call
    lock.unlock();
    return;
  }
  lock.unlock();
  home->handle.join();
}

bool is_started(const periodic& body) noexcept {
  process_state& state = here();
  const std::lock_guard guard(state.mutex);
  return body.thread != nullptr && !body.is_ended && body.failure == nullptr &&
         body.process == state.process;
}

std::exception_ptr failure_of(const periodic& body) noexcept {
  process_state& state = here();
  const std::lock_guard guard(state.mutex);
  return body.failure;
}

}  // namespace weft::policies::detail
