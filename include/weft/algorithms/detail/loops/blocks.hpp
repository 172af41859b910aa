// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of contiguous numbers by callables, in blocks of fixed length that compilers vectorise.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

#include "weft/algorithms/detail/loops/wide.hpp"
#include "weft/algorithms/detail/memory/next_page.hpp"

namespace weft::algorithms::detail {

/// The number of positions that are tested between two branches. The first `test_block` positions
/// are tested one by one. So a search makes at most about twice as many calls as necessary.
inline constexpr std::size_t test_block = 32;

/// Iterators whose elements may be tested in blocks, at a hit a few more than have to be.
template <class It>
inline constexpr bool is_tested_in_blocks = false;
template <std::contiguous_iterator It>
inline constexpr bool is_tested_in_blocks<It> =
    std::is_arithmetic_v<std::iter_value_t<It>> &&
    !std::is_volatile_v<std::remove_reference_t<std::iter_reference_t<It>>>;

/// A counter as wide as an element: then the lanes of both have one width.
template <std::size_t bytes>
struct lane_counter : std::type_identity<std::int64_t> {};
template <>
struct lane_counter<4> : std::type_identity<std::int32_t> {};
template <>
struct lane_counter<2> : std::type_identity<std::int16_t> {};
template <>
struct lane_counter<1> : std::type_identity<std::int8_t> {};

/// How many positions of the block from `first` on pass.
template <class Element, class Test>
[[gnu::always_inline]] inline std::size_t num_in_block(std::size_t first, const Test& test) {
  using counter = typename lane_counter<sizeof(Element)>::type;
  counter hits = 0;
  WEFT_INDEPENDENT_ITERATIONS
  for (std::size_t i = 0; i < test_block; ++i) {
    hits = static_cast<counter>(hits + (static_cast<bool>(test(first + i)) ? 1 : 0));
  }
  return static_cast<std::size_t>(hits);
}

/// Fetches nothing: what is tested may lie anywhere.
struct no_fetch {
  void operator()(std::size_t /*i*/) const noexcept {}
};

/// As `first_in_blocks`, where many positions are left.
template <class Element, class Test, class Fetch>
[[nodiscard, gnu::noinline]] std::size_t first_in_many_blocks(std::size_t begin,
                                                              std::size_t end,
                                                              const Test& test,
                                                              const Fetch& fetch) {
  run_vectorized([&begin, end, &test, &fetch] {
    constexpr std::size_t run = read_page_bytes / sizeof(Element) / test_block * test_block;
    std::size_t at = begin;
    std::size_t end_of_run = begin;
    while (at == end_of_run && end - at >= test_block) {
      if (end - at > page_ahead<Element>) {
        fetch(at);
      }
      end_of_run += std::min(run, (end - at) / test_block * test_block);
      while (at != end_of_run && num_in_block<Element>(at, test) == 0) {
        at += test_block;
      }
    }
    begin = at;
  });
  while (begin != end && !static_cast<bool>(test(begin))) {
    ++begin;
  }
  return begin;
}

/// The first position of [begin, end) that passes, or `end`, in a search that is `begin` positions
/// long already. `fetch(i)`, where there is a page of elements behind position i and more, may ask
/// for what is tested then.
template <class Element, class Test, class Fetch = no_fetch>
[[nodiscard, gnu::always_inline]] inline std::size_t first_in_blocks(std::size_t begin,
                                                                     std::size_t end,
                                                                     const Test& test,
                                                                     const Fetch& fetch = {}) {
  const std::size_t head = std::min(end, std::max(begin, test_block));
  while (begin != head && !static_cast<bool>(test(begin))) {
    ++begin;
  }
  return begin != head || begin == end ? begin
                                       : first_in_many_blocks<Element>(begin, end, test, fetch);
}

/// How many positions of [begin, end) pass.
template <class Element, class Test>
[[nodiscard]] std::size_t num_in_blocks(std::size_t begin, std::size_t end, const Test& test) {
  std::size_t count = 0;
  if (end - begin >= 2 * test_block) {
    run_vectorized([&begin, end, &test, &count] {
      std::size_t at = begin;
      std::size_t sum = 0;
      for (; end - at >= test_block; at += test_block) {
        sum += num_in_block<Element>(at, test);
      }
      begin = at;
      count = sum;
    });
  }
  for (; begin != end; ++begin) {
    count += static_cast<bool>(test(begin)) ? 1U : 0U;
  }
  return count;
}

}  // namespace weft::algorithms::detail
