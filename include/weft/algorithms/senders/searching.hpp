// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searches, counts and comparisons in chains of senders: `just(arguments...) | algorithm(policy)`.
#pragma once

#include <utility>

#include "weft/algorithms/adjacent_find.hpp"
#include "weft/algorithms/all_of.hpp"
#include "weft/algorithms/contains.hpp"
#include "weft/algorithms/count.hpp"
#include "weft/algorithms/equal.hpp"
#include "weft/algorithms/find.hpp"
#include "weft/algorithms/find_first_of.hpp"
#include "weft/algorithms/find_last.hpp"
#include "weft/algorithms/includes.hpp"
#include "weft/algorithms/is_heap.hpp"
#include "weft/algorithms/is_partitioned.hpp"
#include "weft/algorithms/is_sorted.hpp"
#include "weft/algorithms/lexicographical_compare.hpp"
#include "weft/algorithms/min_max.hpp"
#include "weft/algorithms/mismatch.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/search.hpp"
#include "weft/algorithms/senders/piped.hpp"
#include "weft/algorithms/starts_with.hpp"

namespace weft {

template <execution_policy Policy>
[[nodiscard]] auto adjacent_find(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::adjacent_find(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto all_of(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::all_of(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto any_of(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::any_of(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto contains(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::contains(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto contains_subrange(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::contains_subrange(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto count(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::count(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto count_if(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::count_if(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto ends_with(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::ends_with(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto equal(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::equal(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto find(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::find(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto find_end(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::find_end(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto find_first_of(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::find_first_of(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto find_if(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::find_if(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto find_if_not(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::find_if_not(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto find_last(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::find_last(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto find_last_if(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::find_last_if(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto find_last_if_not(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::find_last_if_not(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto includes(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::includes(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto is_heap(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::is_heap(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto is_heap_until(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::is_heap_until(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto is_partitioned(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::is_partitioned(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto is_sorted(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::is_sorted(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto is_sorted_until(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::is_sorted_until(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto lexicographical_compare(const Policy& policy) {
  return algorithms::piped(
      policy, [](auto&... all) { return weft::lexicographical_compare(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto max_element(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::max_element(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto min_element(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::min_element(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto minmax_element(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::minmax_element(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto mismatch(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::mismatch(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto none_of(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::none_of(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto search(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::search(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto search_n(const Policy& policy) {
  return algorithms::piped(policy, [](auto&... all) { return weft::search_n(std::move(all)...); });
}

template <execution_policy Policy>
[[nodiscard]] auto starts_with(const Policy& policy) {
  return algorithms::piped(policy,
                           [](auto&... all) { return weft::starts_with(std::move(all)...); });
}

}  // namespace weft
