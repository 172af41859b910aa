// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Callables as loops want them: where what they hold cannot change with the elements.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace weft::algorithms::detail {

/// Calls what lies elsewhere.
template <class F>
struct callable_reference {
  F* function;

  template <class... Args>
  [[gnu::always_inline]] decltype(auto) operator()(Args&&... args) const {
    return (*function)(std::forward<Args>(args)...);
  }
};

/// Returns `f` for use in a loop: a copy if `f` is small and constant, else a reference. With a
/// copy the compiler knows that writing elements does not change `f`.
template <class... Args, class F>
[[nodiscard]] constexpr auto held(F& f) {
  constexpr std::size_t small_bytes = 64;
  // what can only be moved may be trivially copyable, too
  if constexpr (std::is_trivially_copyable_v<F> && std::is_copy_constructible_v<F> &&
                sizeof(F) <= small_bytes && std::is_invocable_v<const F&, Args...>) {
    return std::remove_const_t<F>(std::as_const(f));
  } else {
    return callable_reference<F>{std::addressof(f)};
  }
}

}  // namespace weft::algorithms::detail
