// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All numbers of a block, for functions that copy, add or describe all of them.
#pragma once

#include <array>
#include <cstddef>

#include "weft/counters/worker_block.hpp"

namespace weft::counters::detail {

template <class Real>
inline constexpr std::array duration_members = {&duration_sums<Real>::num,
                                                &duration_sums<Real>::weight,
                                                &duration_sums<Real>::ticks,
                                                &duration_sums<Real>::weight2,
                                                &duration_sums<Real>::ticks_w2,
                                                &duration_sums<Real>::ticks2_w2};
static_assert(duration_members<double>.size() * sizeof(double) == sizeof(duration_sums<double>));

template <class Real>
inline constexpr std::array gap_members = {&sample_sums<Real>::num_gaps,
                                           &sample_sums<Real>::gap_ticks,
                                           &sample_sums<Real>::window_tasks,
                                           &sample_sums<Real>::window_gaps,
                                           &sample_sums<Real>::window_ticks,
                                           &sample_sums<Real>::disturbed};
static_assert((2 * duration_members<double>.size() + gap_members<double>.size()) * sizeof(double) ==
              sizeof(sample_sums<double>));

template <class Count>
inline constexpr std::array histogram_members = {&worker_histograms<Count>::task_duration,
                                                 &worker_histograms<Count>::queue_delay,
                                                 &worker_histograms<Count>::park_latency};

/// These functions call `apply(a, b)` for every number of `to` and the same number of `from`.
template <class To, class From, class Apply>
void for_each_count(worker_counts<To>& to, const worker_counts<From>& from, Apply apply) {
  for (std::size_t i = 0; i < worker_count_members<To>.size(); ++i) {
    apply(to.*worker_count_members<To>[i], from.*worker_count_members<From>[i]);
  }
}

template <class To, class From, class Apply>
void for_each_sample_sum(sample_sums<To>& to, const sample_sums<From>& from, Apply apply) {
  for (std::size_t i = 0; i < duration_members<To>.size(); ++i) {
    apply(to.task.*duration_members<To>[i], from.task.*duration_members<From>[i]);
    apply(to.loop.*duration_members<To>[i], from.loop.*duration_members<From>[i]);
  }
  for (std::size_t i = 0; i < gap_members<To>.size(); ++i) {
    apply(to.*gap_members<To>[i], from.*gap_members<From>[i]);
  }
}

template <class To, class From, class Apply>
void for_each_weight(worker_histograms<To>& to, const worker_histograms<From>& from, Apply apply) {
  for (std::size_t i = 0; i < histogram_members<To>.size(); ++i) {
    auto& weights = (to.*histogram_members<To>[i]).weight;
    const auto& others = (from.*histogram_members<From>[i]).weight;
    for (std::size_t j = 0; j < weights.size(); ++j) {
      apply(weights[j], others[j]);
    }
  }
}

}  // namespace weft::counters::detail
