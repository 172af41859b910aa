// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names `as_future` and `as_sender`, which work on senders and futures, and in policies.
#pragma once

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft {
namespace execution {

/// The category of `as_future` and `as_sender` among the properties of a policy.
struct completion_form {};

namespace detail {
/// Lets the functions of weft/execution/as_future.hpp be found by argument-dependent look-up.
struct conversion {
  using category = completion_form;
};
}  // namespace detail

/// Asks for a future, of a sender or of an algorithm.
///
/// `as_future(sender)` and `sender | as_future()` start the sender at once; the future gets its
/// value or its error, and fails (broken_promise) if the sender is stopped. Include
/// weft/execution/as_future.hpp. `algorithm(policy(as_future), ...)` returns at once and gives a
/// `weft::future` of the result.
/// Cost:    for a sender one block for the future's state and the operation, from the worker's own
///          blocks.
/// Example: tests/execution/conversions_test.cpp: future_from_each.
struct as_future_t : detail::conversion {
  template <class Sender>
    requires requires(as_future_t me, Sender&& s) { make_future_of(me, static_cast<Sender&&>(s)); }
  auto operator()(Sender&& sender) const {
    return make_future_of(*this, static_cast<Sender&&>(sender));
  }
  template <class Self = as_future_t>
    requires requires(Self me) { make_adaptor(me); }
  auto operator()() const {
    return make_adaptor(Self());
  }
};
inline constexpr as_future_t as_future{};

/// Asks for a sender, of a future or of an algorithm.
///
/// `as_sender(future)` gives the future itself, which is a sender already; that of a
/// `shared_future` sends a reference to const. Include weft/execution/as_future.hpp.
/// `algorithm(policy(as_sender), ...)` gives an `execution::any_sender` of the result; include
/// weft/algorithms/as_sender.hpp.
/// Example: tests/execution/conversions_test.cpp: shared_futures_are_sent_by_reference_as_often_as_wanted.
struct as_sender_t : detail::conversion {
  template <class Future>
    requires requires(as_sender_t me, Future&& f) { make_sender_of(me, static_cast<Future&&>(f)); }
  auto operator()(Future&& from) const noexcept {
    return make_sender_of(*this, static_cast<Future&&>(from));
  }
};
inline constexpr as_sender_t as_sender{};

}  // namespace execution

using execution::as_future;
using execution::as_future_t;
using execution::as_sender;
using execution::as_sender_t;

}  // namespace weft
