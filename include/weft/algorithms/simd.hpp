// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With `simd` and `par_simd`, passes packs of elements (std::experimental::simd) to callables.
#pragma once

#if defined(__NVCC__) && defined(__CUDACC__)  // not where nvcc gives a .cpp source to g++
#error \
    "weft/algorithms/simd.hpp: nvcc rejects <experimental/simd>; include this header in .cpp sources"
#endif

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include <experimental/simd>

#include "weft/algorithms/all_of.hpp"  // IWYU pragma: export
#include "weft/algorithms/count.hpp"   // IWYU pragma: export
#include "weft/algorithms/detail/calls/launch.hpp"
#include "weft/algorithms/detail/calls/pack_policy.hpp"
#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/find.hpp"      // IWYU pragma: export
#include "weft/algorithms/for_each.hpp"  // IWYU pragma: export
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/reduce.hpp"            // IWYU pragma: export
#include "weft/algorithms/transform.hpp"         // IWYU pragma: export
#include "weft/algorithms/transform_reduce.hpp"  // IWYU pragma: export

// Parameters are those of the standard's algorithms.
// NOLINTBEGIN(readability-function-size)

namespace weft {

namespace algorithms::detail {

/// As many elements as the widest registers of the target hold.
template <class T>
using wide_pack = std::experimental::native_simd<T>;
/// One element, for what is left at the end of a chunk.
template <class T>
using single_pack = std::experimental::simd<T, std::experimental::simd_abi::scalar>;

/// A pack of `T` with as many elements as `Pack`.
template <class T, class Pack>
using other_pack = std::experimental::rebind_simd_t<T, Pack>;

inline constexpr std::experimental::element_aligned_tag as_elements{};

template <class It>
concept pack_iterator =
    std::contiguous_iterator<It> && std::is_arithmetic_v<std::iter_value_t<It>> &&
    !std::same_as<std::iter_value_t<It>, bool> && !std::same_as<std::iter_value_t<It>, long double>;

template <class F, class... Its>
concept takes_packs = std::invocable<F&, wide_pack<std::iter_value_t<Its>>&...> &&
                      std::invocable<F&, single_pack<std::iter_value_t<Its>>&...>;

template <class F, class A, class B>
concept takes_pack_pairs =
    std::invocable<F&,
                   const wide_pack<std::iter_value_t<A>>&,
                   const other_pack<std::iter_value_t<B>, wide_pack<std::iter_value_t<A>>>&>;

/// `f(i, pack)` with a pack of elements i, i + 1 ... of `from`, over [first, last).
template <class T, class F>
[[gnu::always_inline]] inline void over_packs(const T* from,
                                              std::size_t first,
                                              std::size_t last,
                                              F&& f) {
  for (; last - first >= wide_pack<T>::size(); first += wide_pack<T>::size()) {
    f(first, wide_pack<T>(from + first, as_elements));
  }
  for (; first != last; ++first) {
    f(first, single_pack<T>(from + first, as_elements));
  }
}

template <class It>
loop_shape shape_of_packs(It first, It last) {
  return {.n = static_cast<std::size_t>(last - first),
          .bytes_per_element = sizeof(std::iter_value_t<It>)};
}

struct pack_for_each_call {
  template <class How, class It, class F>
  static void run(const How& how, It first, It last, F&& f) {
    static constinit cost_record costs;
    auto* const data = std::to_address(first);
    for_chunks(
        how, shape_of_packs(first, last), costs, [data, &f](std::size_t begin, std::size_t end) {
          over_packs(data, begin, end, [data, &f](std::size_t i, auto pack) {
            f(pack);
            // A callable that accepts a temporary takes a copy, or only reads.
            if constexpr (!std::invocable<decltype(f), decltype(pack)>) {
              pack.copy_to(data + i, as_elements);
            }
          });
        });
  }
};

struct pack_transform_call {
  template <class How, class It, class Out, class F>
  static Out run(const How& how, It first, It last, Out out, F&& f) {
    static constinit cost_record costs;
    auto* const to = std::to_address(out);
    for_chunks(how,
               shape_of_packs(first, last),
               costs,
               [from = std::to_address(first), to, &f](std::size_t begin, std::size_t end) {
                 over_packs(from, begin, end, [to, &f](std::size_t i, auto pack) {
                   f(pack).copy_to(to + i, as_elements);
                 });
               });
    return out + (last - first);
  }
};

struct pack_transform_two_call {
  template <class How, class A, class B, class Out, class F>
  static Out run(const How& how, A first, A last, B second, Out out, F&& f) {
    static constinit cost_record costs;
    auto* const to = std::to_address(out);
    for_chunks(how,
               shape_of_packs(first, last),
               costs,
               [a = std::to_address(first), b = std::to_address(second), to, &f](std::size_t begin,
                                                                                 std::size_t end) {
                 over_packs(a, begin, end, [b, to, &f](std::size_t i, auto pack) {
                   const other_pack<std::iter_value_t<B>, decltype(pack)> other(b + i, as_elements);
                   f(pack, other).copy_to(to + i, as_elements);
                 });
               });
    return out + (last - first);
  }
};

/// One value of packs of mapped elements, or nothing yet.
template <class T, class Op>
class pack_sum {
 public:
  explicit pack_sum(Op& op) : op_(op) {}

  void add(const wide_pack<T>& pack) {
    wide_ = has_wide_ ? wide_pack<T>(op_(wide_, pack)) : pack;
    has_wide_ = true;
  }
  void add(const single_pack<T>& pack) {
    single_ = has_single_ ? single_pack<T>(op_(single_, pack)) : pack;
    has_single_ = true;
  }
  /// Of at least one pack.
  [[nodiscard]] T total() {
    if (has_wide_) {
      for (std::size_t i = 0; i < wide_pack<T>::size(); ++i) {
        add(single_pack<T>(static_cast<T>(wide_[i])));
      }
    }
    return static_cast<T>(single_[0]);
  }

 private:
  Op& op_;
  wide_pack<T> wide_{};
  single_pack<T> single_{};
  bool has_wide_ = false;
  bool has_single_ = false;
};

struct pack_reduce_call {
  template <class How, class It, class T, class Op, class F>
  static T run(const How& how, It first, It last, T init, Op&& op, F&& f) {
    const auto combine = [&op](T a, T b) {
      return static_cast<T>(single_pack<T>(op(single_pack<T>(a), single_pack<T>(b)))[0]);
    };
    if (first == last) {
      return init;
    }
    static constinit cost_record costs;
    return combine(
        init,
        reduce_chunks<T>(
            how,
            shape_of_packs(first, last),
            costs,
            [from = std::to_address(first), &op, &f](std::size_t begin, std::size_t end) {
              pack_sum<T, std::remove_reference_t<Op>> sum(op);
              over_packs(
                  from, begin, end, [&sum, &f](std::size_t i, auto pack) { sum.add(f(i, pack)); });
              return sum.total();
            },
            combine));
  }
};

struct pack_transform_reduce_call {
  template <class How, class It, class T, class Op, class F>
  static T run(const How& how, It first, It last, T init, Op&& op, F&& f) {
    return pack_reduce_call::run(
        how, first, last, init, op, [&f](std::size_t /*i*/, auto pack) { return f(pack); });
  }
};

struct pack_transform_reduce_two_call {
  template <class How, class A, class B, class T, class Op, class F>
  static T run(const How& how, A first, A last, B second, T init, Op&& op, F&& f) {
    return pack_reduce_call::run(
        how, first, last, init, op, [b = std::to_address(second), &f](std::size_t i, auto pack) {
          const other_pack<std::iter_value_t<B>, decltype(pack)> other(b + i, as_elements);
          return f(pack, other);
        });
  }
};

struct pack_count_if_call {
  template <class How, class It, class Pred>
  static std::iter_difference_t<It> run(const How& how, It first, It last, Pred&& pred) {
    if (first == last) {
      return 0;
    }
    static constinit cost_record costs;
    return reduce_chunks<std::iter_difference_t<It>>(
        how,
        shape_of_packs(first, last),
        costs,
        [from = std::to_address(first), &pred](std::size_t begin, std::size_t end) {
          std::iter_difference_t<It> count = 0;
          over_packs(from, begin, end, [&count, &pred](std::size_t /*i*/, auto pack) {
            count += std::experimental::popcount(pred(pack));
          });
          return count;
        },
        std::plus<>());
  }
};

struct pack_find_if_call {
  template <class How, class It, class Pred>
  static It run(const How& how, It first, It last, Pred&& pred) {
    using value = std::iter_value_t<It>;
    static constinit cost_record costs;
    const auto scan = [from = std::to_address(first), &pred](std::size_t begin, std::size_t end) {
      for (; end - begin >= wide_pack<value>::size(); begin += wide_pack<value>::size()) {
        const auto hits = pred(wide_pack<value>(from + begin, as_elements));
        if (std::experimental::any_of(hits)) {
          return begin + static_cast<std::size_t>(std::experimental::find_first_set(hits));
        }
      }
      while (begin != end &&
             !std::experimental::any_of(pred(single_pack<value>(from + begin, as_elements)))) {
        ++begin;
      }
      return begin;
    };
    return first + static_cast<std::iter_difference_t<It>>(
                       find_chunk(how, shape_of_packs(first, last), costs, scan));
  }
};

/// Whether a predicate is true for an element (`expected`), or for none.
template <bool expected>
struct pack_any_of_call {
  template <class How, class It, class Pred>
  static bool run(const How& how, It first, It last, Pred&& pred) {
    return (pack_find_if_call::run(how, first, last, pred) != last) == expected;
  }
};

template <class Pred>
struct mask_negation {
  Pred pred;
  auto operator()(const auto& pack) { return !pred(pack); }
};

}  // namespace algorithms::detail

/// As `for_each`, with `f(pack)`: packs of as many elements as a register holds, and of one at the
/// end. What `f` writes to a pack that it takes as `auto&` goes back to the elements.
///
/// This header applies to `simd` and `par_simd`, contiguous ranges of numbers, and callables that
/// take packs; other callables get numbers, as without it. Predicates return masks. The width is
/// the target's: compile with -march for wide packs.
/// Example: tests/algorithms/simd_test.cpp: packs_are_written_back.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator It,
          algorithms::detail::takes_packs<It> F>
auto for_each(Policy&& policy, It first, It last, F f) -> algorithm_result_t<Policy, void> {
  return algorithms::detail::launch<algorithms::detail::pack_for_each_call>(
      policy, first, last, std::move(f));
}

/// As `transform`, with `f(pack)`, which returns a pack of as many elements.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator It,
          algorithms::detail::pack_iterator Out,
          algorithms::detail::takes_packs<It> F>
auto transform(Policy&& policy, It first, It last, Out out, F f)
    -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::pack_transform_call>(
      policy, first, last, out, std::move(f));
}

/// As `transform` of two ranges, with `f(pack, other_pack)`.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator A,
          algorithms::detail::pack_iterator B,
          algorithms::detail::pack_iterator Out,
          algorithms::detail::takes_pack_pairs<A, B> F>
auto transform(Policy&& policy, A first, A last, B second, Out out, F f)
    -> algorithm_result_t<Policy, Out> {
  return algorithms::detail::launch<algorithms::detail::pack_transform_two_call>(
      policy, first, last, second, out, std::move(f));
}

/// As `reduce`, with `op(pack, pack)`, in an unspecified order.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator It,
          std::same_as<std::iter_value_t<It>> T,
          algorithms::detail::takes_pack_pairs<It, It> Op>
auto reduce(Policy&& policy, It first, It last, T init, Op op) -> algorithm_result_t<Policy, T> {
  return algorithms::detail::launch<algorithms::detail::pack_transform_reduce_call>(
      policy, first, last, init, std::move(op), std::identity());
}

/// As `transform_reduce`, with `op(pack, pack)` and `f(pack)`.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator It,
          std::same_as<std::iter_value_t<It>> T,
          algorithms::detail::takes_pack_pairs<It, It> Op,
          algorithms::detail::takes_packs<It> F>
auto transform_reduce(Policy&& policy, It first, It last, T init, Op op, F f)
    -> algorithm_result_t<Policy, T> {
  return algorithms::detail::launch<algorithms::detail::pack_transform_reduce_call>(
      policy, first, last, init, std::move(op), std::move(f));
}

/// As `transform_reduce` of two ranges, with `op(pack, pack)` and `f(pack, other_pack)`.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator A,
          algorithms::detail::pack_iterator B,
          std::same_as<std::iter_value_t<A>> T,
          algorithms::detail::takes_pack_pairs<A, A> Op,
          algorithms::detail::takes_pack_pairs<A, B> F>
auto transform_reduce(Policy&& policy, A first, A last, B second, T init, Op op, F f)
    -> algorithm_result_t<Policy, T> {
  return algorithms::detail::launch<algorithms::detail::pack_transform_reduce_two_call>(
      policy, first, last, second, init, std::move(op), std::move(f));
}

/// As `count_if`, with `pred(pack)`, which returns a mask.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator It,
          algorithms::detail::takes_packs<It> Pred>
auto count_if(Policy&& policy, It first, It last, Pred pred)
    -> algorithm_result_t<Policy, std::iter_difference_t<It>> {
  return algorithms::detail::launch<algorithms::detail::pack_count_if_call>(
      policy, first, last, std::move(pred));
}

/// As `find_if`, with `pred(pack)`, which returns a mask.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator It,
          algorithms::detail::takes_packs<It> Pred>
auto find_if(Policy&& policy, It first, It last, Pred pred) -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::pack_find_if_call>(
      policy, first, last, std::move(pred));
}

/// As `find_if_not`, with `pred(pack)`, which returns a mask.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator It,
          algorithms::detail::takes_packs<It> Pred>
auto find_if_not(Policy&& policy, It first, It last, Pred pred) -> algorithm_result_t<Policy, It> {
  return algorithms::detail::launch<algorithms::detail::pack_find_if_call>(
      policy, first, last, algorithms::detail::mask_negation<Pred>{std::move(pred)});
}

/// As `any_of`, with `pred(pack)`, which returns a mask.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator It,
          algorithms::detail::takes_packs<It> Pred>
auto any_of(Policy&& policy, It first, It last, Pred pred) -> algorithm_result_t<Policy, bool> {
  return algorithms::detail::launch<algorithms::detail::pack_any_of_call<true>>(
      policy, first, last, std::move(pred));
}

/// As `none_of`, with `pred(pack)`, which returns a mask.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator It,
          algorithms::detail::takes_packs<It> Pred>
auto none_of(Policy&& policy, It first, It last, Pred pred) -> algorithm_result_t<Policy, bool> {
  return algorithms::detail::launch<algorithms::detail::pack_any_of_call<false>>(
      policy, first, last, std::move(pred));
}

/// As `all_of`, with `pred(pack)`, which returns a mask.
template <algorithms::detail::pack_policy Policy,
          algorithms::detail::pack_iterator It,
          algorithms::detail::takes_packs<It> Pred>
auto all_of(Policy&& policy, It first, It last, Pred pred) -> algorithm_result_t<Policy, bool> {
  return algorithms::detail::launch<algorithms::detail::pack_any_of_call<false>>(
      policy, first, last, algorithms::detail::mask_negation<Pred>{std::move(pred)});
}

}  // namespace weft

// NOLINTEND(readability-function-size)
