// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process's counters as they were at one moment, in the words of the file they came from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weft/counters/segment_format.hpp"

#include "top/process_facts.hpp"

namespace weft::top {

/// Returns `later - earlier`, of times in a file that may be damaged: wraps where it does not fit.
[[nodiscard]] constexpr std::int64_t difference_ns(std::int64_t later,
                                                   std::int64_t earlier) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(later) -
                                   static_cast<std::uint64_t>(earlier));
}

struct snapshot {
  std::vector<std::uint64_t> words;  // the file, see segment_format.hpp
  counters::clock_pair now;          // on the machine where it was read
  std::int64_t realtime_ns = 0;      // since 1970
  process_facts process = {};
  std::map<std::uint64_t, std::string> symbols = {};  // names of addresses that were new

  bool operator==(const snapshot& other) const {
    return words == other.words && now.ticks == other.now.ticks &&
           now.monotonic_ns == other.now.monotonic_ns && realtime_ns == other.realtime_ns &&
           process == other.process && symbols == other.symbols;
  }
};

}  // namespace weft::top
