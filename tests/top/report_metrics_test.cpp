// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about what weft-top tells Prometheus of a process.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "top/report.hpp"
#include "top/view.hpp"

namespace report_metrics_test {

using testing::HasSubstr;

TEST(ReportMetrics, a_histogram_has_its_own_buckets_from_the_first_to_the_last) {
  weft::top::view of;
  of.seconds_per_tick = 1e-9;
  of.total.histograms.task_duration.weight[3] = 2;
  of.total.histograms.task_duration.weight.back() = 1;
  of.total.histograms.queue_delay.weight.front() = 5;

  const std::string text = weft::top::metrics_text(of);

  EXPECT_THAT(
      text,
      HasSubstr("weft_threads_histogram_task_duration_seconds_bucket{rank=\"0\",le=\"4e-09\"} 2\n"
                "weft_threads_histogram_task_duration_seconds_bucket{rank=\"0\","
                "le=\"8796.093022208\"} 3\n"
                "weft_threads_histogram_task_duration_seconds_bucket{rank=\"0\",le=\"+Inf\"} 3\n"));
  EXPECT_THAT(
      text,
      HasSubstr("weft_threads_histogram_queue_delay_seconds_bucket{rank=\"0\",le=\"1e-09\"} 5\n"
                "weft_threads_histogram_queue_delay_seconds_bucket{rank=\"0\",le=\"+Inf\"} 5\n"
                "weft_threads_histogram_queue_delay_seconds_sum{rank=\"0\"} 2.5e-09\n"));
  EXPECT_THAT(
      text,
      HasSubstr("weft_threads_histogram_park_latency_seconds_bucket{rank=\"0\",le=\"+Inf\"} 0\n"));
}

}  // namespace report_metrics_test
