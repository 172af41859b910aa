// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions and scans in chains of senders: `just(arguments...) | algorithm(policy)`.
#pragma once

#include <utility>

#include "weft/algorithms/adjacent_difference.hpp"
#include "weft/algorithms/fold_left.hpp"
#include "weft/algorithms/histogram.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/algorithms/reduce_by_key.hpp"
#include "weft/algorithms/scan.hpp"
#include "weft/algorithms/senders/piped.hpp"
#include "weft/algorithms/transform_reduce.hpp"

namespace weft {

template <execution_policy Policy>
[[nodiscard]] auto adjacent_difference(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::adjacent_difference(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto exclusive_scan(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::exclusive_scan(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto fold_left(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::fold_left(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto histogram(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::histogram(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto inclusive_scan(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::inclusive_scan(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto reduce(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::reduce(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto reduce_by_key(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::reduce_by_key(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto reduce_deterministic(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::reduce_deterministic(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto transform_exclusive_scan(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::transform_exclusive_scan(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto transform_inclusive_scan(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::transform_inclusive_scan(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto transform_reduce(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::transform_reduce(std::move(all)...); });
}

}  // namespace weft
