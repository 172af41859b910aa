// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers as people read them, and as programs do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace weft::top {

/// "-", what stands where a number is not known.
inline constexpr const char* no_number = "-";

/// Three digits and a prefix: "1.23 M", "999", "12.3 k".
[[nodiscard]] std::string short_count(double number);
/// "850 ns", "1.23 us", "12.3 ms", "4.56 s", "3 min 20 s", "2 h 5 min".
[[nodiscard]] std::string short_time(double seconds);
[[nodiscard]] std::string short_time(std::optional<double> seconds);
/// "34.2 MiB"
[[nodiscard]] std::string short_bytes(std::uint64_t bytes);
/// "12.3 %"; "100 %" and "0 %" only if it is exactly that.
[[nodiscard]] std::string short_share(double share);

/// The shortest digits that mean just this number, as JSON and CSV have them.
[[nodiscard]] std::string exact(double number);

}  // namespace weft::top
