// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers, times and texts as the formats of counters write them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::counters::detail {

/// The fewest digits that give `value` again: "0.1", "1e+30", "nan", "inf".
[[nodiscard]] std::string shortest(double value);
/// The same as OpenMetrics wants bounds of buckets: "1.0", "1e-07", "+Inf".
[[nodiscard]] std::string canonical(double value);
/// With so many digits behind the point: "12.30".
[[nodiscard]] std::string fixed(double value, int num_digits);
/// "1,234,567"
[[nodiscard]] std::string grouped(std::int64_t value);
/// "12 ns", "1.23 us", "2.35 s"
[[nodiscard]] std::string human_time_ns(double duration_ns);
/// "512 B", "1.5 MiB"
[[nodiscard]] std::string human_bytes(double bytes);
/// "0.212527123"
[[nodiscard]] std::string seconds_text(std::chrono::nanoseconds duration);
/// "2026-11-21T13:48:56.123456789Z"
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);
/// In double quotes, with what JSON escapes.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace weft::counters::detail
