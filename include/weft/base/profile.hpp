// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `./weft tune` has measured on this machine, for the library to use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weft/base/options.hpp"

namespace weft::base {

/// How loops write to ranges that are larger than the caches: streamed is by non-temporal stores.
enum class large_stores : std::uint8_t { plain, streamed };

/// The number of kinds of loops that write: fill, copy, map, scan, compact, clear.
inline constexpr std::size_t num_store_kinds = 6;

/// Values that were measured on a machine. Nothing: not in the profile, and the library decides as
/// it does without one.
struct machine_profile {
  std::array<std::optional<large_stores>, num_store_kinds> stores;  // by kind, as listed above
  std::optional<double> stream_from_bytes;     // that a call touches, for non-temporal stores
  std::optional<double> start_us;              // to start the workers of a process
  std::optional<double> wake_us;               // to wake a worker that sleeps
  std::optional<double> spin_us;               // that a worker searches before it sleeps
  std::optional<double> memory_bound_workers;  // more do not read memory faster
  std::optional<double> worker_gb_per_s;       // that one worker reads from memory
  // What timing adds to a task's measured duration, by the way that the task came to run.
  std::optional<double> timing_called_ticks;
  std::optional<double> timing_looped_ticks;
  std::optional<double> timing_grouped_ticks;
  std::optional<double> timing_cost_ticks;  // how long timing one task takes
};

/// The machine, library and compiler that measured a profile. On any other machine, by any other
/// library or compiler, its values are not used.
struct profile_origin {
  std::string processor;  // "AuthenticAMD family 25 model 17 stepping 1, virtual"
  std::string cpus;       // that are present, as the kernel lists them: "0-63"
  std::string weft;       // the version: "0.1.0"
  std::string compiler;   // "g++ 12.2.0"
  friend bool operator==(const profile_origin&, const profile_origin&) = default;
};

/// Returns the origin that a profile needs to be used by this process.
///
/// Cost:    about 10 us.
[[nodiscard]] profile_origin this_origin();

/// One value that a profile may hold, for people.
struct profile_value {
  std::string name;          // "workers.wake_us"
  std::string text;          // as in the profile; empty: it is not there
  int line = 0;              // of the profile
  std::string default_text;  // what holds without it
  std::string meaning;
};

/// A profile as it was read, or the reason why it is not used.
struct profile_reading {
  machine_profile values;          // all empty if there is a problem
  std::string file;                // empty: WEFT_PROFILE=off, or there is no home folder
  bool is_there = false;           // that file, whether its values are used or not
  std::string problem;             // why it is not used
  std::vector<profile_value> all;  // every value that a profile may hold
};

/// Reads the profile that `environment` names: WEFT_PROFILE, which is a path or `off`, else
/// weft/profile.toml in XDG_CONFIG_HOME or ~/.config.
///
/// A profile is text in a small part of TOML: sections, and lines `name = number` or `name =
/// "text"`. It is never code, and nothing that it names is opened. It is used as a whole or not at
/// all: an unknown name, a value outside its limits or another origin is a problem.
/// Errors:  std::bad_alloc. Mistakes in the file are in the result.
/// Example: tests/base/profile_test.cpp: a_profile_of_this_origin_is_used.
[[nodiscard]] profile_reading read_profile(const environment_lookup& environment,
                                           const profile_origin& here);

/// Returns the profile of this process. The first call reads it, and a message says why a file is
/// not used.
///
/// Cost:    30 us for the first call, then a load.
/// Threads: any.
/// Errors:  none; without memory there is no profile.
[[nodiscard]] const machine_profile& profile() noexcept;

}  // namespace weft::base
