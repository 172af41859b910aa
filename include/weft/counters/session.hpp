// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading counters: a set of them with its own baseline.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/registry.hpp"

namespace weft::counters {

/// The value that a session read of one counter.
struct session_reading {
  std::string name;  // in full: "/threads{locality#0/total}/count/cumulative"
  std::string unit;
  counter_kind kind = counter_kind::total;
  counter_value value;
  bool includes_pauses = false;  // it went on while the session was stopped
};

/// The value with its unit and, where it is an estimate, its error; or why there is none.
/// Example: examples/list_counters.cpp
[[nodiscard]] std::string to_string(const session_reading& reading);

/// All values of one evaluation, read at one moment.
struct session_readings {
  std::uint64_t number = 0;                 // 1 for a session's first evaluation
  std::chrono::nanoseconds since_start{0};  // of the session
  std::chrono::system_clock::time_point time;
  std::vector<session_reading> values;

  /// The value of a counter by its full name or a pattern that means just one.
  /// Errors: `weft::error` if there is no such counter in the session, or no such value: says why.
  [[nodiscard]] double number_of(std::string_view name) const;
  /// The same of one that is a histogram.
  [[nodiscard]] const histogram_value& histogram_of(std::string_view name) const;
};

/// Whether a reading also resets the counters.
enum class after_reading : std::uint8_t { keep, reset };

/// Counters that are read together.
///
/// Totals count from the session's start, or its last reset; sessions do not affect each other.
/// Counters that appear later (workers added) join at the next evaluation if a wildcard, or a name
/// without instance, matches them. Counters that vanish read as unavailable.
/// Cost:    `evaluate` reads what the counters need once; it runs no task and takes no lock that
///          a worker takes. A session with /statistics has a thread that samples for it. Counters
///          of other localities cost a message and its answer; the calling thread waits for at most
///          2 s. The constructor, and a wildcard for localities, ask these for names first.
/// Threads: one thread at a time; several sessions at once.
/// Errors:  the constructor throws `weft::error` for a name that means nothing, with the nearest.
/// Example: examples/sample_counters.cpp
class session {
 public:
  session(std::initializer_list<std::string_view> names);
  explicit session(std::span<const std::string> names, registry& from = process_counters());
  session(session&&) noexcept;
  session& operator=(session&&) noexcept;
  ~session();

  [[nodiscard]] session_readings evaluate(after_reading then = after_reading::keep);
  void reset();
  /// `stop` pauses counting until `start`: what happens in between is in no value until the next
  /// reset. So a session can count the calls that are measured and nothing between them.
  ///
  /// Totals of the process, of kernel events and of the program stop. Other counters go on, and
  /// their readings say so: `session_reading::includes_pauses`.
  /// Cost:    one system call, and one more per kernel event and thread that existed at the
  ///          session's start. Counters of the process take less than 1 us.
  /// Example: tests/counters/session_test.cpp: what_happens_while_it_is_stopped_does_not_count.
  void stop();
  void start();
  /// In full, in the order of their values.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  class state;
  std::unique_ptr<state> state_;
};

/// Evaluates the counters given on the command line or in WEFT_COUNTERS and prints them, as the
/// options say, at once. Without any, after the end of `main`, and in a fork nothing happens.
///
/// The description is printed with the values; not in openmetrics, where it has no place.
/// Threads: any; one evaluation at a time, the others wait.
/// Example: tests/tasks/print_counters_test.cpp: the_program_may_print_and_reset_them_in_between.
void evaluate_active(std::string_view description = {});
/// Lets these counters count from now on.
void reset_active();

}  // namespace weft::counters
