// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Queries about one array. Queries with a hit look for random present elements of 1, 2, ..., n, as
// find does. The inputs of the others must be read to their end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/stl/guarded_array.hpp"
#include "lab/stl/inputs.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/output_check.hpp"
#include "lab/stl/planted.hpp"
#include "lab/stl/problem.hpp"
#include "lab/stl/row.hpp"

namespace weft::lab::stl {
namespace query_problem {

// The same numbers of positions and of neighbours as in find.
constexpr std::size_t num_positions = 4096;
constexpr std::size_t num_neighbours = 64;

template <class T>
struct query_row : row<T, typename operations<T>::query> {
  filling<T> fill = nullptr;
  /// The definition, as a loop.
  answer (*oracle)(std::span<const T> input, T value) = nullptr;
  /// Changes only element i and its neighbours, so that the answer changes unless another place
  /// decides it. Null: a random element is searched.
  void (*plant)(std::span<T> input, std::size_t i) = nullptr;
  /// The searched value if it is not random.
  T value{};
};

template <class T>
class query_experiment final : public repeatable_experiment<T> {
 public:
  static const std::vector<query_row<T>>& rows();
  static double array_bytes(double size) { return size * sizeof(T) + num_positions * sizeof(T); }

  query_experiment(const setup<T>& given, const query_row<T>& of)
      : row_(of),
        input_(given.input(given.what.size)),
        call_(given.offered.*of.needs),
        values_(num_positions, of.value),
        random_(given.what.seed) {
    row_.fill(input_.elements(), given.what.seed);
    elements_read_ = row_.traffic * static_cast<double>(input_.size());
    if (is_random()) {
      look_for_random_elements(given.what.seed);
    }
  }

  verdict verify() override {
    std::string mismatch = mismatch_when("as it is", row_.value);
    for (const auto& [i, later] : planted_places(input_.size())) {
      if (mismatch.empty()) {
        mismatch = mismatch_with_planted(i, later);
      }
    }
    return {mismatch};
  }

  /// Shuffles groups of neighbours, as find does.
  void prepare(std::size_t count) override {
    next_ = is_random() && count >= num_neighbours ? 0 : next_;
    for (std::size_t first = 0; is_random() && first + num_neighbours <= count;
         first += num_neighbours) {
      shuffle(std::span(values_).subspan(first, num_neighbours), random_);
    }
  }

  [[nodiscard]] std::size_t max_calls() const override { return num_positions; }

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(call_(input_.begin(), input_.end(), values_[next_]));
      next_ = (next_ + 1) % num_positions;
    }
  }

  /// The average over the searched positions.
  [[nodiscard]] std::size_t bytes_min() const override {
    return static_cast<std::size_t>(elements_read_ * sizeof(T));
  }

 private:
  [[nodiscard]] bool is_random() const { return row_.plant == nullptr; }

  void look_for_random_elements(std::uint64_t seed) {
    std::size_t elements_read = 0;
    values_.clear();
    for (std::size_t i : balanced_positions(input_.size(), num_positions, seed)) {
      values_.push_back(input_[i]);
      while (i > 0 && input_[i - 1] == input_[i]) {  // if float rounds
        --i;
      }
      elements_read += i + 1;
    }
    elements_read_ = static_cast<double>(elements_read) / num_positions;
  }

  [[nodiscard]] std::string mismatch_with_planted(std::size_t i, std::size_t later) const {
    const std::string where = "changed at " + text_of(i) + " and " + text_of(later);
    const planted<T> second(input_.elements(), later);
    const planted<T> first(input_.elements(), i);
    if (is_random()) {
      input_[later] = input_[i];
      return mismatch_when(where, input_[i]);
    }
    if (later != i) {
      row_.plant(input_.elements(), later);
    }
    row_.plant(input_.elements(), i);
    return mismatch_when(where, row_.value);
  }

  [[nodiscard]] std::string mismatch_when(const std::string& input_is, T value) const {
    const answer given = call_(input_.begin(), input_.end(), value);
    const std::string mismatch = mismatch_of(given, row_.oracle(input_.elements(), value));
    return mismatch.empty() ? "" : mismatch + ", with the input " + input_is;
  }

  const query_row<T>& row_;
  guarded_array<T> input_;
  typename operations<T>::query call_;
  std::vector<T> values_;
  random_bits random_;
  double elements_read_ = 0;
  std::size_t next_ = 0;
};

template <class T>
void counting(std::span<T> elements, std::uint64_t /*seed*/) {
  fill_counting(elements);
}

/// No two neighbours are equal, in any type.
template <class T>
void wrapped_counting(std::span<T> elements, std::uint64_t /*seed*/) {
  fill_wrapped_counting(elements);
}

template <class T>
void descending(std::span<T> elements, std::uint64_t /*seed*/) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<T>(elements.size() - i);
  }
}

template <class T>
void negative_then_positive(std::span<T> elements, std::uint64_t /*seed*/) {
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements[i] = i < elements.size() / 2 ? -static_cast<T>(i + 1) : static_cast<T>(i + 1);
  }
}

/// Returns the first of `size` positions that satisfies the test, or `size`.
template <class Satisfies>
answer first_place(std::size_t size, Satisfies satisfies) {
  for (std::size_t i = 0; i < size; ++i) {
    if (satisfies(i)) {
      return {.number = i};
    }
  }
  return {.number = size};
}

template <class T>
answer first_equal(std::span<const T> input, T value) {
  return first_place(input.size(), [&](std::size_t i) { return input[i] == value; });
}
template <class T>
answer has_equal(std::span<const T> input, T value) {
  return {.number = first_equal(input, value).number < input.size() ? 1U : 0U};
}
template <class T>
answer has_no_equal(std::span<const T> input, T value) {
  return {.number = 1 - has_equal(input, value).number};
}

template <class T>
answer num_equal(std::span<const T> input, T value) {
  std::size_t count = 0;
  for (const T element : input) {
    count += element == value ? 1U : 0U;
  }
  return {.number = count};
}
template <class T>
answer num_selected(std::span<const T> input, T /*value*/) {
  std::size_t count = 0;
  for (const T element : input) {
    count += element < T{} ? 1U : 0U;
  }
  return {.number = count};
}

template <class T>
answer first_pair(std::span<const T> input, T /*value*/) {
  const answer found =
      first_place(input.size() - 1, [&](std::size_t i) { return input[i] == input[i + 1]; });
  return found.number + 1 < input.size() ? found : answer{.number = input.size()};
}

template <class T>
answer end_of_heap(std::span<const T> input, T /*value*/) {
  return first_place(input.size(),
                     [&](std::size_t i) { return i > 0 && input[(i - 1) / 2] < input[i]; });
}
template <class T>
answer has_heap(std::span<const T> input, T value) {
  return {.number = end_of_heap(input, value).number == input.size() ? 1U : 0U};
}

template <class T>
answer end_of_order(std::span<const T> input, T /*value*/) {
  return first_place(input.size(), [&](std::size_t i) { return i > 0 && input[i] < input[i - 1]; });
}
template <class T>
answer has_order(std::span<const T> input, T value) {
  return {.number = end_of_order(input, value).number == input.size() ? 1U : 0U};
}

template <class T>
answer has_partition(std::span<const T> input, T /*value*/) {
  bool is_behind = false;
  for (const T element : input) {
    if (is_behind && element < T{}) {
      return {.number = 0};
    }
    is_behind = is_behind || !(element < T{});
  }
  return {.number = 1};
}

/// The first of the smallest elements, and the last of the largest.
template <class T>
answer extremes(std::span<const T> input, T /*value*/) {
  answer found;
  for (std::size_t i = 1; i < input.size(); ++i) {
    found.number = input[i] < input[found.number] ? i : found.number;
    found.second = input[i] < input[found.second] ? found.second : i;
  }
  return found;
}
template <class T>
answer smallest(std::span<const T> input, T value) {
  return {.number = extremes(input, value).number};
}
template <class T>
answer largest(std::span<const T> input, T /*value*/) {
  answer found;
  for (std::size_t i = 1; i < input.size(); ++i) {
    found.number = input[found.number] < input[i] ? i : found.number;
  }
  return found;
}

template <class T>
answer first_repetition(std::span<const T> input, T value) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < input.size(); ++i) {
    count = input[i] == value ? count + 1 : 0;
    if (count == kernels::num_repetitions) {
      return {.number = i + 1 - count};
    }
  }
  return {.number = input.size()};
}

/// Writes the searched number of repetitions of the value, beginning at i.
template <class T>
void plant_zeros(std::span<T> input, std::size_t i) {
  const std::span<T> behind = input.subspan(i);
  std::ranges::fill(behind.first(std::min(kernels::num_repetitions, behind.size())), T{});
}
template <class T>
void plant_unwanted(std::span<T> input, std::size_t i) {
  input[i] = kernels::unwanted<T>;
}
template <class T>
void plant_minimum(std::span<T> input, std::size_t i) {
  input[i] = T{-5};
}
/// Larger than all others, in every type: inputs have at most 2^31 elements.
template <class T>
void plant_maximum(std::span<T> input, std::size_t i) {
  input[i] = std::numeric_limits<T>::max();
}
template <class T>
void plant_other_sign(std::span<T> input, std::size_t i) {
  input[i] = -input[i];
}
template <class T>
void plant_extreme(std::span<T> input, std::size_t i) {
  input[i] = i % 2 == 0 ? T{-5} : std::numeric_limits<T>::max();
}
template <class T>
void plant_pair(std::span<T> input, std::size_t i) {
  input[i] = input[i + 1 < input.size() ? i + 1 : i];
}

template <class T>
const std::vector<query_row<T>>& query_experiment<T>::rows() {
  using of = operations<T>;
  static const std::vector<query_row<T>> all{
      {{"adjacent_find", &of::adjacent_find}, wrapped_counting, first_pair, plant_pair},
      {{"all_of", &of::all_of}, counting, has_no_equal},
      {{"any_of", &of::any_of}, counting, has_equal},
      {{"count", &of::count}, fill_exact_summands, num_equal, plant_unwanted, kernels::unwanted<T>},
      {{"count_if", &of::count_if}, fill_signed_counting, num_selected, plant_other_sign},
      {{"find_if", &of::find_if}, counting, first_equal},
      {{"find_if_not", &of::find_if_not}, counting, first_equal},
      {{"is_heap", &of::is_heap}, descending, has_heap, plant_maximum},
      {{"is_heap_until", &of::is_heap_until}, descending, end_of_heap, plant_maximum},
      {{"is_partitioned", &of::is_partitioned},
       negative_then_positive,
       has_partition,
       plant_other_sign},
      {{"is_sorted", &of::is_sorted}, fill_ascending, has_order, plant_minimum},
      {{"is_sorted_until", &of::is_sorted_until}, fill_ascending, end_of_order, plant_minimum},
      {{"max_element", &of::max_element}, fill_shuffled, largest, plant_maximum},
      {{"min_element", &of::min_element}, fill_shuffled, smallest, plant_minimum},
      {{"minmax_element", &of::minmax_element}, fill_shuffled, extremes, plant_extreme},
      {{"none_of", &of::none_of}, counting, has_no_equal},
      {{"search_n", &of::search_n}, fill_exact_summands, first_repetition, plant_zeros}};
  return all;
}

const row_registration<query_experiment> rows;

}  // namespace query_problem
}  // namespace weft::lab::stl
