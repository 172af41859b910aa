// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the cheapest of a few values while the program uses them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/policies/detail/tuning.hpp"
#include "weft/policies/tuner_report.hpp"

namespace weft::policies {

/// Finds the cheapest of a finite set of values, and keeps the present one if it cannot tell.
///
/// The program uses `value()` and reports with `note(cost)` what its use cost, or lets `measure()`
/// take the time. The tuner tries all values in random order, and drops the worse half after each
/// few rounds. Then fresh pairs of costs compare the best value with the present one by an exact
/// signed-rank test. Only a significantly better value replaces the present one, if its mean cost is
/// less, too. That is a decision.
/// Cost:    after the verdict, `value` is a load, and `measure` reads no clock. Before, `note` takes
///          a lock. Nothing is allocated after the constructor, but for the trace of the decision.
/// Threads: any, for all members. `note` is for one thread at a time, since it reports for the value
///          that `value` returned last; several threads call `measure`.
/// Example: tests/policies/tuner_test.cpp: a_planted_optimum_is_found.
template <class Value>
class tuner {
 public:
  /// The use of a value, timed from `measure` to the destructor.
  class measurement {
   public:
    measurement(const measurement&) = delete;
    measurement& operator=(const measurement&) = delete;
    /// Notes the time in seconds, but not if an exception ends the use.
    ~measurement() {
      if (is_timed_ && std::uncaught_exceptions() == num_exceptions_) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
        of_.tuning_.note(index_, took.count());
      }
    }

    [[nodiscard]] const Value& value() const noexcept { return of_.values_[index_]; }

   private:
    friend class tuner;
    explicit measurement(tuner& of)
        : of_(of), index_(of.tuning_.index()), is_timed_(of.tuning_.is_tuning()) {
      if (is_timed_) {
        begin_ = std::chrono::steady_clock::now();
      }
    }

    tuner& of_;
    std::size_t index_;
    bool is_timed_;
    int num_exceptions_ = std::uncaught_exceptions();
    std::chrono::steady_clock::time_point begin_;
  };

  /// `name`: for decisions in traces. `present` is one of `values`, and used until the verdict if
  /// policies are off.
  /// Errors: `weft::error` if `present` is none of `values`, or for options out of range.
  tuner(std::string name,
        std::vector<Value> values,
        const Value& present,
        const tuner_options& options = {})
      : values_(std::move(values)),
        tuning_(std::move(name), shown(values_), place_of(present), options) {}

  /// Returns the value to use next.
  [[nodiscard]] const Value& value() const noexcept { return values_[tuning_.index()]; }
  /// Notes what the last use of `value()` cost: any unit, the less the better. A cost that is not
  /// finite is ignored.
  void note(double cost) noexcept { tuning_.note(tuning_.index(), cost); }
  /// Times the use of a value; keep the result while you use `value()` of it.
  [[nodiscard]] measurement measure() { return measurement(*this); }

  /// Tunes again, with what `value()` returned after the verdict as the present value.
  void restart() noexcept { tuning_.restart(); }
  /// False: there is a verdict. Cost: a load.
  [[nodiscard]] bool is_tuning() const noexcept { return tuning_.is_tuning(); }
  [[nodiscard]] tuner_report report() const { return tuning_.report(); }
  [[nodiscard]] const std::vector<Value>& values() const noexcept { return values_; }

 private:
  static std::vector<double> shown(const std::vector<Value>& values) {
    std::vector<double> numbers(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      if constexpr (std::is_arithmetic_v<Value>) {
        numbers[i] = static_cast<double>(values[i]);
      } else {
        numbers[i] = static_cast<double>(i);
      }
    }
    return numbers;
  }
  [[nodiscard]] std::size_t place_of(const Value& present) const {
    return static_cast<std::size_t>(std::ranges::find(values_, present) - values_.begin());
  }

  const std::vector<Value> values_;
  detail::tuning tuning_;
};

}  // namespace weft::policies
