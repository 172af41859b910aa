// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// wait_all, wait_any, wait_some and wait_each for single futures, a range, or a pair of iterators.
// Also the forms of when_all and its family that take the number of futures.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/tasks/future_interface.hpp"
#include "weft/tasks/futures.hpp"
#include "weft/tasks/when_all.hpp"
#include "weft/tasks/when_any.hpp"

namespace hpx {

namespace compat {

template <class R>
concept range_of_futures =
    std::ranges::range<R> && weft::any_future<std::ranges::range_reference_t<R>>;
template <class It>
concept iterator_of_futures =
    std::input_iterator<It> && weft::any_future<std::iter_reference_t<It>>;

template <iterator_of_futures It>
[[nodiscard]] auto counted(It first, std::size_t count) {
  return std::views::counted(std::move(first), static_cast<std::iter_difference_t<It>>(count));
}

/// Throws what a ready future holds; it keeps it.
template <weft::any_future Future>
void rethrow_if_failed(const Future& ready) {
  weft::tasks::future_access::state_of(ready)->rethrow_if_failed();
}

/// Waits for all in `futures`, which are a range or a tuple of references. True: one failed.
template <class Futures>
[[nodiscard]] bool wait_for_all(const Futures& futures) {
  bool has_failed = false;
  const auto wait = [&has_failed](const auto& each) {
    each.wait();
    has_failed |= each.has_exception();
  };
  weft::tasks::detail::for_each_future(futures, wait);
  return has_failed;
}

/// Waits until `needed` of `futures` are ready; they stay where they are. Gives which.
template <class Futures>
[[nodiscard]] std::vector<std::size_t> wait_until_some(std::size_t needed, Futures futures) {
  return weft::tasks::detail::when_selected<weft::when_some_result>(std::move(futures), needed)
      .get()
      .indices;
}

/// Calls `visit` with those that `wait_until_some` found ready.
template <class Futures, class Visit>
void visit_ready(std::size_t needed, const Futures& futures, Visit visit) {
  std::vector<std::size_t> ready = compat::wait_until_some(needed, futures);
  std::ranges::sort(ready);  // the first exception is that of the first future
  std::size_t index = 0;
  auto next = ready.begin();
  const auto visit_if_ready = [&](const auto& each) {
    if (next != ready.end() && *next == index++) {
      ++next;
      visit(each);
    }
  };
  weft::tasks::detail::for_each_future(futures, visit_if_ready);
}
template <class Futures>
[[nodiscard]] bool wait_for_some_nothrow(std::size_t needed, const Futures& futures) {
  bool has_failed = false;
  compat::visit_ready(
      needed, futures, [&has_failed](const auto& each) { has_failed |= each.has_exception(); });
  return has_failed;
}
template <class Futures>
void wait_for_some(std::size_t needed, const Futures& futures) {
  compat::visit_ready(needed, futures, [](const auto& each) { compat::rethrow_if_failed(each); });
}

}  // namespace compat

/// These wait, and give whether one that they waited for has failed.
template <compat::range_of_futures Futures>
bool wait_all_nothrow(const Futures& futures) {
  return compat::wait_for_all(futures);
}
template <weft::any_future... Futures>
bool wait_all_nothrow(const Futures&... futures) {
  return compat::wait_for_all(std::tie(futures...));
}
template <compat::iterator_of_futures It>
bool wait_all_nothrow(It first, It last) {
  return compat::wait_for_all(std::ranges::subrange(first, last));
}
template <compat::iterator_of_futures It>
bool wait_all_n_nothrow(It first, std::size_t count) {
  return compat::wait_for_all(compat::counted(first, count));
}

/// Waits for all; then throws the first exception among them, which its future keeps.
template <compat::range_of_futures Futures>
void wait_all(const Futures& futures) {
  if (hpx::wait_all_nothrow(futures)) {
    for (const auto& each : futures) {
      compat::rethrow_if_failed(each);
    }
  }
}
template <weft::any_future... Futures>
void wait_all(const Futures&... futures) {
  if (hpx::wait_all_nothrow(futures...)) {
    (compat::rethrow_if_failed(futures), ...);
  }
}
template <compat::iterator_of_futures It>
void wait_all(It first, It last) {
  hpx::wait_all(std::ranges::subrange(first, last));
}
template <compat::iterator_of_futures It>
void wait_all_n(It first, std::size_t count) {
  hpx::wait_all(compat::counted(first, count));
}

/// Waits until `needed` of the futures are ready, and throws the first exception among those; the
/// futures stay where they are.
/// Errors:  `weft::error` if there are fewer, `future_error` (no_state) if one is not valid.
template <compat::range_of_futures Futures>
void wait_some(std::size_t needed, const Futures& futures) {
  compat::wait_for_some(needed, std::ref(futures));
}
template <weft::any_future... Futures>
void wait_some(std::size_t needed, const Futures&... futures) {
  compat::wait_for_some(needed, std::tuple(std::ref(futures)...));
}
template <compat::iterator_of_futures It>
void wait_some(std::size_t needed, It first, It last) {
  compat::wait_for_some(needed, std::ranges::subrange(first, last));
}
template <compat::iterator_of_futures It>
void wait_some_n(std::size_t needed, It first, std::size_t count) {
  compat::wait_for_some(needed, compat::counted(first, count));
}
/// The same, giving whether one of those has failed.
template <compat::range_of_futures Futures>
bool wait_some_nothrow(std::size_t needed, const Futures& futures) {
  return compat::wait_for_some_nothrow(needed, std::ref(futures));
}
template <weft::any_future... Futures>
bool wait_some_nothrow(std::size_t needed, const Futures&... futures) {
  return compat::wait_for_some_nothrow(needed, std::tuple(std::ref(futures)...));
}
template <compat::iterator_of_futures It>
bool wait_some_nothrow(std::size_t needed, It first, It last) {
  return compat::wait_for_some_nothrow(needed, std::ranges::subrange(first, last));
}
template <compat::iterator_of_futures It>
bool wait_some_n_nothrow(std::size_t needed, It first, std::size_t count) {
  return compat::wait_for_some_nothrow(needed, compat::counted(first, count));
}

/// As `wait_some` for one; returns at once if there are no futures.
template <compat::range_of_futures Futures>
void wait_any(const Futures& futures) {
  hpx::wait_some(std::ranges::empty(futures) ? 0 : 1, futures);
}
template <weft::any_future... Futures>
void wait_any(const Futures&... futures) {
  hpx::wait_some(sizeof...(Futures) == 0 ? 0 : 1, futures...);
}
template <compat::iterator_of_futures It>
void wait_any(It first, It last) {
  hpx::wait_some(first == last ? 0 : 1, first, last);
}
template <compat::iterator_of_futures It>
void wait_any_n(It first, std::size_t count) {
  hpx::wait_some_n(count == 0 ? 0 : 1, first, count);
}
template <compat::range_of_futures Futures>
bool wait_any_nothrow(const Futures& futures) {
  return hpx::wait_some_nothrow(std::ranges::empty(futures) ? 0 : 1, futures);
}
template <weft::any_future... Futures>
bool wait_any_nothrow(const Futures&... futures) {
  return hpx::wait_some_nothrow(sizeof...(Futures) == 0 ? 0 : 1, futures...);
}
template <compat::iterator_of_futures It>
bool wait_any_nothrow(It first, It last) {
  return hpx::wait_some_nothrow(first == last ? 0 : 1, first, last);
}
template <compat::iterator_of_futures It>
bool wait_any_n_nothrow(It first, std::size_t count) {
  return hpx::wait_some_n_nothrow(count == 0 ? 0 : 1, first, count);
}

/// Calls `f(future)`, or `f(index, future)`, for each as it becomes ready, and returns after the
/// last.
template <class F, compat::range_of_futures Futures>
void wait_each(F&& f, Futures&& futures) {
  weft::when_each(std::forward<F>(f), std::forward<Futures>(futures)).get();
}
template <class F, weft::any_future... Futures>
void wait_each(F&& f, Futures&&... futures) {
  weft::when_each(std::forward<F>(f), std::forward<Futures>(futures)...).get();
}
template <class F, compat::iterator_of_futures It>
void wait_each(F&& f, It first, It last) {
  weft::when_each(std::forward<F>(f), first, last).get();
}
template <class F, compat::iterator_of_futures It>
void wait_each_n(F&& f, It first, std::size_t count) {
  weft::when_each(std::forward<F>(f), compat::counted(first, count)).get();
}

/// Futures that are ready when all, one or some of the given ones are.
template <class... Args>
  requires requires(Args&&... args) { weft::when_all_ready(std::forward<Args>(args)...); }
auto when_all(Args&&... args) {
  return weft::when_all_ready(std::forward<Args>(args)...);
}
template <class... Args>
  requires requires(Args&&... args) { weft::when_any_ready(std::forward<Args>(args)...); }
auto when_any(Args&&... args) {
  return weft::when_any_ready(std::forward<Args>(args)...);
}
template <class... Args>
  requires requires(Args&&... args) { weft::when_some_ready(std::forward<Args>(args)...); }
auto when_some(Args&&... args) {
  return weft::when_some_ready(std::forward<Args>(args)...);
}
/// The same of `count` futures from `first` on.
template <compat::iterator_of_futures It>
auto when_all_n(It first, std::size_t count) {
  return weft::when_all_ready(compat::counted(first, count));
}
template <compat::iterator_of_futures It>
auto when_any_n(It first, std::size_t count) {
  return weft::when_any_ready(compat::counted(first, count));
}
template <compat::iterator_of_futures It>
auto when_some_n(std::size_t needed, It first, std::size_t count) {
  return weft::when_some_ready(needed, compat::counted(first, count));
}
template <class F, compat::iterator_of_futures It>
auto when_each_n(F&& f, It first, std::size_t count) {
  return weft::when_each(std::forward<F>(f), compat::counted(first, count));
}

}  // namespace hpx
