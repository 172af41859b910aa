// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an executor is.
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

/// Something that calls what it is given: `execute(f)` has `f()` called once, by whom and when it
/// likes, and `num_workers()` says how many such calls it can run at once. `f` can be moved.
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
