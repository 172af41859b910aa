// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counter values as OpenMetrics text, for Prometheus and whatever else reads it.
#pragma once

#include <functional>
#include <string>

#include "weft/counters/session.hpp"

namespace weft::counters {

/// The content type of the text that `openmetrics` writes.
inline constexpr const char* openmetrics_content_type =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Describes a type of counters, such as "/threads/count/cumulative". Empty: no description.
using help_lookup = std::function<std::string(const std::string& type_name)>;

/// The description in the registry of this process.
[[nodiscard]] std::string registered_help(const std::string& type_name);

/// Returns values as OpenMetrics text, with its end.
///
/// /threads{locality#0/worker-thread#3}/time/cumulative in ns becomes
/// weft_threads_time_cumulative_seconds_total{rank="0",worker="3"}. A total is a counter, any other
/// number a gauge. Arrays get a label `index`; refined counters get a label `counter` with the type
/// that they refine. The total over workers has no label `worker`: filter by worker="" or
/// worker!="" before you add. Counters without a value are in weft_counter_unavailable, with the
/// reason.
/// Units:   seconds, bytes, joules, watts; shares as ratio from 0 to 1.
/// Cost:    linear in the size of the text.
/// Source:  OpenMetrics 1.0.
/// Example: tests/counters/openmetrics_test.cpp: a_name_becomes_a_metric_with_labels.
[[nodiscard]] std::string openmetrics_text(const session_readings& readings,
                                           const help_lookup& help = registered_help);

}  // namespace weft::counters
