// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers, times and texts in the formats of counters.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::counters::detail {

/// Returns the fewest digits that give `value` again: "0.1", "1e+30", "nan", "inf".
[[nodiscard]] std::string shortest(double value);
/// Returns the number as OpenMetrics requires bounds of buckets: "1.0", "1e-07", "+Inf".
[[nodiscard]] std::string canonical(double value);
/// Returns `value` with `num_digits` digits after the decimal point: "12.30".
[[nodiscard]] std::string fixed(double value, int num_digits);
/// Returns "1,234,567".
[[nodiscard]] std::string grouped(std::int64_t value);
/// Returns "12 ns", "1.23 us", or "2.35 s".
[[nodiscard]] std::string human_time_ns(double duration_ns);
/// Returns "512 B" or "1.5 MiB".
[[nodiscard]] std::string human_bytes(double bytes);
/// Returns "0.212527123".
[[nodiscard]] std::string seconds_text(std::chrono::nanoseconds duration);
/// Returns "2026-11-21T13:48:56.123456789Z".
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);
/// Returns `text` in double quotes, with JSON's escapes.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace weft::counters::detail
