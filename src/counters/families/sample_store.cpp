// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Samples of a counter, and their statistics.
#include "counters/families/sample_store.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "weft/counters/counter.hpp"

#include "counters/families/exact_number.hpp"

namespace weft::counters::detail {

void sample_store::summary::add(const estimate& sample) {
  moments.add(as_double(sample.number));
  if (!min || is_less(sample.number, *min)) {
    min = sample.number;
  }
  if (!max || is_less(*max, sample.number)) {
    max = sample.number;
  }
  if (!sampled) {
    sampled = sample.sampled;
  } else if (sample.sampled) {
    sampled->one_in = std::max(sampled->one_in, sample.sampled->one_in);
    sampled->num_samples = std::min(sampled->num_samples, sample.sampled->num_samples);
    sampled->half_width = std::max(sampled->half_width, sample.sampled->half_width);
  }
}

void sample_store::add(exact_number sample, const std::optional<sampling>& sampled) {
  const estimate fresh{.number = sample, .sampled = sampled};
  if (window_) {
    kept_.push_back(fresh);
    if (kept_.size() > *window_) {
      kept_.pop_front();
    }
    return;
  }
  all_.add(fresh);
  if (num_added_++ % stride_ == 0) {
    kept_.push_back(fresh);
    if (kept_.size() > max_kept) {
      keep_every_second();
    }
  }
}

void sample_store::keep_every_second() {
  std::deque<estimate> fewer;
  for (std::size_t i = 0; i < kept_.size(); i += 2) {
    fewer.push_back(kept_[i]);
  }
  kept_ = std::move(fewer);
  stride_ *= 2;
}

void sample_store::clear() { *this = sample_store(window_); }

sample_store::summary sample_store::summarize() const {
  if (!window_) {
    return all_;
  }
  summary all;
  for (const estimate& each : kept_) {
    all.add(each);
  }
  return all;
}

exact_number sample_store::value_of(statistic wanted) const {
  if (wanted == statistic::median) {
    std::vector<exact_number> numbers;
    std::ranges::transform(kept_, std::back_inserter(numbers), &estimate::number);
    return median_of(std::move(numbers));
  }
  const summary all = summarize();
  switch (wanted) {
    case statistic::min:
      return *all.min;  // NOLINT(bugprone-unchecked-optional-access): there is a sample
    case statistic::max:
      return *all.max;  // NOLINT(bugprone-unchecked-optional-access): there is a sample
    case statistic::stddev:
      return std::sqrt(all.moments.variance());
    default:
      return all.moments.mean();
  }
}

std::optional<sampling> sample_store::sampled() const { return summarize().sampled; }

}  // namespace weft::counters::detail
