// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hpx::threads that run, their names, and whether they must end.
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include <hpx/compat/interruption.hpp>
#include <hpx/thread.hpp>

#include "weft/base/error.hpp"
#include "weft/tasks/runtime_interface.hpp"
#include "weft/tasks/spinlock.hpp"
#include "weft/tasks/this_task.hpp"

namespace hpx {
namespace compat {

namespace {

std::atomic<int> num_requested{0};  // while this is 0, an interruption point checks nothing else

}  // namespace

class interruption {
 public:
  interruption() = default;
  interruption(const interruption&) = delete;
  interruption& operator=(const interruption&) = delete;
  ~interruption() { request(false); }

  void request(bool is_wanted) noexcept {
    if (is_requested_.exchange(is_wanted) != is_wanted) {
      num_requested += is_wanted ? 1 : -1;
    }
  }
  [[nodiscard]] bool is_requested() const noexcept { return is_requested_; }

  std::atomic<bool> is_enabled{true};

 private:
  std::atomic<bool> is_requested_{false};
};

namespace {

struct known {
  interruption_handle handle;
  std::string name;
};

/// All hpx::threads that run, and hpx_main.
struct known_threads {
  weft::spinlock lock;
  std::unordered_map<weft::task_id, known> by_id;
};
known_threads& all_known() {
  static known_threads& instance = *new known_threads;  // threads may outlive main
  return instance;
}

/// Calls `use(entry)` under the lock. Returns false if the thread does not exist.
template <class Use>
bool with_known(weft::task_id id, Use use) {
  known_threads& all = all_known();
  const std::scoped_lock guard(all.lock);
  const auto found = all.by_id.find(id);
  if (found == all.by_id.end()) {
    return false;
  }
  use(found->second);
  return true;
}

[[noreturn]] void throw_unknown(const char* call) {
  throw weft::error(weft::errc::null_thread_id,
                    std::string(call) +
                        ": no hpx::thread of this id runs; it has ended, was never started, or is "
                        "a task of another kind");
}

}  // namespace

interruption_handle make_interruption() { return std::make_shared<interruption>(); }

interruption_handle interruption_of(weft::task_id thread) {
  interruption_handle handle;
  with_known(thread, [&handle](const known& entry) { handle = entry.handle; });
  return handle;
}
interruption_handle own_interruption() { return interruption_of(weft::this_task::get_id()); }

void request_interruption(const interruption_handle& thread, bool is_wanted) {
  if (thread == nullptr) {
    throw_unknown("hpx::thread::interrupt");
  }
  if (is_wanted && !thread->is_enabled) {
    throw weft::error(weft::errc::thread_not_interruptable,
                      "hpx::thread::interrupt: the thread has a disable_interruption; ask again "
                      "once that has ended");
  }
  thread->request(is_wanted);
}
bool is_interruption_requested(const interruption_handle& thread) noexcept {
  return thread != nullptr && thread->is_requested();
}

void interruption_point() {
  if (num_requested == 0) {
    return;
  }
  const interruption_handle mine = own_interruption();
  if (mine != nullptr && mine->is_enabled && mine->is_requested()) {
    mine->request(false);
    throw thread_interrupted();
  }
}
bool is_interruption_enabled() {
  const interruption_handle mine = own_interruption();
  return mine != nullptr && mine->is_enabled;
}
bool enable_interruption(bool is_enabled) {
  const interruption_handle mine = own_interruption();
  return mine != nullptr && mine->is_enabled.exchange(is_enabled);
}

known_thread::known_thread(interruption_handle interruption) : id_(weft::this_task::get_id()) {
  known_threads& all = all_known();
  const std::scoped_lock guard(all.lock);
  all.by_id.insert_or_assign(id_, known{std::move(interruption), {}});
}
known_thread::~known_thread() {
  known_threads& all = all_known();
  const std::scoped_lock guard(all.lock);
  all.by_id.erase(id_);
}

}  // namespace compat

namespace threads {

std::string set_thread_description(thread_id_type of, std::string name) {
  if (!compat::with_known(of, [&name](compat::known& entry) { entry.name.swap(name); })) {
    compat::throw_unknown("hpx::threads::set_thread_description");
  }
  return name;
}
std::string get_thread_description(thread_id_type of) {
  std::string name;
  if (!compat::with_known(of, [&name](const compat::known& entry) { name = entry.name; })) {
    compat::throw_unknown("hpx::threads::get_thread_description");
  }
  return name;
}

}  // namespace threads

std::ptrdiff_t this_thread::get_stack_size() noexcept {
  const auto [low, high] = weft::tasks::current_stack();
  return high - low;
}
std::ptrdiff_t this_thread::get_available_stack_space() noexcept {
  return reinterpret_cast<const std::byte*>(weft::tasks::stack_position()) -
         weft::tasks::current_stack().low;
}

}  // namespace hpx
