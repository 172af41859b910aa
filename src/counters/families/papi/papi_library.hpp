// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What weft asks of PAPI; tests put another one behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::counters::detail {

/// A number, or why there is none.
struct papi_answer {
  int value = 0;
  std::string problem = {};
};

/// Calls that return text say what is wrong; empty: nothing.
///
/// Threads: one thread at a time.
class papi_library {
 public:
  papi_library() = default;
  papi_library(const papi_library&) = delete;
  papi_library& operator=(const papi_library&) = delete;
  virtual ~papi_library() = default;

  /// Begins with it, the first time; the other calls are allowed if there is no problem.
  virtual std::string begin() = 0;
  /// Returns the code of an event; that it has one says nothing about whether it can be counted.
  virtual papi_answer find_event(const std::string& name) = 0;
  /// Makes a set that counts a thread in user mode.
  virtual papi_answer make_set(int thread_id) = 0;
  virtual std::string add(int set, int event) = 0;
  virtual void remove(int set, int event) = 0;
  virtual std::string start(int set) = 0;
  /// Returns what each of `num_events` has counted since the start, in the order of `add`.
  virtual std::optional<std::vector<std::int64_t>> read(int set, std::size_t num_events) = 0;
  virtual void stop(int set, std::size_t num_events) = 0;
  virtual void destroy(int set) = 0;
};

/// PAPI on this machine, or what says that there is none.
[[nodiscard]] papi_library& running_papi();

}  // namespace weft::counters::detail
