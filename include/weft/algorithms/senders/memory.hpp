// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects in raw memory in chains of senders: `just(arguments...) | algorithm(policy)`.
#pragma once

#include <utility>

#include "weft/algorithms/destroy.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/senders/piped.hpp"
#include "weft/algorithms/uninitialized.hpp"

namespace weft {

template <execution_policy Policy>
[[nodiscard]] auto destroy(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::destroy(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto destroy_n(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::destroy_n(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto uninitialized_copy(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::uninitialized_copy(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto uninitialized_copy_n(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::uninitialized_copy_n(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto uninitialized_default_construct(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) {
    return weft::uninitialized_default_construct(std::move(all)...);
  });
}

template <execution_policy Policy>
[[nodiscard]] auto uninitialized_default_construct_n(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) {
    return weft::uninitialized_default_construct_n(std::move(all)...);
  });
}

template <execution_policy Policy>
[[nodiscard]] auto uninitialized_fill(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::uninitialized_fill(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto uninitialized_fill_n(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::uninitialized_fill_n(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto uninitialized_move(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::uninitialized_move(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto uninitialized_move_n(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::uninitialized_move_n(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto uninitialized_value_construct(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::uninitialized_value_construct(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto uninitialized_value_construct_n(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) {
    return weft::uninitialized_value_construct_n(std::move(all)...);
  });
}

}  // namespace weft
