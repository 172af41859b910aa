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

/// The parts of the price of timing a task. The first three are what timing adds to the measured
/// duration of a task.
enum class timing_part : std::uint8_t {
  called,   // run by its parent
  looped,   // run by a worker's loop
  grouped,  // of a task group
  cost      // how long timing itself takes
};
/// The number of those parts.
inline constexpr std::size_t num_timing_parts = 4;

/// Values that were measured on a machine. Nothing: not in the profile, and the library decides as
/// it does without one.
struct machine_profile {
  std::array<std::optional<large_stores>, num_store_kinds> stores;  // by kind, as listed above
  std::optional<double> stream_from_bytes;  // a call that touches more uses non-temporal stores
  std::optional<double> start_us;           // to start the workers of a process
  std::optional<double> wake_us;            // to wake a parked worker
  std::optional<double> spin_us;            // that a worker searches at least before it parks
  // All three or none.
  std::optional<double> memory_workers;   // read memory as fast as all workers
  std::optional<double> worker_gb_per_s;  // that one worker reads from memory
  std::optional<double> cache_bytes;      // that the last-level caches hold together
  std::array<std::optional<double>, num_timing_parts> timing;  // in ticks; all or none
};

/// The machine, library and compiler that measured a profile. On any other machine, or by another
/// version, its values are not used; by another compiler or without optimisation, those of `timing`
/// are not.
struct profile_origin {
  std::string processor;  // "AuthenticAMD family 25 model 17 stepping 1, virtual"
  std::string cpus;       // that are present, as the kernel lists them: "0-63"
  std::string weft;       // the version: "0.1.0"
  std::string build;      // "g++ 12.2, optimised"
  friend bool operator==(const profile_origin&, const profile_origin&) = default;
};

/// Returns the origin that a profile needs to be used by this process.
///
/// Cost:    about 30 us, and 80 us where its code is not yet loaded.
[[nodiscard]] profile_origin this_origin();

/// One value that a profile may hold, for people.
struct profile_value {
  std::string name;          // "workers.wake_us"
  std::string text;          // as in the profile, and printable; empty: the default holds
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
/// all. Problems are another origin, an unknown name, a name given twice, and a value outside its
/// limits.
/// Errors:  std::bad_alloc. Mistakes in the file are in the result.
/// Example: tests/base/profile_test.cpp: a_profile_of_this_origin_is_used.
[[nodiscard]] profile_reading read_profile(const environment_lookup& environment,
                                           const profile_origin& here);

/// Returns the profile of this process. The first call reads it, and a message says why a file is
/// not used.
///
/// Cost:    the first call takes 30 us without a profile and 170 us with one, where its code is not
///          yet loaded; then a load.
/// Threads: any.
/// Errors:  none; without memory there is no profile.
[[nodiscard]] const machine_profile& profile() noexcept;

}  // namespace weft::base
