// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eliminates alternatives round by round, and tests the last one against the present one.
#include "weft/policies/detail/tuning.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/policies/policy.hpp"
#include "weft/policies/tuner_report.hpp"

namespace weft::policies {

namespace detail {
namespace {

constexpr std::size_t most_costs = 64;

tuner_options checked(const tuner_options& options) {
  const bool is_valid = options.num_costs >= 1 && options.num_costs <= most_costs &&
                        options.num_pairs >= 1 && options.num_pairs <= most_costs &&
                        options.significance > 0 && options.significance < 1 &&
                        options.least_gain >= 0;
  if (!is_valid) {
    throw error(
        "a tuner takes 1 to 64 costs and pairs, a significance between 0 and 1, and a least gain "
        "of 0 or more");
  }
  if (std::ldexp(1.0, -static_cast<int>(options.num_pairs)) > options.significance) {
    throw error("a tuner cannot reach a significance of " + std::to_string(options.significance) +
                " with " + std::to_string(options.num_pairs) +
                " pairs: give more pairs, 6 or more for 0.025");
  }
  return options;
}

/// Reorders `numbers`, of which there is at least one.
double median(std::span<double> numbers) noexcept {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::ranges::nth_element(numbers, middle);
  if (numbers.size() % 2 == 1) {
    return *middle;
  }
  return (*middle + *std::max_element(numbers.begin(), middle)) / 2;
}

/// Returns how many eliminations leave one of `num_others` values, at least one.
std::size_t num_eliminations(std::size_t num_others) noexcept {
  std::size_t num = 1;
  for (std::size_t left = (num_others + 1) / 2; left > 1; left = (left + 1) / 2) {
    ++num;
  }
  return num;
}

}  // namespace

double signed_rank_p_value(std::vector<double>& differences,
                           std::vector<double>& scratch) noexcept {
  std::erase(differences, 0.0);
  std::ranges::sort(differences, {}, [](double x) { return std::abs(x); });
  const std::size_t n = differences.size();
  const std::size_t most = n * (n + 1);  // of doubled ranks, which are whole also for ties
  // scratch[s]: the share of all choices of signs so far whose positive ranks add up to s
  std::fill_n(scratch.begin(), most + 1, 0.0);
  scratch[0] = 1;
  std::size_t observed = 0;
  for (std::size_t first = 0, last = 0; first < n; first = last) {
    while (last < n && std::abs(differences[last]) == std::abs(differences[first])) {
      ++last;
    }
    const std::size_t doubled_rank = first + last + 1;
    for (std::size_t i = first; i < last; ++i) {
      observed += differences[i] > 0 ? doubled_rank : 0;
      for (std::size_t sum = most + 1; sum-- > 0;) {
        const double with = sum >= doubled_rank ? scratch[sum - doubled_rank] : 0;
        scratch[sum] = (scratch[sum] + with) / 2;
      }
    }
  }
  double p_value = 0;
  for (std::size_t sum = observed; sum <= most; ++sum) {
    p_value += scratch[sum];
  }
  return std::min(p_value, 1.0);
}

tuning::tuning(std::string name,
               std::vector<double> shown,
               std::size_t present,
               const tuner_options& options)
    : name_(std::move(name)),
      shown_(std::move(shown)),
      options_(checked(options)),
      is_on_(are_on()),
      index_(present),
      present_(present),
      // tuners of a program do not all use the same order
      random_(options.seed + std::hash<std::string>{}(name_)),
      costs_(shown_.size()) {
  if (present >= shown_.size()) {
    throw error("the present value of tuner \"" + name_ +
                "\" is none of its values: pass one of them");
  }
  const std::size_t num_stages = num_eliminations(shown_.size() - 1);
  const std::size_t num_costs =
      std::max<std::size_t>(num_stages * options_.num_costs, options_.num_pairs);
  for (std::vector<double>& each : costs_) {
    each.reserve(num_costs);
  }
  order_.reserve(shown_.size());
  differences_.reserve(options_.num_pairs);
  scratch_.resize(
      std::max<std::size_t>(num_costs, options_.num_pairs * (options_.num_pairs + 1) + 1));
  begin();
}

/// Also in the constructor, where no other thread knows this object.
void tuning::begin() noexcept {
  report_ = {.before = present_, .best = present_};
  if (!is_on_ || shown_.size() == 1) {
    report_.outcome = verdict::kept;
    return;
  }
  order_.clear();
  for (std::size_t i = 0; i < shown_.size(); ++i) {
    order_.push_back(i);  // within the reserved memory
    costs_[i].clear();
  }
  num_rounds_ = 0;
  is_final_ = false;
  outcome_.store(verdict::tuning, std::memory_order_relaxed);
  shuffle();
}

void tuning::restart() noexcept {
  const std::lock_guard guard(mutex_);
  begin();
}

/// Begins a round of the values in `order_`, in random order.
void tuning::shuffle() noexcept {
  for (std::size_t i = order_.size(); i > 1; --i) {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX generator
    std::swap(order_[i - 1], order_[(random_ >> 33U) % i]);
  }
  next_ = 0;
  index_.store(order_.front(), std::memory_order_relaxed);
}

void tuning::note(std::size_t index, double cost) noexcept {
  if (!is_tuning() || !std::isfinite(cost)) {
    return;
  }
  const std::lock_guard guard(mutex_);
  if (is_tuning() && index == this->index()) {
    costs_[index].push_back(cost);  // within the reserved memory
    ++report_.num_costs;
    step();
  }
}

void tuning::step() noexcept {
  if (++next_ < order_.size()) {
    index_.store(order_[next_], std::memory_order_relaxed);
    return;
  }
  ++num_rounds_;
  if (num_rounds_ < (is_final_ ? options_.num_pairs : options_.num_costs)) {
    shuffle();
  } else if (is_final_) {
    compare();
  } else {
    end_round();
  }
}

double tuning::median_of(std::size_t index) noexcept {
  const std::vector<double>& costs = costs_[index];
  std::ranges::copy(costs, scratch_.begin());
  return median(std::span(scratch_).first(costs.size()));
}

/// Drops the worse half of the values besides the present one. If one is left, the final comparison
/// begins, with costs that did not choose the value.
void tuning::end_round() noexcept {
  const auto present = std::ranges::find(order_, present_);
  std::iter_swap(order_.begin(), present);
  std::ranges::sort(
      std::span(order_).subspan(1), {}, [this](std::size_t index) { return median_of(index); });
  const std::size_t num_left = order_.size() / 2;  // half of the others, rounded up
  order_.resize(1 + num_left);
  num_rounds_ = 0;
  if (num_left == 1) {
    report_.best = order_[1];
    if (median_of(order_[1]) >= median_of(present_)) {
      decide(verdict::kept);
      return;
    }
    is_final_ = true;
    costs_[order_[0]].clear();
    costs_[order_[1]].clear();
  }
  shuffle();
}

/// Compares the present value with the best other one. The order within each pair was random, so
/// without a difference each sign of a pair's difference is equally likely.
void tuning::compare() noexcept {
  const std::vector<double>& before = costs_[present_];
  const std::vector<double>& best = costs_[report_.best];
  differences_.resize(before.size());
  std::ranges::transform(
      before, best, differences_.begin(), [](double a, double b) { return a - b; });
  const double all_gains = std::accumulate(differences_.begin(), differences_.end(), 0.0);
  report_.p_value = signed_rank_p_value(differences_, scratch_);
  report_.cost_before = median_of(present_);
  report_.cost_best = median_of(report_.best);
  const double gain = *report_.cost_before - *report_.cost_best;
  // A value that is usually a little faster and sometimes much slower is not cheaper.
  const bool is_better = *report_.p_value <= options_.significance && all_gains > 0 &&
                         gain > options_.least_gain * std::abs(*report_.cost_before);
  decide(is_better ? verdict::changed : verdict::kept);
}

void tuning::decide(verdict outcome) noexcept {
  report_.outcome = outcome;
  if (outcome == verdict::changed) {
    note_decision(name_, shown_[present_], shown_[report_.best]);
    present_ = report_.best;
  }
  index_.store(present_, std::memory_order_relaxed);
  outcome_.store(outcome, std::memory_order_relaxed);
}

tuner_report tuning::report() const {
  const std::lock_guard guard(mutex_);
  return report_;
}

}  // namespace detail

std::string to_string(const tuner_report& report) {
  std::string text;
  switch (report.outcome) {
    case verdict::tuning:
      return "tuning: " + std::to_string(report.num_costs) + " costs noted so far";
    case verdict::kept:
      text = "kept: no other value is significantly better";
      break;
    case verdict::changed:
      text = "changed: another value is significantly better";
      break;
  }
  text += " (" + std::to_string(report.num_costs) + " costs";
  if (report.cost_before && report.cost_best && report.p_value) {
    char figures[128];
    std::snprintf(figures,
                  sizeof figures,
                  ", median %.4g before and %.4g with the best other value, p = %.2g",
                  *report.cost_before,
                  *report.cost_best,
                  *report.p_value);
    text += figures;
  }
  return text + ')';
}

}  // namespace weft::policies
