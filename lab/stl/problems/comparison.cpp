// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries about two arrays, both of which must be read to their end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/planted.hpp"
#include "lab/stl/problem.hpp"
#include "lab/stl/row.hpp"

namespace weft::lab::stl {
namespace comparison_problem {

template <class T>
struct comparison_row : row<T, typename operations<T>::query_of_two> {
  /// Units: elements, of a left array of `size`.
  std::size_t (*right_size)(std::size_t size) = nullptr;
  void (*fill)(std::span<T> left, std::span<T> right, std::uint64_t seed) = nullptr;
  /// The definition, as a loop.
  answer (*oracle)(std::span<const T> left, std::span<const T> right) = nullptr;
  /// Changes at most `max_planted` elements of the left array from i on, so that the answer changes
  /// unless another place decides it. `is_later`: another planted place precedes this one.
  void (*plant)(std::span<T> left,
                std::span<const T> right,
                std::size_t i,
                bool is_later) = nullptr;
};

template <class T>
class comparison_experiment final : public repeatable_experiment<T> {
 public:
  static const std::vector<comparison_row<T>>& rows();
  static double array_bytes(double size) { return 2 * size * sizeof(T); }

  comparison_experiment(const setup<T>& given, const comparison_row<T>& of)
      : row_(of),
        left_(given.input(given.what.size)),
        right_(given.input(of.right_size(given.what.size))),
        call_(given.offered.*of.needs) {
    row_.fill(left_.elements(), right_.elements(), given.what.seed);
  }

  verdict verify() override {
    std::string mismatch = mismatch_when("as it is");
    for (const auto& [i, later] : planted_places(left_.size())) {
      if (mismatch.empty()) {
        mismatch = mismatch_with_planted(i, later);
      }
    }
    return {mismatch};
  }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_(left_.begin(), left_.end(), right_.begin(), right_.end()));
    }
  }

  [[nodiscard]] std::size_t bytes_min() const override {
    return (left_.size() + right_.size()) * sizeof(T);
  }

 private:
  [[nodiscard]] std::string mismatch_with_planted(std::size_t i, std::size_t later) const {
    const planted<T> second(left_.elements(), later);
    const planted<T> first(left_.elements(), i);
    if (later != i) {
      row_.plant(left_.elements(), right_.elements(), later, true);
    }
    row_.plant(left_.elements(), right_.elements(), i, false);
    return mismatch_when("changed at " + text_of(i) + " and " + text_of(later));
  }

  [[nodiscard]] std::string mismatch_when(const std::string& left_is) const {
    const answer given = call_(left_.begin(), left_.end(), right_.begin(), right_.end());
    const std::string mismatch =
        mismatch_of(given, row_.oracle(left_.elements(), right_.elements()));
    return mismatch.empty() ? "" : mismatch + ", with the left input " + left_is;
  }

  const comparison_row<T>& row_;
  guarded_array<T> left_;
  guarded_array<T> right_;
  typename operations<T>::query_of_two call_;
};

std::size_t same_size(std::size_t size) { return size; }
std::size_t half_size(std::size_t size) { return (size + 1) / 2; }
std::size_t few(std::size_t size) { return std::min(size, max_planted); }

template <class T>
void equal_ranges(std::span<T> left, std::span<T> right, std::uint64_t /*seed*/) {
  fill_counting(left);
  fill_counting(right);
}

/// 1, 2, ..., n, and every second of these numbers.
template <class T>
void included_ranges(std::span<T> left, std::span<T> right, std::uint64_t /*seed*/) {
  fill_counting(left);
  for (std::size_t i = 0; i < right.size(); ++i) {
    right[i] = left[2 * i];
  }
}

/// Exact summands, and a pattern whose last element is not one of them. The pattern without that
/// element is at both ends.
template <class T>
void text_and_pattern(std::span<T> left, std::span<T> right, std::uint64_t seed) {
  fill_exact_summands(left, seed);
  fill_exact_summands(right, ~seed);
  right.back() = T{100};
  const std::span<const T> all_but_last = right.first(right.size() - 1);
  std::copy(all_but_last.begin(), all_but_last.end(), left.begin());
  std::copy(all_but_last.rbegin(), all_but_last.rend(), left.rbegin() + 1);
}

/// Exact summands, and elements that are not among them.
template <class T>
void text_and_strangers(std::span<T> left, std::span<T> right, std::uint64_t seed) {
  fill_exact_summands(left, seed);
  for (std::size_t i = 0; i < right.size(); ++i) {
    right[i] = static_cast<T>(100 + i);
  }
}

template <class T>
std::size_t first_difference(std::span<const T> left, std::span<const T> right) {
  std::size_t i = 0;
  while (i < left.size() && i < right.size() && left[i] == right[i]) {
    ++i;
  }
  return i;
}

template <class T>
answer is_equal(std::span<const T> left, std::span<const T> right) {
  return {.number = first_difference(left, right) == left.size() ? 1U : 0U};
}
template <class T>
answer place_of_mismatch(std::span<const T> left, std::span<const T> right) {
  const std::size_t place = first_difference(left, right);
  return {.number = place, .second = place};
}
template <class T>
answer is_less(std::span<const T> left, std::span<const T> right) {
  const std::size_t place = first_difference(left, right);
  return {.number = place < left.size() && left[place] < right[place] ? 1U : 0U};
}

template <class T>
answer is_included(std::span<const T> left, std::span<const T> right) {
  std::size_t j = 0;
  for (std::size_t i = 0; i < left.size() && j < right.size(); ++i) {
    j += left[i] == right[j] ? 1U : 0U;
  }
  return {.number = j == right.size() ? 1U : 0U};
}

template <class T>
bool is_here(std::span<const T> left, std::span<const T> right, std::size_t i) {
  return first_difference(left.subspan(i), right) == right.size();
}
template <class T>
answer first_pattern(std::span<const T> left, std::span<const T> right) {
  for (std::size_t i = 0; i + right.size() <= left.size(); ++i) {
    if (is_here(left, right, i)) {
      return {.number = i};
    }
  }
  return {.number = left.size()};
}
template <class T>
answer last_pattern(std::span<const T> left, std::span<const T> right) {
  for (std::size_t i = left.size() - right.size() + 1; i > 0; --i) {
    if (is_here(left, right, i - 1)) {
      return {.number = i - 1};
    }
  }
  return {.number = left.size()};
}
template <class T>
answer first_of_strangers(std::span<const T> left, std::span<const T> right) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (const T element : right) {
      if (left[i] == element) {
        return {.number = i};
      }
    }
  }
  return {.number = left.size()};
}

template <class T>
void plant_zero(std::span<T> left, std::span<const T> /*right*/, std::size_t i, bool /*is_later*/) {
  left[i] = T{};
}
/// The first place makes the left range less, the later one makes it not less.
template <class T>
void plant_order(std::span<T> left, std::span<const T> /*right*/, std::size_t i, bool is_later) {
  left[i] = is_later ? left.back() : T{};
}
/// The order stays, but one element is missing.
template <class T>
void plant_gap(std::span<T> left, std::span<const T> /*right*/, std::size_t i, bool /*is_later*/) {
  left[i] = i > 0 ? left[i - 1] : T{};
}
/// Writes as much of the pattern as there is room for.
template <class T>
void plant_pattern(std::span<T> left, std::span<const T> right, std::size_t i, bool /*is_later*/) {
  const std::size_t count = std::min(right.size(), left.size() - i);
  std::copy(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(count), &left[i]);
}
template <class T>
void plant_stranger(std::span<T> left, std::span<const T> right, std::size_t i, bool /*is_later*/) {
  left[i] = right[i % right.size()];
}

template <class T>
const std::vector<comparison_row<T>>& comparison_experiment<T>::rows() {
  using of = operations<T>;
  static const std::vector<comparison_row<T>> all{
      {{"equal", &of::equal}, same_size, equal_ranges, is_equal, plant_zero},
      {{"find_end", &of::find_end}, few, text_and_pattern, last_pattern, plant_pattern},
      {{"find_first_of", &of::find_first_of},
       few,
       text_and_strangers,
       first_of_strangers,
       plant_stranger},
      {{"includes", &of::includes, 1.5}, half_size, included_ranges, is_included, plant_gap},
      {{"lexicographical_compare", &of::lexicographical_compare},
       same_size,
       equal_ranges,
       is_less,
       plant_order},
      {{"mismatch", &of::mismatch}, same_size, equal_ranges, place_of_mismatch, plant_zero},
      {{"search", &of::search}, few, text_and_pattern, first_pattern, plant_pattern}};
  return all;
}

const row_registration<comparison_experiment> rows;

}  // namespace comparison_problem
}  // namespace weft::lab::stl
