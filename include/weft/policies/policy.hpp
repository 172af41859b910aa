// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A running policy, and how policies report their decisions.
#pragma once

#include <exception>
#include <memory>
#include <string_view>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::policies {

namespace detail {
struct periodic;
}

/// A function that runs now and then as long as this object lives; `every` and others make it.
///
/// All policies of a process share one thread, which is not a worker. It starts with the first
/// policy and ends with the last. If the function throws, the policy ends, and a message says why.
/// Threads: one thread at a time for each object. A fork of the process has no policies.
/// Example: tests/policies/policies_test.cpp: a_policy_is_called_until_it_ends.
class policy {
 public:
  /// A policy that has ended.
  policy() noexcept = default;
  explicit policy(std::shared_ptr<detail::periodic> body) noexcept;
  policy(policy&& other) noexcept;
  policy& operator=(policy&& other) noexcept;
  /// As `end`.
  ~policy();

  /// Ends the policy. Waits for a call of its function, unless this call is made by the function.
  void end() noexcept;
  /// False: it has ended, or `WEFT_POLICIES=off` is set.
  [[nodiscard]] bool is_running() const noexcept;
  /// Returns what the function threw; null if it threw nothing.
  [[nodiscard]] std::exception_ptr failure() const noexcept;

 private:
  std::shared_ptr<detail::periodic> body_;
};

/// False: `WEFT_POLICIES=off` or `--weft:policies=off` was given. Policies are then not called.
/// Cost:    a load; the first call may read the environment.
[[nodiscard]] bool are_on();

/// Counts a decision in `/policies/count/decisions`, and records it in the trace if one is recorded.
/// The policies of weft call it; call it where a function of your own changes something.
///
/// Cost:    an addition, a formatted text and a lock; with a trace also a look-up.
/// Threads: any.
/// Example: tests/policies/policies_test.cpp: a_decision_is_counted_and_traced.
void note_decision(std::string_view policy, double before, double after) noexcept;

}  // namespace weft::policies
