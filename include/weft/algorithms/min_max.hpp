// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first least, the first greatest, and the last greatest element.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "weft/algorithms/detail/calls/callables.hpp"
#include "weft/algorithms/detail/calls/index.hpp"
#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/loops/blocks.hpp"
#include "weft/algorithms/detail/loops/walk.hpp"
#include "weft/algorithms/detail/loops/walked_loops.hpp"
#include "weft/algorithms/detail/loops/wide.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"

namespace weft {

namespace algorithms::detail {

/// Elements of which the extreme is looked for first, its place only in the best block.
inline constexpr std::size_t extreme_block = 1024;
/// Candidates that are compared independently of each other.
inline constexpr std::size_t extreme_lanes = 16;

struct looks_for_least {
  static constexpr bool takes_last = false;
  /// Whether `a` is to be taken rather than `b`, which stands before it.
  template <class Element, class Compare>
  [[nodiscard]] static bool is_better(const Element& a, const Element& b, Compare& less) {
    return static_cast<bool>(less(a, b));
  }
  template <class Number>
  [[nodiscard]] static Number extreme(const Number* data, std::size_t n) {
    return kernels::least(data, n);
  }
};

struct looks_for_greatest {
  static constexpr bool takes_last = false;
  template <class Element, class Compare>
  [[nodiscard]] static bool is_better(const Element& a, const Element& b, Compare& less) {
    return static_cast<bool>(less(b, a));
  }
  template <class Number>
  [[nodiscard]] static Number extreme(const Number* data, std::size_t n) {
    return kernels::greatest(data, n);
  }
};

struct looks_for_last_greatest : looks_for_greatest {
  static constexpr bool takes_last = true;
  template <class Element, class Compare>
  [[nodiscard]] static bool is_better(const Element& a, const Element& b, Compare& less) {
    return !static_cast<bool>(less(a, b));
  }
};

/// One of the best of n numbers, n at least `extreme_lanes`; which of equivalent ones is open.
template <class Aim, class Number, class Compare>
[[nodiscard]] Number extreme_of(const Number* data, std::size_t n, Compare& less) {
  if constexpr (kernels::ordered<Number> && kernels::is_less<Compare, Number>) {
    return static_cast<Number>(
        Aim::extreme(kernels::data_of<kernels::order_number<Number>>(data), n));
  } else {
    std::array<Number, extreme_lanes> best;
    std::copy_n(data, extreme_lanes, best.begin());
    run_vectorized([data, n, &best, &less] {
      std::array<Number, extreme_lanes> lanes = best;
      for (std::size_t i = extreme_lanes; n - i >= extreme_lanes; i += extreme_lanes) {
        for (std::size_t lane = 0; lane < extreme_lanes; ++lane) {
          const Number next = data[i + lane];
          lanes[lane] = Aim::is_better(next, lanes[lane], less) ? next : lanes[lane];
        }
      }
      best = lanes;
    });
    for (std::size_t i = n - n % extreme_lanes; i < n; ++i) {
      best[0] = Aim::is_better(data[i], best[0], less) ? data[i] : best[0];
    }
    for (const Number next : best) {
      best[0] = Aim::is_better(next, best[0], less) ? next : best[0];
    }
    return best[0];
  }
}

/// The place in a block of what is equivalent to its extreme: the first, or the last one.
template <class Aim, class Number, class Compare>
[[nodiscard]] std::size_t place_in_block(const Number* data,
                                         std::size_t n,
                                         Number value,
                                         Compare& less) {
  if constexpr (kernels::ordered<Number> && kernels::is_less<Compare, Number>) {
    using number = kernels::equality_number<Number>;
    const auto* const numbers = kernels::data_of<number>(data);
    const auto wanted = static_cast<number>(value);
    const std::size_t behind = Aim::takes_last ? kernels::behind_last_equal(numbers, n, wanted)
                                               : kernels::find_equal(numbers, n, wanted) + 1;
    return behind - 1 < n ? behind - 1 : 0;  // not a number, which has no order
  }
  const auto is_it = [data, value, &less](std::size_t i) {
    return !static_cast<bool>(less(data[i], value)) && !static_cast<bool>(less(value, data[i]));
  };
  if constexpr (Aim::takes_last) {
    std::size_t end = n;
    while (end > test_block && num_in_block<Number>(end - test_block, is_it) == 0) {
      end -= test_block;
    }
    while (end > 1 && !is_it(end - 1)) {
      --end;
    }
    return end - 1;
  } else {
    const std::size_t i = first_in_blocks<Number>(0, n, is_it);
    return i == n ? 0 : i;  // n: not a number, which has no order
  }
}

/// The index of the best of [begin, end) contiguous numbers: the best block first, then the place
/// in it.
template <class Aim, class Number, class Compare>
[[nodiscard]] std::size_t best_number(const Number* data,
                                      std::size_t begin,
                                      std::size_t end,
                                      Compare& less) {
  std::size_t best_begin = begin;
  std::size_t best_size = end - begin < 2 * extreme_block ? end - begin : extreme_block;
  Number best = extreme_of<Aim>(data + begin, best_size, less);
  for (std::size_t at = begin + best_size; at != end;) {
    const std::size_t size = end - at < 2 * extreme_block ? end - at : extreme_block;
    const Number value = extreme_of<Aim>(data + at, size, less);
    if (Aim::is_better(value, best, less)) {
      best = value;
      best_begin = at;
      best_size = size;
    }
    at += size;
  }
  return best_begin + place_in_block<Aim>(data + best_begin, best_size, best, less);
}

/// The index of the best of [begin, end).
template <class Aim, class It, class Compare>
[[nodiscard]] std::size_t best_of(It first, std::size_t begin, std::size_t end, Compare& less) {
  if constexpr (is_tested_in_blocks<It>) {
    if (end - begin >= 2 * extreme_lanes) {
      return best_number<Aim>(std::to_address(first), begin, end, less);
    }
  }
  It best = iterator_at(first, begin);
  const It stop = iterator_at(first, end);
  for (It it = std::next(best); it != stop; ++it) {
    if (Aim::is_better(*it, *best, less)) {
      best = it;
    }
  }
  return size_between(first, best);
}

/// The better of two places, `a` before `b`.
template <class Aim, class It, class Compare>
[[nodiscard]] std::size_t better_of(It first, std::size_t a, std::size_t b, Compare& less) {
  return Aim::is_better(element_at(first, b), element_at(first, a), less) ? b : a;
}

template <class Aim>
struct extreme_element_call {
  template <class How, class It, class Compare>
  [[gnu::always_inline]] static It run(const How& how, It first, It last, Compare&& less) {
    if constexpr (is_shared<How, It>) {
      static constinit cost_record costs;
      if (first == last) {
        return last;
      }
      return iterator_at(first,
                         reduce_chunks<std::size_t>(
                             how,
                             {.n = size_between(first, last), .bytes_per_element = bytes_of<It>},
                             costs,
                             [first, &less](std::size_t begin, std::size_t end) {
                               return best_of<Aim>(first, begin, end, less);
                             },
                             [first, &less](std::size_t a, std::size_t b) {
                               return better_of<Aim>(first, a, b, less);
                             }));
    } else if constexpr (is_walked<How, It>) {
      if (first == last) {
        return last;
      }
      const auto better = [&less](const It& a, const It& b) -> It {
        return Aim::is_better(*b, *a, less) ? b : a;
      };
      return reduce_walk(
          how, detail::walk(std::next(first), last), first, better, [](const It& it) {
            return it;
          });
    } else if constexpr (std::is_same_v<Aim, looks_for_least>) {
      return std::min_element(first, last, reference_to<Compare>{less});
    } else {
      return std::max_element(first, last, reference_to<Compare>{less});
    }
  }
};

using min_element_call = extreme_element_call<looks_for_least>;
using max_element_call = extreme_element_call<looks_for_greatest>;

/// Up to this size both extremes are found faster together, and comparisons are so cheap that no
/// worker need help.
template <class It, class Compare>
[[nodiscard]] consteval std::size_t too_few_for_lanes() {
  if constexpr (kernels::has_order_kernels<It>) {
    using number = std::iter_value_t<It>;
    return kernels::is_less<Compare, number> || kernels::is_greater<Compare, number>
               ? 2 * extreme_lanes
               : 0;
  } else {
    return 0;
  }
}

struct minmax_element_call {
  using places = std::pair<std::size_t, std::size_t>;

  template <class How, class It, class Compare>
  [[gnu::always_inline]] static std::pair<It, It> run(const How& how,
                                                      It first,
                                                      It last,
                                                      Compare&& less) {
    if constexpr (is_shared<How, It>) {
      static constinit cost_record costs;
      const std::size_t n = size_between(first, last);
      if (n < too_few_for_lanes<It, std::remove_cvref_t<Compare>>()) {
        return std::minmax_element(first, last, reference_to<Compare>{less});
      }
      if (n == 0) {
        return {last, last};
      }
      const places best = reduce_chunks<places>(
          how,
          {.n = n, .bytes_per_element = bytes_of<It>},
          costs,
          [first, &less](std::size_t begin, std::size_t end) {
            return best_places(first, begin, end, less);
          },
          [first, &less](const places& a, const places& b) {
            return places(better_of<looks_for_least>(first, a.first, b.first, less),
                          better_of<looks_for_last_greatest>(first, a.second, b.second, less));
          });
      return {iterator_at(first, best.first), iterator_at(first, best.second)};
    } else if constexpr (is_walked<How, It>) {
      using pair = std::pair<It, It>;
      if (first == last) {
        return {last, last};
      }
      const auto better = [&less](const pair& a, const pair& b) -> pair {
        return {
            looks_for_least::is_better(*b.first, *a.first, less) ? b.first : a.first,
            looks_for_last_greatest::is_better(*b.second, *a.second, less) ? b.second : a.second};
      };
      return reduce_walk(
          how, detail::walk(std::next(first), last), pair(first, first), better, [](const It& it) {
            return pair(it, it);
          });
    } else {
      return std::minmax_element(first, last, reference_to<Compare>{less});
    }
  }

 private:
  /// Both by blocks: the second look at a block finds it in the cache.
  template <class It, class Compare>
  [[nodiscard]] static places best_places(It first,
                                          std::size_t begin,
                                          std::size_t end,
                                          Compare& less) {
    if (!is_tested_in_blocks<It> || end - begin < 2 * extreme_lanes) {
      const auto [least, greatest] = std::minmax_element(
          iterator_at(first, begin), iterator_at(first, end), reference_to<Compare>{less});
      return {size_between(first, least), size_between(first, greatest)};
    }
    std::size_t to = std::min(end, begin + 4 * extreme_block);
    places best(best_of<looks_for_least>(first, begin, to, less),
                best_of<looks_for_last_greatest>(first, begin, to, less));
    while (to != end) {
      const std::size_t from = to;
      to = std::min(end, from + 4 * extreme_block);
      best.first = better_of<looks_for_least>(
          first, best.first, best_of<looks_for_least>(first, from, to, less), less);
      best.second = better_of<looks_for_last_greatest>(
          first, best.second, best_of<looks_for_last_greatest>(first, from, to, less), less);
    }
    return best;
  }
};

}  // namespace algorithms::detail

/// Finds the first of the least elements of [first, last) by `less`; `last` if there is none.
///
/// Cost:    n - 1 comparisons; for contiguous numbers, which are compared in vectors, up to 4096
///          more per chunk to find the position of its best. Each element is read once; allocates a
///          number per chunk only if other workers help.
/// Threads: with a parallel policy elements are compared by several at once.
/// Errors:  the first exception that a comparison throws.
/// Example: tests/algorithms/reduce_test.cpp: of_equal_elements_the_standards_choice_is_found.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> min_element(Policy&& policy,
                                                                         It first,
                                                                         It last,
                                                                         Compare less) {
  return algorithms::detail::launch<algorithms::detail::min_element_call>(
      policy, first, last, algorithms::detail::comparing_constants<It>(std::move(less)));
}

/// Finds the first of the least elements by `<`.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> min_element(Policy&& policy,
                                                                         It first,
                                                                         It last) {
  return weft::min_element(policy, first, last, std::less<>{});
}

/// Finds the first of the greatest elements by `less`; `last` if there is none. See `min_element`.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> max_element(Policy&& policy,
                                                                         It first,
                                                                         It last,
                                                                         Compare less) {
  return algorithms::detail::launch<algorithms::detail::max_element_call>(
      policy, first, last, algorithms::detail::comparing_constants<It>(std::move(less)));
}

/// Finds the first of the greatest elements by `<`.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, It> max_element(Policy&& policy,
                                                                         It first,
                                                                         It last) {
  return weft::max_element(policy, first, last, std::less<>{});
}

/// Finds the first of the least and the last of the greatest elements. See `min_element`.
///
/// Cost:    1.5 n comparisons; 2 n with forward iterators. For contiguous numbers 2 n, and up to 3
///          n more to find the positions of the results.
template <execution_policy Policy,
          algorithms::detail::multipass_iterator It,
          algorithms::detail::predicate_on<It, It> Compare>
[[gnu::always_inline]] inline algorithm_result_t<Policy, std::pair<It, It>> minmax_element(
    Policy&& policy, It first, It last, Compare less) {
  return algorithms::detail::launch<algorithms::detail::minmax_element_call>(
      policy, first, last, algorithms::detail::comparing_constants<It>(std::move(less)));
}

/// Finds the first of the least and the last of the greatest elements by `<`.
template <execution_policy Policy, algorithms::detail::multipass_iterator It>
  requires algorithms::detail::predicate_on<std::less<>, It, It>
[[gnu::always_inline]] inline algorithm_result_t<Policy, std::pair<It, It>> minmax_element(
    Policy&& policy, It first, It last) {
  return weft::minmax_element(policy, first, last, std::less<>{});
}

}  // namespace weft
