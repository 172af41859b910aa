// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a public algorithm to its body: at once, or as a task for `policy(as_future)`.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/algorithms/policy.hpp"
#include "weft/tasks/async.hpp"

namespace weft::algorithms::detail {

/// `Call::run(how, args...)`; what it throws ends the process if the policy says so.
template <class Call, class How, class... Args>
[[gnu::always_inline]] inline auto run_now(const How& how, Args&&... args) {
  if constexpr (How::template has<terminate_on_exception_t>) {
    return [&]() noexcept { return Call::run(how, std::forward<Args>(args)...); }();
  } else {
    return Call::run(how, std::forward<Args>(args)...);
  }
}

template <class Call, class How, class... Args>
auto launch_later(const How& how, Args&&... args) {
  return async(
      [how, kept = std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...)]() mutable {
        return std::apply([&how](auto&... each) { return run_now<Call>(how, std::move(each)...); },
                          kept);
      });
}

/// Calls `Call::run(how, args...)` as `policy` says: here, without copies, or as a task that owns
/// copies of `args`.
template <class Call, class Policy, class... Args>
[[gnu::always_inline]] inline auto launch(const Policy& policy, Args&&... args) {
  using how_type = resolved_policy<Policy>;
  const how_type& how = policy_traits<Policy>::resolve(policy);
  if constexpr (how_type::is_future) {
    return launch_later<Call>(how, std::forward<Args>(args)...);
  } else {
    return run_now<Call>(how, std::forward<Args>(args)...);
  }
}

}  // namespace weft::algorithms::detail
