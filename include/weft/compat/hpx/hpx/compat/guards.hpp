// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Guards: tasks that name one run one after the other, and none of them waits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <hpx/config.hpp>

#include "weft/tasks/future_interface.hpp"
#include "weft/tasks/futures.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/spinlock.hpp"

namespace hpx::lcos::local {

/// Knows the last task that named it.
class guard {
 public:
  guard() = default;
  guard(const guard&) = delete;
  guard& operator=(const guard&) = delete;
  ~guard() = default;

 private:
  template <class F>
  friend void run_after_all(const std::vector<std::shared_ptr<guard>>& all, F&& f);

  /// Puts `next` in the place of the last task, which it returns.
  weft::shared_future<void> replace(const weft::shared_future<void>& next) {
    return std::exchange(last_, next);
  }

  inline static weft::spinlock all_guards;  // held while a task takes its place behind others
  weft::shared_future<void> last_ = weft::make_ready_future().share();
};

/// Several guards.
class guard_set {
 public:
  void add(const std::shared_ptr<guard>& one) {
    if (std::ranges::find(all_, one) == all_.end()) {  // else a task would wait for itself
      all_.push_back(one);
    }
  }
  [[nodiscard]] const std::vector<std::shared_ptr<guard>>& guards() const noexcept { return all_; }

 private:
  std::vector<std::shared_ptr<guard>> all_;
};

template <class F>
void run_after_all(const std::vector<std::shared_ptr<guard>>& all, F&& f) {
  weft::promise<void> ended;
  const weft::shared_future<void> end = ended.get_future().share();
  std::vector<weft::shared_future<void>> before;
  {
    const std::scoped_lock hold(guard::all_guards);
    for (const std::shared_ptr<guard>& each : all) {
      before.push_back(each->replace(end));
    }
  }
  static_cast<void>(weft::when_all_ready(std::move(before))
                        .then([ended = std::move(ended), f = std::forward<F>(f)](auto&&) mutable {
                          try {
                            std::move(f)();
                          } catch (...) {
                            weft::tasks::detail::handle_escaped_exception();
                          }
                          ended.set_value();
                        }));
}

/// Calls `f(args...)` as a task, after all that named one of these guards before.
template <class F, class... Args>
void run_guarded(const guard_set& guards, F&& f, Args&&... args) {
  run_after_all(guards.guards(),
                weft::tasks::bound_call<std::decay_t<F>, std::decay_t<Args>...>(
                    std::forward<F>(f), std::forward<Args>(args)...));
}
/// The same for one guard, which must outlive the call of this function only.
template <class F, class... Args>
void run_guarded(guard& one, F&& f, Args&&... args) {
  const std::shared_ptr<guard> not_owned(std::shared_ptr<guard>(), &one);
  run_after_all({not_owned},
                weft::tasks::bound_call<std::decay_t<F>, std::decay_t<Args>...>(
                    std::forward<F>(f), std::forward<Args>(args)...));
}

}  // namespace hpx::lcos::local
