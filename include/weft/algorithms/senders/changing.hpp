// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops, copies and changes in chains of senders: `just(arguments...) | algorithm(policy)`.
#pragma once

#include <utility>

#include "weft/algorithms/copy.hpp"
#include "weft/algorithms/copy_if.hpp"
#include "weft/algorithms/fill.hpp"
#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/for_loop.hpp"
#include "weft/algorithms/generate.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/remove.hpp"
#include "weft/algorithms/replace.hpp"
#include "weft/algorithms/reverse.hpp"
#include "weft/algorithms/rotate.hpp"
#include "weft/algorithms/senders/piped.hpp"
#include "weft/algorithms/shift.hpp"
#include "weft/algorithms/swap_ranges.hpp"
#include "weft/algorithms/transform.hpp"
#include "weft/algorithms/unique.hpp"

namespace weft {

template <execution_policy Policy>
[[nodiscard]] auto copy(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::copy(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto copy_if(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::copy_if(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto copy_n(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::copy_n(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto fill(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::fill(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto fill_n(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::fill_n(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto for_each(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::for_each(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto for_each_n(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::for_each_n(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto for_loop(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::for_loop(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto for_loop_strided(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::for_loop_strided(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto generate(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::generate(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto generate_n(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::generate_n(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto move(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::move(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto remove(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::remove(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto remove_copy(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::remove_copy(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto remove_copy_if(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::remove_copy_if(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto remove_if(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::remove_if(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto replace(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::replace(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto replace_copy(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::replace_copy(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto replace_copy_if(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::replace_copy_if(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto replace_if(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::replace_if(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto reverse(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::reverse(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto reverse_copy(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::reverse_copy(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto rotate(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::rotate(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto rotate_copy(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::rotate_copy(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto shift_left(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::shift_left(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto shift_right(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::shift_right(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto swap_ranges(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::swap_ranges(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto transform(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::transform(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto unique(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::unique(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto unique_copy(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::unique_copy(std::move(all)...); });
}

}  // namespace weft
