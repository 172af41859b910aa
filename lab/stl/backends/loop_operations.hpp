// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms hand-written with parallel loops, reductions, searches and scans.
//
// `Loops` has these four, static, over pieces of [0, size):
//   for_pieces(size, body(begin, end));
//   reduce_pieces(size, identity, map(begin, end), combine), in the order of the pieces;
//   first_in_pieces(size, find(begin, end)): the least position found, or the size;
//   scan_pieces(size, identity, sum(begin, end), write(begin, end, carry)): sums two neighbouring
//   pieces' sums with +, and returns that of all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>

#include "lab/stl/backends/pieces.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {

/// The operations that `Functions` has static functions for.
template <class T, class Functions>
// NOLINTNEXTLINE(readability-function-cognitive-complexity): a branch for each row
operations<T> members_offered() {
  operations<T> offered;
// NOLINTNEXTLINE(bugprone-macro-parentheses): a member's name takes none
#define WEFT_STL_OPERATION(type, name, ...)                     \
  if constexpr (requires { offered.name = Functions::name; }) { \
    offered.name = Functions::name;                             \
  }
#include "lab/stl/operations.inc"
  offered.touch = Functions::touch;
  return offered;
}

/// The algorithms for one element type; each is a member of a template, so that all are functions.
template <class T, class Loops>
struct by_loops {
  using in = const T*;

  static std::size_t size_of(in first, in last) { return static_cast<std::size_t>(last - first); }

  template <class Write>
  static void write_each(std::size_t size, const Write& write) {
    Loops::for_pieces(size,
                      [&](std::size_t begin, std::size_t end) { write_piece(begin, end, write); });
  }

  template <class Element>
  static T* put(T* first, T* last, const Element& element) {
    write_each(size_of(first, last), [=](std::size_t i) { first[i] = element(first[i]); });
    return last;
  }

  template <class Element>
  static T* map(in first, in last, T* out, const Element& element) {
    write_each(size_of(first, last), [=](std::size_t i) { out[i] = element(first[i]); });
    return out + (last - first);
  }

  static T* fill(T* first, T* last) {
    return put(first, last, [](T) { return kernels::filler<T>; });
  }
  static T* generate(T* first, T* last) {
    return put(first, last, [](T) { return kernels::generated<T>{}(); });
  }
  static T* value_construct(T* first, T* last) {
    return put(first, last, [](T) { return T{}; });
  }
  static void touch(T* first, T* last) { value_construct(first, last); }
  static T wanted(T element) {
    return element == kernels::unwanted<T> ? kernels::wanted<T> : element;
  }
  static T* replace(T* first, T* last) { return put(first, last, wanted); }

  static T* default_construct(T* first, T* last) {
    Loops::for_pieces(size_of(first, last), [=](std::size_t begin, std::size_t end) {
      kernels::marked<T>* const elements = kernels::as_marked(first);
      std::uninitialized_default_construct(elements + begin, elements + end);
    });
    return last;
  }
  static T* destroy(T* first, T* last) {
    Loops::for_pieces(size_of(first, last), [=](std::size_t begin, std::size_t end) {
      kernels::marked<T>* const elements = kernels::as_marked(first);
      std::destroy(elements + begin, elements + end);
    });
    return last;
  }

  static T* reverse(T* first, T* last) {
    write_each(size_of(first, last) / 2, [=](std::size_t i) {
      const T element = first[i];
      T& mirrored = last[-1 - static_cast<std::ptrdiff_t>(i)];
      first[i] = mirrored;
      mirrored = element;
    });
    return last;
  }
  static T* swap_ranges(T* left, T* left_last, T* right) {
    write_each(size_of(left, left_last), [=](std::size_t i) {
      const T element = left[i];
      left[i] = right[i];
      right[i] = element;
    });
    return right + (left_last - left);
  }

  static T* copy(in first, in last, T* out) {
    return map(first, last, out, [](T element) { return element; });
  }
  static T* replace_copy(in first, in last, T* out) { return map(first, last, out, wanted); }
  static T* transform(in first, in last, T* out) { return map(first, last, out, kernels::scale{}); }
  static T* reverse_copy(in first, in last, T* out) {
    const std::size_t size = size_of(first, last);
    write_each(size, [=](std::size_t i) { out[i] = first[size - 1 - i]; });
    return out + size;
  }
  static T* rotate_copy(in first, in last, T* out) {
    const std::size_t size = size_of(first, last);
    const std::size_t middle = kernels::rotated(size);
    copy(first + middle, last, out);
    return copy(first, first + middle, out + (size - middle));
  }
  static T* adjacent_difference(in first, in last, T* out) {
    *out = *first;
    write_each(size_of(first, last) - 1,
               [=](std::size_t i) { out[i + 1] = first[i + 1] - first[i]; });
    return out + (last - first);
  }

  /// Writes to out[i] `start` plus all terms before term i; the inclusive form adds term i as well.
  template <bool is_inclusive, class Term>
  static T* scan(std::size_t size, T* out, T start, const Term& term) {
    Loops::scan_pieces(
        size,
        T{},
        [&](std::size_t begin, std::size_t end) { return sum_of_piece<T>(begin, end, term); },
        [&](std::size_t begin, std::size_t end, T carry) {
          for (std::size_t i = begin; i < end; ++i) {
            const T next = carry + term(i);
            out[i] = start + (is_inclusive ? next : carry);
            carry = next;
          }
          return carry;
        });
    return out + size;
  }
  static T* inclusive_scan(in first, in last, T* out) {
    return scan<true>(size_of(first, last), out, T{}, [=](std::size_t i) { return first[i]; });
  }
  static T* exclusive_scan(in first, in last, T* out) {
    return scan<false>(
        size_of(first, last), out, kernels::start<T>, [=](std::size_t i) { return first[i]; });
  }
  static T* transform_inclusive_scan(in first, in last, T* out) {
    return scan<true>(size_of(first, last), out, T{}, [=](std::size_t i) { return -first[i]; });
  }
  static T* transform_exclusive_scan(in first, in last, T* out) {
    return scan<false>(
        size_of(first, last), out, kernels::start<T>, [=](std::size_t i) { return -first[i]; });
  }

  /// A scan over counts; its second pass copies the elements that the first pass counted.
  template <class IsChosen, class Place>
  static std::size_t copy_if(std::size_t size, const IsChosen& is_chosen, const Place& place) {
    const auto count = [&](std::size_t begin, std::size_t end) {
      return sum_of_piece<std::size_t>(
          begin, end, [&](std::size_t i) { return static_cast<std::size_t>(is_chosen(i)); });
    };
    return Loops::scan_pieces(
        size, std::size_t{0}, count, [&](std::size_t begin, std::size_t end, std::size_t carry) {
          const std::size_t num_chosen = count(begin, end);
          place(begin, end, carry, num_chosen);
          return carry + num_chosen;
        });
  }
  template <class IsChosen>
  static T* copy_chosen_of(in first, in last, T* out, const IsChosen& is_chosen) {
    return out + copy_if(size_of(first, last),
                         is_chosen,
                         [&](std::size_t begin, std::size_t, std::size_t place, std::size_t count) {
                           copy_chosen(first, begin, count, out + place, is_chosen);
                         });
  }
  static T* copy_if(in first, in last, T* out) {
    return copy_chosen_of(
        first, last, out, [=](std::size_t i) { return kernels::is_selected{}(first[i]); });
  }
  static T* remove_copy_if(in first, in last, T* out) {
    return copy_chosen_of(
        first, last, out, [=](std::size_t i) { return !kernels::is_selected{}(first[i]); });
  }
  static T* remove_copy(in first, in last, T* out) {
    return copy_chosen_of(
        first, last, out, [=](std::size_t i) { return first[i] != kernels::unwanted<T>; });
  }
  static T* unique_copy(in first, in last, T* out) {
    return copy_chosen_of(
        first, last, out, [=](std::size_t i) { return i == 0 || first[i] != first[i - 1]; });
  }
  static two_ends<T> partition_copy(in first, in last, T* selected, T* others) {
    const std::size_t size = size_of(first, last);
    const auto is_chosen = [=](std::size_t i) { return kernels::is_selected{}(first[i]); };
    const auto is_other = [=](std::size_t i) { return !kernels::is_selected{}(first[i]); };
    const std::size_t num_selected = copy_if(
        size,
        is_chosen,
        [&](std::size_t begin, std::size_t end, std::size_t place, std::size_t count) {
          copy_chosen(first, begin, count, selected + place, is_chosen);
          copy_chosen(first, begin, end - begin - count, others + (begin - place), is_other);
        });
    return {selected + num_selected, others + (size - num_selected)};
  }

  template <class IsCounted>
  static answer count(std::size_t size, const IsCounted& is_counted) {
    return {.number = Loops::reduce_pieces(
                size,
                std::size_t{0},
                [&](std::size_t begin, std::size_t end) {
                  return sum_of_piece<std::size_t>(begin, end, [&](std::size_t i) {
                    return static_cast<std::size_t>(is_counted(i));
                  });
                },
                std::plus<>{})};
  }
  static answer count(in first, in last, T value) {
    return count(size_of(first, last), [=](std::size_t i) { return first[i] == value; });
  }
  static answer count_if(in first, in last, T /*value*/) {
    return count(size_of(first, last),
                 [=](std::size_t i) { return kernels::is_selected{}(first[i]); });
  }

  template <class Term>
  static T sum(std::size_t size, const Term& term) {
    return Loops::reduce_pieces(
        size,
        T{},
        [&](std::size_t begin, std::size_t end) { return sum_of_piece<T>(begin, end, term); },
        std::plus<>{});
  }
  static T reduce(in first, in last) {
    return sum(size_of(first, last), [=](std::size_t i) { return first[i]; });
  }
  static T transform_reduce(in first, in last) {
    return sum(size_of(first, last), [=](std::size_t i) { return -first[i]; });
  }

  /// Chooses between two positions, the leftmost first; the size means no position.
  template <class IsBetter>
  static std::size_t best(in first, in last, const IsBetter& is_better) {
    const std::size_t size = size_of(first, last);
    const auto better = [=](std::size_t a, std::size_t b) {
      return b == size || (a != size && !is_better(first[b], first[a])) ? a : b;
    };
    return Loops::reduce_pieces(
        size,
        size,
        [=](std::size_t begin, std::size_t end) {
          std::size_t chosen = begin;
          for (std::size_t i = begin + 1; i < end; ++i) {
            chosen = better(chosen, i);
          }
          return begin < end ? chosen : size;
        },
        better);
  }
  static answer min_element(in first, in last, T /*value*/) {
    return {.number = best(first, last, std::less<>{})};
  }
  static answer max_element(in first, in last, T /*value*/) {
    return {.number = best(first, last, std::greater<>{})};
  }
  static answer minmax_element(in first, in last, T /*value*/) {
    return {.number = best(first, last, std::less<>{}),
            .second = best(first, last, std::greater_equal<>{})};
  }

  template <class Satisfies>
  static answer first(std::size_t size, const Satisfies& satisfies) {
    return {.number = Loops::first_in_pieces(size, [&](std::size_t begin, std::size_t end) {
              return first_in_piece(begin, end, satisfies);
            })};
  }
  template <class Satisfies>
  static answer is_none(std::size_t size, const Satisfies& satisfies) {
    return {.number = first(size, satisfies).number == size ? 1U : 0U};
  }
  static in find(in first_element, in last, T value) {
    return first_element + find_if(first_element, last, value).number;
  }
  static answer find_if(in elements, in last, T value) {
    return first(size_of(elements, last), [=](std::size_t i) { return elements[i] == value; });
  }
  static answer none_of(in elements, in last, T value) {
    return is_none(size_of(elements, last), [=](std::size_t i) { return elements[i] == value; });
  }
  static answer any_of(in elements, in last, T value) {
    return {.number = 1 - none_of(elements, last, value).number};
  }
  static answer adjacent_find(in elements, in last, T /*value*/) {
    const std::size_t size = size_of(elements, last);
    const answer found =
        first(size - 1, [=](std::size_t i) { return elements[i] == elements[i + 1]; });
    return {.number = found.number + 1 < size ? found.number : size};
  }
  static auto is_out_of_order(in elements) {
    return [=](std::size_t i) { return elements[i + 1] < elements[i]; };
  }
  static answer is_sorted(in elements, in last, T /*value*/) {
    return is_none(size_of(elements, last) - 1, is_out_of_order(elements));
  }
  static answer is_sorted_until(in elements, in last, T /*value*/) {
    return {.number = first(size_of(elements, last) - 1, is_out_of_order(elements)).number + 1};
  }
  static auto is_above_parent(in elements) {
    return [=](std::size_t i) { return elements[i / 2] < elements[i + 1]; };
  }
  static answer is_heap(in elements, in last, T /*value*/) {
    return is_none(size_of(elements, last) - 1, is_above_parent(elements));
  }
  static answer is_heap_until(in elements, in last, T /*value*/) {
    return {.number = first(size_of(elements, last) - 1, is_above_parent(elements)).number + 1};
  }
  static answer is_partitioned(in elements, in last, T /*value*/) {
    const auto selected = [=](std::size_t i) { return kernels::is_selected{}(elements[i]); };
    return is_none(size_of(elements, last) - 1,
                   [=](std::size_t i) { return !selected(i) && selected(i + 1); });
  }
  static answer search_n(in elements, in last, T value) {
    const std::size_t size = size_of(elements, last);
    if (size < kernels::num_repetitions) {
      return {.number = size};
    }
    const std::size_t num_places = size - kernels::num_repetitions + 1;
    const answer found = first(num_places, [=](std::size_t i) {
      return std::all_of(
          elements + i, elements + i + kernels::num_repetitions, kernels::equals<T>{value});
    });
    return {.number = found.number < num_places ? found.number : size};
  }

  static std::size_t place_of_mismatch(in left, in left_last, in right, in right_last) {
    const std::size_t size = std::min(size_of(left, left_last), size_of(right, right_last));
    return first(size, [=](std::size_t i) { return left[i] != right[i]; }).number;
  }
  static answer mismatch(in left, in left_last, in right, in right_last) {
    const std::size_t place = place_of_mismatch(left, left_last, right, right_last);
    return {.number = place, .second = place};
  }
  static answer equal(in left, in left_last, in right, in right_last) {
    const std::size_t size = size_of(left, left_last);
    const bool is_equal = size == size_of(right, right_last) &&
                          place_of_mismatch(left, left_last, right, right_last) == size;
    return {.number = is_equal ? 1U : 0U};
  }
  static answer lexicographical_compare(in left, in left_last, in right, in right_last) {
    const std::size_t i = place_of_mismatch(left, left_last, right, right_last);
    const std::size_t left_size = size_of(left, left_last);
    const bool is_less = i < size_of(right, right_last) && (i == left_size || left[i] < right[i]);
    return {.number = is_less ? 1U : 0U};
  }
  static answer find_first_of(in left, in left_last, in right, in right_last) {
    return first(size_of(left, left_last), [=](std::size_t i) {
      return std::find(right, right_last, left[i]) != right_last;
    });
  }
  static answer search(in left, in left_last, in right, in right_last) {
    const std::size_t size = size_of(left, left_last);
    const std::size_t num_places = size - size_of(right, right_last) + 1;
    const answer found =
        first(num_places, [=](std::size_t i) { return std::equal(right, right_last, left + i); });
    return {.number = found.number < num_places ? found.number : size};
  }

  /// Offers every function above that has the name of an operation, some under several names. The
  /// backend provides only `for_each`, `sort` and `merge`.
  static operations<T> offered() {
    operations<T> all = members_offered<T, by_loops>();
    all.destroy_n = destroy;
    all.fill_n = all.uninitialized_fill = all.uninitialized_fill_n = fill;
    all.generate_n = generate;
    all.uninitialized_default_construct = all.uninitialized_default_construct_n = default_construct;
    all.uninitialized_value_construct = all.uninitialized_value_construct_n = value_construct;
    all.replace_if = replace;
    all.copy_n = all.move = copy;
    all.uninitialized_copy = all.uninitialized_copy_n = copy;
    all.uninitialized_move = all.uninitialized_move_n = copy;
    all.replace_copy_if = replace_copy;
    all.find_if_not = find_if;
    all.all_of = none_of;
    return all;
  }
};

}  // namespace weft::lab::stl
