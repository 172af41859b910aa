// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The standard's parallel algorithms as members of a backend that is a library with these names.
//
// Inside its class a backend expands WEFT_BENCH_ALGORITHMS(WEFT_BENCH_MEMBER). Before that it
// defines the namespace or class `library`, which holds the algorithms, and the macro WEFT_BENCH_POLICY:
// what stands before the first argument of each call, comma included, or nothing.
#pragma once

#include <algorithm>  // IWYU pragma: export
#include <concepts>
#include <memory>   // IWYU pragma: export
#include <numeric>  // IWYU pragma: export
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>  // IWYU pragma: export

#include "lab/harness/experiment.hpp"

#define WEFT_BENCH_ALGORITHMS(use)                                                                \
  use(adjacent_difference) use(adjacent_find) use(all_of) use(any_of) use(copy) use(copy_if) use( \
      copy_n) use(count) use(count_if) use(equal) use(exclusive_scan) use(fill) use(fill_n)       \
      use(find) use(find_end) use(find_first_of) use(find_if) use(find_if_not) use(for_each)      \
          use(for_each_n) use(generate) use(generate_n) use(includes) use(inclusive_scan) use(    \
              inplace_merge) use(is_heap) use(is_heap_until) use(is_partitioned) use(is_sorted)   \
              use(is_sorted_until) use(lexicographical_compare) use(max_element) use(merge)       \
                  use(min_element) use(minmax_element) use(mismatch) use(move) use(none_of)       \
                      use(nth_element) use(partial_sort) use(partial_sort_copy) use(partition)    \
                          use(partition_copy) use(reduce) use(remove) use(remove_copy)            \
                              use(remove_copy_if) use(remove_if) use(replace) use(replace_copy)   \
                                  use(replace_copy_if) use(replace_if) use(reverse)               \
                                      use(reverse_copy) use(rotate) use(rotate_copy) use(search)  \
                                          use(search_n) use(set_difference) use(set_intersection) \
                                              use(set_symmetric_difference) use(set_union)        \
                                                  use(shift_left) use(shift_right) use(sort)      \
                                                      use(stable_partition) use(stable_sort)      \
                                                          use(swap_ranges) use(transform)         \
                                                              use(transform_exclusive_scan)       \
                                                                  use(transform_inclusive_scan)   \
                                                                      use(transform_reduce)       \
                                                                          use(unique)             \
                                                                              use(unique_copy)

// A macro, because a call has to stand twice: to ask whether it exists, and to make it. The
// sequential call is never made: it gives the member its type where the library lacks the
// algorithm.
#define WEFT_BENCH_MEMBER(algorithm)                                                          \
  template <class First, class... Rest>                                                       \
    requires(!std::integral<std::remove_cvref_t<First>>) /* that is a loop */                 \
  decltype(auto) algorithm(First&& first, Rest&&... rest) const {                             \
    if constexpr (requires {                                                                  \
                    library::algorithm(WEFT_BENCH_POLICY first, std::forward<Rest>(rest)...); \
                  }) {                                                                        \
      return library::algorithm(WEFT_BENCH_POLICY first, std::forward<Rest>(rest)...);        \
    } else {                                                                                  \
      lacks(name, #algorithm);                                                                \
      return std::algorithm(first, std::forward<Rest>(rest)...);                              \
    }                                                                                         \
  }

// Names that nobody can call, for libraries that lack some of them: what a library declares itself
// hides these.
#define WEFT_BENCH_NOT_THERE(algorithm) void algorithm(nobody);
#define WEFT_BENCH_NO_MEMBER(algorithm) static void algorithm(nobody);

namespace weft::bench {

/// Ends the cell as skipped: the kernel calls what the backend has not.
[[noreturn]] inline void lacks(std::string_view backend, std::string_view what) {
  throw lab::cannot_run({.code = "not_offered",
                         .message = std::string(backend) + " has no " + std::string(what),
                         .remedy = "nothing to do: the other backends are measured"});
}

namespace no_algorithms {
struct nobody;
WEFT_BENCH_ALGORITHMS(WEFT_BENCH_NOT_THERE)
}  // namespace no_algorithms

/// The same for a library that is a class.
struct no_members {
  struct nobody;
  WEFT_BENCH_ALGORITHMS(WEFT_BENCH_NO_MEMBER)
};

}  // namespace weft::bench
