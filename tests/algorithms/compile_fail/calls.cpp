// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of algorithms that do not compile, which concept the compiler names, and right ones beside.
#include <functional>
#include <iterator>  // IWYU pragma: keep: for what does not compile
#include <list>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

#include "weft/algorithms/find.hpp"
#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/for_loop.hpp"
#include "weft/algorithms/inplace_merge.hpp"  // IWYU pragma: keep
#include "weft/algorithms/nth_element.hpp"    // IWYU pragma: keep
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/partial_sort.hpp"  // IWYU pragma: keep
#include "weft/algorithms/partition.hpp"     // IWYU pragma: keep
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/ranges/copy.hpp"
#include "weft/algorithms/ranges/sort.hpp"
#include "weft/algorithms/reduce.hpp"
#include "weft/algorithms/remove.hpp"  // IWYU pragma: keep
#include "weft/algorithms/scan.hpp"
#include "weft/algorithms/shift.hpp"
#include "weft/algorithms/sort.hpp"
#include "weft/algorithms/sort_by_key.hpp"  // IWYU pragma: keep
#include "weft/algorithms/stable_sort.hpp"  // IWYU pragma: keep
#include "weft/algorithms/transform_reduce.hpp"
#include "weft/algorithms/unique.hpp"  // IWYU pragma: keep
#include "weft/tasks/runtime.hpp"

using numbers = std::vector<int>;
using pointers = std::vector<std::unique_ptr<int>>;

void call_on(numbers& all,
             std::list<int>& list,
             pointers& owned,
             const pointers& constants,
             weft::runtime& home) {
#if defined(MISTAKES)
  weft::for_each(1, all.begin(), all.end(), [](int /*x*/) {});  // expect: policy_traits
  static_cast<void>(weft::par.with(100));                       // expect: policy_property
  static_cast<void>(weft::par.on(100));                         // expect: algorithm_executor
  const std::istream_iterator<int> input;
  weft::for_each(weft::par, input, input, [](int /*x*/) {});  // expect: multipass_iterator
  weft::sort(weft::par, list.begin(), list.end());            // expect: random_access_iterator
  const numbers fixed = all;
  weft::sort(weft::par, fixed.begin(), fixed.end());                         // expect: moves_within
  weft::stable_sort(weft::par, fixed.begin(), fixed.end());                  // expect: moves_within
  weft::nth_element(weft::par, fixed.begin(), fixed.begin(), fixed.end());   // expect: moves_within
  weft::partial_sort(weft::par, fixed.begin(), fixed.begin(), fixed.end());  // expect: moves_within
  weft::inplace_merge(
      weft::par, fixed.begin(), fixed.begin(), fixed.end());                // expect: moves_within
  weft::sort_by_key(weft::par, all.begin(), all.end(), fixed.begin());      // expect: moves_within
  weft::partition(weft::par, fixed.begin(), fixed.end(), std::identity());  // expect: moves_within
  weft::stable_partition(
      weft::par, fixed.begin(), fixed.end(), std::identity());  // expect: moves_within
  static_cast<void>(
      weft::remove(weft::par, fixed.begin(), fixed.end(), 1));  // expect: moves_within
  static_cast<void>(weft::remove_if(
      weft::par, fixed.begin(), fixed.end(), std::identity()));            // expect: moves_within
  static_cast<void>(weft::unique(weft::par, fixed.begin(), fixed.end()));  // expect: moves_within
  weft::shift_left(weft::par, constants.begin(), constants.end(), 1);      // expect: moves_within
  const auto names = all | std::views::transform([](int x) { return std::to_string(x); });
  weft::shift_left(weft::par, names.begin(), names.end(), 1);  // expect: moves_within
  weft::for_loop(weft::par, 0.5, 1.5, [](double /*x*/) {});    // expect: loop_counter
  weft::ranges::sort(weft::par, constants, std::less<>());     // expect: allowed_by
  weft::ranges::copy(weft::par, constants, pointers(1));       // expect: allowed_by
#else
  const auto policy = weft::par.with(weft::static_chunk_size{100}).on(home);
  weft::for_each(policy, list.begin(), list.end(), [](int& x) { ++x; });
  weft::sort(policy, all.begin(), all.end());
  weft::shift_left(policy, owned.begin(), owned.end(), 1);
  const auto same = all | std::views::transform([](int& x) -> int& { return x; });
  weft::shift_left(policy, same.begin(), same.end(), 1);
  weft::for_loop(policy, 0, 2, [](int /*i*/) {});
  weft::ranges::sort(policy, owned, std::less<>());
  weft::ranges::copy(policy, all, numbers(all.size()));
  static_cast<void>(constants);
#endif
}

void call_with(numbers& all, const std::vector<std::string>& words) {
  const auto first = all.begin();
  const auto last = all.end();
  const auto by_length = [](const std::string& a, const std::string& b) {
    return a.size() < b.size();
  };
#if defined(MISTAKES)
  weft::for_each(weft::par, first, last, [](const std::string& /*x*/) {});  // expect: callable_for
  static_cast<void>(
      weft::find_if(weft::par, first, last, [](int /*x*/) {}));  // expect: predicate_for
  weft::sort(weft::par, first, last, by_length);                 // expect: predicate_on
  static_cast<void>(
      weft::reduce(weft::par, first, last, std::string(), by_length));  // expect: operation_for
  weft::inclusive_scan(weft::par, first, last, first, by_length);       // expect: sums
  static_cast<void>(weft::find_if(
      weft::par, words.begin(), words.end(), &std::string::empty));  // expect: predicate_for
  static_cast<void>(weft::reduce(
      weft::par, first, last, 0, [](int /*a*/, int /*b*/) {}));  // expect: operation_for
  static_cast<void>(weft::transform_reduce(
      weft::par, first, last, 0, by_length, std::negate<>()));  // expect: operation_on_results_for
  static_cast<void>(weft::find(weft::par, first, last, std::string("1")));  // expect: value_for
#else
  std::vector<std::string> sorted = words;
  weft::sort(weft::par, sorted.begin(), sorted.end(), by_length);
  const auto is_empty = [](const std::string& x) { return x.empty(); };
  static_cast<void>(weft::find_if(weft::par, words.begin(), words.end(), is_empty));
  static_cast<void>(weft::find(weft::par, words.begin(), words.end(), std::string("1")));
  static_cast<void>(weft::reduce(weft::par, first, last, 0, std::plus<>()));
  static_cast<void>(
      weft::transform_reduce(weft::par, first, last, 0, std::plus<>(), std::negate<>()));
  weft::inclusive_scan(weft::par, first, last, first, std::plus<>());
#endif
}
