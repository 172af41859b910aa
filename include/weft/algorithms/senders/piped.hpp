// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An algorithm whose other arguments a sender sends.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/then.hpp"

namespace weft::algorithms {

/// Calls an algorithm with a policy and what is sent.
template <class Policy, class Algorithm>
struct piped_algorithm {
  template <class... Sent>
  auto operator()(Sent&&... sent) {
    std::tuple<Policy, std::decay_t<Sent>...> all(policy, std::forward<Sent>(sent)...);
    return std::apply(algorithm, all);
  }
  [[no_unique_address]] Policy policy;
  [[no_unique_address]] Algorithm algorithm;
};

/// For `sender | algorithm(policy)`: the algorithm runs where the sender completes, with copies of
/// what that sends for its other arguments; what it returns is sent on.
///
/// With `policy.on(executor)` the executor's workers help.
/// Errors:  what the algorithm throws is sent as std::exception_ptr.
/// Example: tests/algorithms/senders_test.cpp: arguments_come_through_a_pipe.
template <class Policy, class Algorithm>
[[nodiscard]] auto piped(const Policy& policy, Algorithm algorithm) {
  return execution::then(piped_algorithm<Policy, Algorithm>{policy, std::move(algorithm)});
}

}  // namespace weft::algorithms
