// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parallel algorithms that begin when they are started: `algorithm(policy(as_sender), ...)`.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/execution/any_sender.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/then.hpp"

namespace weft::algorithms::detail {

/// `policy(as_sender)`: the call gives a sender of what it would return, an
/// `execution::any_sender`, which owns copies of the arguments. It runs where it is started; with
/// `policy.on(executor)` the executor's workers help.
///
/// Errors:  what the algorithm throws is sent as std::exception_ptr.
/// Example: tests/algorithms/senders_test.cpp: runs_when_it_is_started.
template <class How>
struct sender_maker {
  template <class Call, class... Args>
  static auto make(const How& how, Args&&... args) {
    return execution::just() | execution::then([how,
                                                kept = std::tuple<std::decay_t<Args>...>(
                                                    std::forward<Args>(args)...)]() mutable {
             return std::apply(
                 [&how](auto&... each) { return run_now<Call>(how, std::move(each)...); }, kept);
           });
  }
};

}  // namespace weft::algorithms::detail
