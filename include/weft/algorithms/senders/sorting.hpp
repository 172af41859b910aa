// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting, partitions, merges and sets in chains of senders: `just(arguments...) |
// algorithm(policy)`.
#pragma once

#include <utility>

#include "weft/algorithms/inplace_merge.hpp"
#include "weft/algorithms/merge.hpp"
#include "weft/algorithms/nth_element.hpp"
#include "weft/algorithms/partial_sort.hpp"
#include "weft/algorithms/partition.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/senders/piped.hpp"
#include "weft/algorithms/set_operations.hpp"
#include "weft/algorithms/sort.hpp"
#include "weft/algorithms/sort_by_key.hpp"
#include "weft/algorithms/stable_sort.hpp"

namespace weft {

template <execution_policy Policy>
[[nodiscard]] auto inplace_merge(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::inplace_merge(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto merge(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::merge(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto nth_element(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::nth_element(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto partial_sort(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::partial_sort(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto partial_sort_copy(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::partial_sort_copy(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto partition(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::partition(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto partition_copy(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::partition_copy(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto set_difference(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::set_difference(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto set_intersection(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::set_intersection(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto set_symmetric_difference(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::set_symmetric_difference(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto set_union(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::set_union(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto sort(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::sort(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto sort_by_key(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::sort_by_key(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto stable_partition(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::stable_partition(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto stable_sort(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::stable_sort(std::move(all)...); });
}

}  // namespace weft
