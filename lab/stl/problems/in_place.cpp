// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems that write, change or reorder one array.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/expected_elements.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/problem.hpp"
#include "lab/stl/row.hpp"

namespace weft::lab::stl {
namespace in_place_problem {

/// `has_fresh_input`: every call gets its own input, since the output of the previous call would be
/// less work.
template <class T>
struct in_place_row : row<T, typename operations<T>::in_place> {
  filling<T> fill = nullptr;
  /// Names the expected elements in order.
  void (*oracle)(std::span<const T> input, output_check<T>& check) = nullptr;
  bool has_fresh_input = true;
};

template <class T>
class in_place_experiment final : public experiment {
 public:
  static const std::vector<in_place_row<T>>& rows();
  static double array_bytes(double size) {
    return 2 * size * sizeof(T) + batch_input_bytes<T>(size);
  }

  in_place_experiment(const setup<T>& given, const in_place_row<T>& of)
      : row_(of),
        size_(given.what.size),
        input_(given.input(size_)),
        copies_(given.output(size_ * (of.has_fresh_input ? num_inputs<T>(size_) : 1))),
        call_(given.offered.*of.needs),
        seed_(given.what.seed) {
    row_.fill(input_.elements(), seed_);
    std::copy(input_.begin(), input_.end(), copy(0));
  }

  verdict verify() override {
    copies_.poison_elements();
    std::copy(input_.begin(), input_.end(), copy(0));
    const T* const returned_end = call_(copy(0), copy(1));
    output_check<T> check(copies_);
    row_.oracle(input_.elements(), check);
    return {check.mismatch(returned_end)};
  }

  void prepare(std::size_t count) override {
    for (std::size_t i = 0; row_.has_fresh_input && i < count; ++i) {
      std::copy(input_.begin(), input_.end(), copy(i));
      if (may_be_learnt(size_)) {
        row_.fill(input_.elements(), ++seed_);
      }
    }
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = row_.has_fresh_input ? i : 0;
      keep(call_(copy(place), copy(place + 1)));
    }
  }

  [[nodiscard]] std::size_t max_calls() const override {
    return row_.has_fresh_input ? num_copies() : std::size_t{1} << 30U;
  }

  [[nodiscard]] std::size_t bytes_min() const override {
    return static_cast<std::size_t>(row_.traffic * static_cast<double>(size_ * sizeof(T)));
  }

 private:
  [[nodiscard]] std::size_t num_copies() const { return copies_.size() / size_; }
  [[nodiscard]] T* copy(std::size_t i) const { return copies_.begin() + i * size_; }

  const in_place_row<T>& row_;
  std::size_t size_;
  guarded_array<T> input_;
  guarded_array<T> copies_;
  typename operations<T>::in_place call_;
  std::uint64_t seed_;
};

template <class T>
void counting(std::span<T> elements, std::uint64_t /*seed*/) {
  fill_counting(elements);
}

/// Two halves, each ascending.
template <class T>
void ascending_halves(std::span<T> elements, std::uint64_t seed) {
  const std::size_t half = kernels::left_half(elements.size());
  fill_ascending(elements.first(half), seed);
  fill_ascending(elements.subspan(half), ~seed);
}

template <class T>
void expect_each(std::size_t count, T value, output_check<T>& check) {
  for (std::size_t i = 0; i < count; ++i) {
    check.expect(value);
  }
}

/// Expects the elements that `keeps` accepts, in order; returns how many others there are.
template <class T, class Keeps>
std::size_t expect_kept(std::span<const T> input, output_check<T>& check, Keeps keeps) {
  std::size_t num_others = 0;
  for (std::size_t i = 0; i < input.size(); ++i) {
    if (keeps(i)) {
      check.expect(input[i]);
    } else {
      ++num_others;
    }
  }
  return num_others;
}

/// As above; the algorithm must also return their end. The elements after it are unspecified.
template <class T, class Keeps>
void expect_only_kept(std::span<const T> input, output_check<T>& check, Keeps keeps) {
  const std::size_t num_others = expect_kept(input, check, keeps);
  check.expect_end_here();
  check.allow_anything(num_others);
}

template <class T>
std::vector<T> sorted(std::span<const T> input) {
  std::vector<T> elements(input.begin(), input.end());
  std::sort(elements.begin(), elements.end());
  return elements;
}

template <class T>
void fills_with(T value, std::span<const T> input, output_check<T>& check) {
  expect_each(input.size(), value, check);
}

template <class T>
void is_filled(std::span<const T> input, output_check<T>& check) {
  fills_with(kernels::filler<T>, input, check);
}
template <class T>
void is_generated(std::span<const T> input, output_check<T>& check) {
  fills_with(kernels::generated<T>{}(), input, check);
}
template <class T>
void is_constructed(std::span<const T> input, output_check<T>& check) {
  fills_with(kernels::marked<T>::constructed, input, check);
}
template <class T>
void is_destroyed(std::span<const T> input, output_check<T>& check) {
  fills_with(kernels::marked<T>::destroyed, input, check);
}
template <class T>
void is_zero(std::span<const T> input, output_check<T>& check) {
  fills_with(T{}, input, check);
}

template <class T>
void is_rotated(std::span<const T> input, output_check<T>& check) {
  const std::size_t middle = kernels::rotated(input.size());
  expect_all(input.subspan(middle), check);
  check.expect_end_here();
  expect_all(input.first(middle), check);
}

template <class T>
void is_shifted_left(std::span<const T> input, output_check<T>& check) {
  const std::size_t count = kernels::shifted(input.size());
  expect_all(input.subspan(count), check);
  check.expect_end_here();
  check.allow_anything(count);
}

template <class T>
void is_shifted_right(std::span<const T> input, output_check<T>& check) {
  const std::size_t count = kernels::shifted(input.size());
  check.allow_anything(count);
  check.expect_end_here();
  expect_all(input.first(input.size() - count), check);
}

template <class T>
void is_without_unwanted(std::span<const T> input, output_check<T>& check) {
  expect_only_kept(input, check, [&](std::size_t i) { return input[i] != kernels::unwanted<T>; });
}

template <class T>
void is_without_selected(std::span<const T> input, output_check<T>& check) {
  expect_only_kept(input, check, [&](std::size_t i) { return !(input[i] < T{}); });
}

template <class T>
void is_without_repetitions(std::span<const T> input, output_check<T>& check) {
  expect_only_kept(input, check, [&](std::size_t i) { return i == 0 || input[i] != input[i - 1]; });
}

template <class T>
void is_partitioned(std::span<const T> input, output_check<T>& check) {
  std::vector<T> selected;
  std::vector<T> others;
  for (const T element : input) {
    (element < T{} ? selected : others).push_back(element);
  }
  check.expect_in_any_order(selected);
  check.expect_end_here();
  check.expect_in_any_order(others);
}

template <class T>
void is_partitioned_in_order(std::span<const T> input, output_check<T>& check) {
  expect_kept(input, check, [&](std::size_t i) { return input[i] < T{}; });
  check.expect_end_here();
  expect_kept(input, check, [&](std::size_t i) { return !(input[i] < T{}); });
}

template <class T>
void is_sorted(std::span<const T> input, output_check<T>& check) {
  expect_all(std::span<const T>(sorted(input)), check);
}

/// In place: the smallest elements in order, then the others in any order.
template <class T>
void is_partially_sorted(std::span<const T> input, output_check<T>& check) {
  const std::vector<T> expected = sorted(input);
  const std::size_t count = kernels::num_smallest(input.size());
  expect_all(std::span<const T>(expected).first(count), check);
  check.expect_in_any_order(
      {expected.begin() + static_cast<std::ptrdiff_t>(count), expected.end()});
}

template <class T>
void has_selected_rank(std::span<const T> input, output_check<T>& check) {
  const std::vector<T> expected = sorted(input);
  const auto middle =
      expected.begin() + static_cast<std::ptrdiff_t>(kernels::selected_rank(input.size()));
  check.expect_in_any_order({expected.begin(), middle});
  check.expect(*middle);
  check.expect_in_any_order({middle + 1, expected.end()});
}

/// The fraction of cache lines with at least one replaced element, if every eighth element is
/// replaced.
template <class T>
constexpr double replaced_lines() {
  double untouched = 1.0;
  for (std::size_t i = 0; i < 64 / sizeof(T); ++i) {
    untouched *= 7.0 / 8.0;
  }
  return 1.0 - untouched;
}

template <class T>
std::vector<in_place_row<T>> written_rows() {
  using of = operations<T>;
  constexpr auto any = counting<T>;
  return {
      {{"destroy", &of::destroy}, any, is_destroyed, false},
      {{"destroy_n", &of::destroy_n}, any, is_destroyed, false},
      {{"fill", &of::fill}, any, is_filled, false},
      {{"fill_n", &of::fill_n}, any, is_filled, false},
      {{"generate", &of::generate}, any, is_generated, false},
      {{"generate_n", &of::generate_n}, any, is_generated, false},
      {{"uninitialized_default_construct", &of::uninitialized_default_construct},
       any,
       is_constructed,
       false},
      {{"uninitialized_default_construct_n", &of::uninitialized_default_construct_n},
       any,
       is_constructed,
       false},
      {{"uninitialized_fill", &of::uninitialized_fill}, any, is_filled, false},
      {{"uninitialized_fill_n", &of::uninitialized_fill_n}, any, is_filled, false},
      {{"uninitialized_value_construct", &of::uninitialized_value_construct}, any, is_zero, false},
      {{"uninitialized_value_construct_n", &of::uninitialized_value_construct_n},
       any,
       is_zero,
       false},
  };
}

template <class T>
std::vector<in_place_row<T>> moved_rows() {
  using of = operations<T>;
  constexpr auto sort = &scratch_factors::sort;
  constexpr auto copy_if = &scratch_factors::copy_if;
  constexpr double replaced = 1.0 + replaced_lines<T>();
  return {
      {{"inplace_merge", &of::inplace_merge, 3.0, sort}, ascending_halves, is_sorted},
      {{"nth_element", &of::nth_element, 2.5, sort}, fill_shuffled, has_selected_rank},
      {{"partial_sort", &of::partial_sort, 2.5, sort}, fill_shuffled, is_partially_sorted},
      {{"partition", &of::partition, 2.0, copy_if}, fill_signed_counting, is_partitioned},
      {{"remove", &of::remove, 1.875, copy_if}, fill_exact_summands, is_without_unwanted},
      {{"remove_if", &of::remove_if, 1.5, copy_if}, fill_signed_counting, is_without_selected},
      {{"replace", &of::replace, replaced}, fill_exact_summands, is_replaced},
      {{"replace_if", &of::replace_if, replaced}, fill_exact_summands, is_replaced},
      {{"reverse", &of::reverse, 2.0}, counting, is_reversed, false},
      {{"rotate", &of::rotate, 2.0, copy_if}, counting, is_rotated, false},
      {{"shift_left", &of::shift_left, 1.5, copy_if}, counting, is_shifted_left, false},
      {{"shift_right", &of::shift_right, 1.5, copy_if}, counting, is_shifted_right, false},
      {{"stable_partition", &of::stable_partition, 3.0, sort},
       fill_signed_counting,
       is_partitioned_in_order},
      {{"stable_sort", &of::stable_sort, 2.0, sort}, fill_shuffled, is_sorted},
      {{"unique", &of::unique, 1.5, copy_if}, fill_ascending, is_without_repetitions},
  };
}

template <class T>
const std::vector<in_place_row<T>>& in_place_experiment<T>::rows() {
  static const std::vector<in_place_row<T>> all = [] {
    std::vector<in_place_row<T>> rows = written_rows<T>();
    const std::vector<in_place_row<T>> others = moved_rows<T>();
    rows.insert(rows.end(), others.begin(), others.end());
    return rows;
  }();
  return all;
}

const row_registration<in_place_experiment> rows;

}  // namespace in_place_problem
}  // namespace weft::lab::stl
