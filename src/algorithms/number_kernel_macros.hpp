// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Macros for all kernels over contiguous numbers. One part defines the kernels for one instruction
// set, from that set's templates. The other part defines the functions that choose among the sets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "weft/algorithms/detail/kernels/number_kernels.hpp"

// The list of kernels is written once. Each kernel gets a name of its own, because Highway
// dispatches by names.
#define WEFT_EQUALITY_NUMBERS(make)                                        \
  make(std::uint8_t, u8) make(std::uint16_t, u16) make(std::uint32_t, u32) \
      make(std::uint64_t, u64) make(float, f32) make(double, f64)
#define WEFT_ORDER_NUMBERS(make)                                           \
  make(std::int32_t, i32) make(std::uint32_t, u32) make(std::int64_t, i64) \
      make(std::uint64_t, u64) make(float, f32) make(double, f64)
#define WEFT_SUM_NUMBERS(make) \
  make(std::uint32_t, u32) make(std::uint64_t, u64) make(float, f32) make(double, f64)
#define WEFT_DOT_NUMBERS(make) make(float, f32) make(double, f64)

// Defines `find_equal_u8` and so on, where `first_that`, `joined` and the other templates are
// visible.
#define WEFT_DEFINE_EQUALITY(number, name)                                                      \
  std::size_t find_equal_##name(const number* data, std::size_t n, number value) {              \
    return first_that<number>(n, equal_to_value<number>{data, value});                          \
  }                                                                                             \
  std::size_t behind_last_equal_##name(const number* data, std::size_t n, number value) {       \
    return behind_last_that<number>(n, equal_to_value<number>{data, value});                    \
  }                                                                                             \
  std::size_t behind_last_ends_##name(                                                          \
      const number* data, std::size_t n, std::size_t size, number front, number back) {         \
    return behind_last_that<number>(n, ends_equal<number>{data, data + size - 1, front, back}); \
  }                                                                                             \
  std::size_t count_equal_##name(const number* data, std::size_t n, number value) {             \
    return how_many_equal<number>(data, n, value);                                              \
  }                                                                                             \
  std::size_t find_pair_equal_##name(const number* a, const number* b, std::size_t n) {         \
    return first_that<number>(n, pair_equal<number>{a, b});                                     \
  }                                                                                             \
  std::size_t find_pair_different_##name(const number* a, const number* b, std::size_t n) {     \
    return first_that<number>(n, pair_different<number>{a, b});                                 \
  }                                                                                             \
  std::size_t find_ends_##name(                                                                 \
      const number* data, std::size_t n, std::size_t size, number front, number back) {         \
    return first_that<number>(n, ends_equal<number>{data, data + size - 1, front, back});       \
  }
#define WEFT_DEFINE_ORDER(number, name)                                                \
  std::size_t find_pair_less_##name(const number* a, const number* b, std::size_t n) { \
    return first_that<number>(n, pair_less<number>{a, b});                             \
  }                                                                                    \
  number least_##name(const number* data, std::size_t n) {                             \
    return joined<number>(data, n, data[0], lesser{});                                 \
  }                                                                                    \
  number greatest_##name(const number* data, std::size_t n) {                          \
    return joined<number>(data, n, data[0], greater{});                                \
  }
#define WEFT_DEFINE_SUM(number, name)                              \
  number sum_##name(const number* data, std::size_t n) {           \
    return joined<number>(data, n, nothing_to_add<number>, add{}); \
  }
#define WEFT_DEFINE_DOT(number, name)                                  \
  number dot_##name(const number* a, const number* b, std::size_t n) { \
    return dot_product<number>(a, b, n);                               \
  }

/// Defines all kernels.
#define WEFT_DEFINE_KERNELS()                 \
  WEFT_EQUALITY_NUMBERS(WEFT_DEFINE_EQUALITY) \
  WEFT_ORDER_NUMBERS(WEFT_DEFINE_ORDER)       \
  WEFT_SUM_NUMBERS(WEFT_DEFINE_SUM)           \
  WEFT_DOT_NUMBERS(WEFT_DEFINE_DOT)

// Defines the functions that algorithms call. WEFT_KNOWN_KERNEL(name); prepares a choice and
// WEFT_CHOSEN_KERNEL(name) makes it.
#define WEFT_CHOOSE_EQUALITY(number, name)                                              \
  WEFT_KNOWN_KERNEL(find_equal_##name);                                                 \
  WEFT_KNOWN_KERNEL(behind_last_equal_##name);                                          \
  WEFT_KNOWN_KERNEL(behind_last_ends_##name);                                           \
  std::size_t behind_last_equal(const number* data, std::size_t n, number value) {      \
    return WEFT_CHOSEN_KERNEL(behind_last_equal_##name)(data, n, value);                \
  }                                                                                     \
  std::size_t behind_last_ends(                                                         \
      const number* data, std::size_t n, std::size_t size, number front, number back) { \
    return WEFT_CHOSEN_KERNEL(behind_last_ends_##name)(data, n, size, front, back);     \
  }                                                                                     \
  WEFT_KNOWN_KERNEL(count_equal_##name);                                                \
  WEFT_KNOWN_KERNEL(find_pair_equal_##name);                                            \
  WEFT_KNOWN_KERNEL(find_pair_different_##name);                                        \
  std::size_t find_equal(const number* data, std::size_t n, number value) {             \
    return WEFT_CHOSEN_KERNEL(find_equal_##name)(data, n, value);                       \
  }                                                                                     \
  std::size_t count_equal(const number* data, std::size_t n, number value) {            \
    return WEFT_CHOSEN_KERNEL(count_equal_##name)(data, n, value);                      \
  }                                                                                     \
  std::size_t find_pair_equal(const number* a, const number* b, std::size_t n) {        \
    return WEFT_CHOSEN_KERNEL(find_pair_equal_##name)(a, b, n);                         \
  }                                                                                     \
  std::size_t find_pair_different(const number* a, const number* b, std::size_t n) {    \
    return WEFT_CHOSEN_KERNEL(find_pair_different_##name)(a, b, n);                     \
  }                                                                                     \
  WEFT_KNOWN_KERNEL(find_ends_##name);                                                  \
  std::size_t find_ends(                                                                \
      const number* data, std::size_t n, std::size_t size, number front, number back) { \
    return WEFT_CHOSEN_KERNEL(find_ends_##name)(data, n, size, front, back);            \
  }
#define WEFT_CHOOSE_ORDER(number, name)                                         \
  WEFT_KNOWN_KERNEL(find_pair_less_##name);                                     \
  WEFT_KNOWN_KERNEL(least_##name);                                              \
  WEFT_KNOWN_KERNEL(greatest_##name);                                           \
  std::size_t find_pair_less(const number* a, const number* b, std::size_t n) { \
    return WEFT_CHOSEN_KERNEL(find_pair_less_##name)(a, b, n);                  \
  }                                                                             \
  number least(const number* data, std::size_t n) {                             \
    return WEFT_CHOSEN_KERNEL(least_##name)(data, n);                           \
  }                                                                             \
  number greatest(const number* data, std::size_t n) {                          \
    return WEFT_CHOSEN_KERNEL(greatest_##name)(data, n);                        \
  }
#define WEFT_CHOOSE_SUM(number, name) \
  WEFT_KNOWN_KERNEL(sum_##name);      \
  number sum(const number* data, std::size_t n) { return WEFT_CHOSEN_KERNEL(sum_##name)(data, n); }
#define WEFT_CHOOSE_DOT(number, name)                           \
  WEFT_KNOWN_KERNEL(dot_##name);                                \
  number dot(const number* a, const number* b, std::size_t n) { \
    return WEFT_CHOSEN_KERNEL(dot_##name)(a, b, n);             \
  }

/// Defines all choosing functions.
#define WEFT_CHOOSE_KERNELS()                 \
  WEFT_EQUALITY_NUMBERS(WEFT_CHOOSE_EQUALITY) \
  WEFT_ORDER_NUMBERS(WEFT_CHOOSE_ORDER)       \
  WEFT_SUM_NUMBERS(WEFT_CHOOSE_SUM)           \
  WEFT_DOT_NUMBERS(WEFT_CHOOSE_DOT)
