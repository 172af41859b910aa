// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task groups: tasks that are waited for together.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include <hpx/config.hpp>

#include "weft/tasks/future.hpp"
#include "weft/tasks/future_interface.hpp"
#include "weft/tasks/task_group.hpp"

namespace hpx::experimental {

/// weft's task group, whose `run` also takes arguments.
class task_group {
 public:
  template <class F, class... Args>
    requires std::invocable<std::decay_t<F>, std::decay_t<Args>...>
  void run(F&& f, Args&&... args) {
    if constexpr (sizeof...(Args) == 0) {
      group_.run(std::forward<F>(f));
    } else {
      using call_type = weft::tasks::bound_call<std::decay_t<F>, std::decay_t<Args>...>;
      group_.run([call = call_type(std::forward<F>(f), std::forward<Args>(args)...)]() mutable {
        static_cast<void>(std::move(call)());
      });
    }
  }
  void wait() { group_.wait(); }

 private:
  weft::task_group group_;
};

}  // namespace hpx::experimental
