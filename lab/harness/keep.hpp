// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Optimisation barriers: values and memory that the compiler must assume other code reads and
// writes.
#pragma once

#include <type_traits>

namespace weft::lab {

namespace detail {
template <class Value>
inline constexpr bool fits_register =
    std::is_trivially_copyable_v<Value> && sizeof(Value) <= sizeof(void*);
}  // namespace detail

/// Makes the compiler compute `value`, and discard its knowledge of memory.
///
/// A loop whose result is kept cannot be deleted. But if its input does not change, the compiler
/// may compute it once and keep the result many times. It cannot do so if other code can reach the
/// input's memory. Otherwise `keep` the input too: a variable passed as non-const counts as
/// changed.
/// Cost:    at most a move into a register or to the stack.
/// Example: tests/harness/barrier_test.cpp
template <class Value>
inline void keep(const Value& value) noexcept {
  // NOLINTNEXTLINE(bugprone-branch-clone): the operands differ
  if constexpr (detail::fits_register<Value>) {
    asm volatile("" : : "r,m"(value) : "memory");
  } else {
    asm volatile("" : : "m"(value) : "memory");
  }
}

/// As above; in addition the compiler discards its knowledge of the variable's value.
template <class Value>
  requires(!std::is_const_v<Value>)
inline void keep(Value& value) noexcept {
  // NOLINTNEXTLINE(bugprone-branch-clone): the operands differ
  if constexpr (detail::fits_register<Value>) {
    asm volatile("" : "+m,r"(value) : : "memory");
  } else {
    asm volatile("" : "+m"(value) : : "memory");
  }
}

/// Makes the compiler finish all writes to memory that other code can reach, and read that memory
/// again afterwards.
inline void clobber() noexcept { asm volatile("" : : : "memory"); }

}  // namespace weft::lab
