// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wait_all and its family: for futures one by one, in a range, or between iterators.
#pragma once

#include <cstddef>
#include <exception>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/tasks/detail/future_access.hpp"
#include "weft/tasks/detail/gate.hpp"
#include "weft/tasks/futures.hpp"
#include "weft/tasks/when_any.hpp"

namespace hpx {

namespace compat {

template <class R>
concept range_of_futures =
    std::ranges::range<R> && weft::any_future<std::ranges::range_reference_t<R>>;

/// Throws what a ready future holds; it keeps it.
template <weft::any_future Future>
void rethrow_if_failed(const Future& ready) {
  weft::tasks::detail::future_access::state_of(ready)->rethrow_if_failed();
}

}  // namespace compat

template <compat::range_of_futures Futures>
void wait_all_nothrow(const Futures& futures) {
  for (const auto& each : futures) {
    each.wait();
  }
}
template <weft::any_future... Futures>
void wait_all_nothrow(const Futures&... futures) {
  (futures.wait(), ...);
}
template <std::input_iterator It>
  requires weft::any_future<std::iter_reference_t<It>>
void wait_all_nothrow(It first, It last) {
  for (; first != last; ++first) {
    first->wait();
  }
}

/// Waits for all; then throws the first exception among them, which its future keeps.
template <compat::range_of_futures Futures>
void wait_all(const Futures& futures) {
  hpx::wait_all_nothrow(futures);
  for (const auto& each : futures) {
    compat::rethrow_if_failed(each);
  }
}
template <weft::any_future... Futures>
void wait_all(const Futures&... futures) {
  (futures.wait(), ...);
  (compat::rethrow_if_failed(futures), ...);
}
template <std::input_iterator It>
  requires weft::any_future<std::iter_reference_t<It>>
void wait_all(It first, It last) {
  hpx::wait_all(std::ranges::subrange(first, last));
}
template <std::input_iterator It>
  requires weft::any_future<std::iter_reference_t<It>>
void wait_all_n(It first, std::size_t count) {
  hpx::wait_all(std::views::counted(first, static_cast<std::iter_difference_t<It>>(count)));
}

/// Waits until `needed` of the futures in a container are ready; they stay where they are.
/// Errors:  `weft::error` if there are fewer, `future_error` (no_state) if one is not valid: the
///          container is as it was.
template <compat::range_of_futures Futures>
void wait_some(std::size_t needed, Futures& futures) {
  weft::tasks::detail::require_all_valid(futures);
  const auto num_futures = static_cast<std::size_t>(std::ranges::distance(futures));
  if (needed > num_futures) {
    weft::tasks::detail::throw_too_many_needed(needed, num_futures);
  }
  auto done = weft::when_some(needed, std::move(futures)).get();
  futures = std::move(done.futures);
}
template <compat::range_of_futures Futures>
void wait_any(Futures& futures) {
  if (!std::ranges::empty(futures)) {
    hpx::wait_some(1, futures);
  }
}

/// Calls `f(future)` for each as it becomes ready, and returns after the last.
template <class F, compat::range_of_futures Futures>
void wait_each(F&& f, Futures&& futures) {
  weft::when_each(std::forward<F>(f), std::forward<Futures>(futures)).get();
}
template <class F, weft::any_future... Futures>
void wait_each(F&& f, Futures&&... futures) {
  weft::when_each(std::forward<F>(f), std::forward<Futures>(futures)...).get();
}

}  // namespace hpx
