// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The concept of an executor.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::execution {

namespace detail {
struct any_work {
  void operator()() const noexcept {}
};
}  // namespace detail

/// A type that runs calls. `execute(f)` calls `f()` once, at a time and on a thread of the
/// executor's choice. `num_workers()` returns how many such calls can run at once. `f` can be
/// moved.
///
/// That is enough for all functions below, and for `policy.on(executor)`. An executor that does one
/// of them better has a member of that name with the arguments that follow the executor here.
/// Example: tests/execution/executor_test.cpp: two_members_make_an_executor.
template <class E>
concept executor = std::copy_constructible<std::remove_cvref_t<E>> &&
                   requires(const std::remove_cvref_t<E>& e, detail::any_work work) {
                     { e.num_workers() } -> std::convertible_to<std::size_t>;
                     e.execute(std::move(work));
                   };

}  // namespace weft::execution
