// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the events of memory controllers in /sys/bus/event_source/devices.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counters/families/perf/perf_event.hpp"

namespace weft::counters::detail {

enum class memory_direction : std::uint8_t { read, write };

/// Returns the events that count the bytes transferred by memory controllers; empty if there are
/// none.
///
/// Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{events,format}.
[[nodiscard]] std::vector<event_place> memory_event_places(const std::filesystem::path& root,
                                                           memory_direction direction);

/// Encodes event text such as "event=0x04,umask=0x03" for a unit of kernel type `type`.
///
/// `format_of` returns a term's bits, "config:8-15" or "config1:0-7,32", or nothing.
[[nodiscard]] std::optional<event_code> encode_event(
    std::string_view text,
    std::uint32_t type,
    const std::function<std::optional<std::string>(std::string_view)>& format_of);

}  // namespace weft::counters::detail
