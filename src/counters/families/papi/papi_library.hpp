// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of PAPI that weft uses; tests replace them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::counters::detail {

/// A number, or the reason why there is none.
struct papi_answer {
  int value = 0;
  std::string problem = {};
};

/// Functions that return a text return what failed; empty: success.
///
/// Threads: one thread at a time.
class papi_library {
 public:
  papi_library() = default;
  papi_library(const papi_library&) = delete;
  papi_library& operator=(const papi_library&) = delete;
  virtual ~papi_library() = default;

  /// Initialises PAPI at the first call. If it returns no problem, the other functions may be
  /// called.
  virtual std::string begin() = 0;
  /// Returns the code of an event. Even an event with a code may be impossible to count.
  virtual papi_answer find_event(const std::string& name) = 0;
  /// Makes an event set that counts a thread in user mode.
  virtual papi_answer make_set(int thread_id) = 0;
  virtual std::string add(int set, int event) = 0;
  virtual void remove(int set, int event) = 0;
  virtual std::string start(int set) = 0;
  /// Returns the count of each of the `num_events` events since the start, in the order of `add`.
  virtual std::optional<std::vector<std::int64_t>> read(int set, std::size_t num_events) = 0;
  virtual void stop(int set, std::size_t num_events) = 0;
  virtual void destroy(int set) = 0;
};

/// PAPI on this machine, or an object that reports its absence.
[[nodiscard]] papi_library& running_papi();

}  // namespace weft::counters::detail
