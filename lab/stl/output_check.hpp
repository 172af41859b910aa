// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares an output with the values a serial oracle names one by one.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "lab/stl/guarded_array.hpp"

namespace weft::lab::stl {

/// Returns the shortest decimal text that reads back as `number`.
template <class T>
std::string text_of(T number) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), result.ptr};
}

/// Bitwise equality: distinguishes 0.0 from -0.0, and a NaN equals itself.
template <class T>
bool is_same(T a, T b) {
  using bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return std::bit_cast<bits>(a) == std::bit_cast<bits>(b);
}

/// Keeps the first difference between a guarded output and the expected one.
template <class T>
class output_check {
 public:
  explicit output_check(const guarded_array<T>& output) : output_(output) {}

  /// The next element must be exactly `value`.
  void expect(T value) {
    if (!is_same(output_[position_], value)) {
      report(text_of(value));
    }
    ++position_;
  }

  /// The next element must be within `tolerance` of `value`.
  void expect_near(long double value, long double tolerance) {
    const long double difference = static_cast<long double>(output_[position_]) - value;
    if (!(std::fabs(difference) <= tolerance)) {  // written so that a NaN is wrong
      report(text_of(value) + " within " + text_of(tolerance));
    }
    ++position_;
  }

  /// The next elements must be these, in any order.
  void expect_in_any_order(std::vector<T> expected) {
    std::vector<T> found(output_.begin() + position_,
                         output_.begin() + position_ + expected.size());
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    const auto places = std::mismatch(
        found.begin(), found.end(), expected.begin(), [](T a, T b) { return is_same(a, b); });
    if (places.first != found.end() && mismatch_.empty()) {
      mismatch_ = "elements " + text_of(position_) + " to " +
                  text_of(position_ + expected.size() - 1) + " hold " + text_of(*places.first) +
                  " where " + text_of(*places.second) + " is expected, both sorted";
    }
    position_ += expected.size();
  }

  /// The end that the algorithm returns is here, although more elements are written.
  void expect_end_here() { end_ = position_; }

  /// The next `count` elements may have any value.
  void allow_anything(std::size_t count) { position_ += count; }

  /// Returns the error, or an empty text. Checks the elements, the returned end, and that the rest
  /// is still poison.
  [[nodiscard]] std::string mismatch(const T* returned_end) const {
    if (!mismatch_.empty()) {
      return mismatch_;
    }
    const std::size_t end = end_.value_or(position_);
    if (returned_end != output_.begin() + end) {
      return "returned end is element " + text_of(returned_end - output_.begin()) +
             ", expected element " + text_of(end);
    }
    return mismatch_outside();
  }

  /// Returns which bytes were written outside the expected elements, or an empty text.
  [[nodiscard]] std::string mismatch_outside() const {
    if (!output_.is_front_guard_intact()) {
      return "memory before the output was overwritten";
    }
    for (std::size_t i = position_; i < output_.size(); ++i) {
      if (!is_same(output_[i], poison<T>())) {
        return "element " + text_of(i) + " was overwritten with " + text_of(output_[i]) +
               ", but the output ends at element " + text_of(position_);
      }
    }
    return output_.is_back_guard_intact() ? "" : "memory after the output was overwritten";
  }

  [[nodiscard]] const std::string& mismatch_inside() const { return mismatch_; }

 private:
  void report(const std::string& expected) {
    if (mismatch_.empty()) {
      mismatch_ = "element " + text_of(position_) + " is " + text_of(output_[position_]) +
                  ", expected " + expected;
    }
  }

  const guarded_array<T>& output_;
  std::size_t position_ = 0;
  std::optional<std::size_t> end_;
  std::string mismatch_;
};

}  // namespace weft::lab::stl
