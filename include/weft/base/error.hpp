// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The root of every exception weft throws.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "weft/base/printable.hpp"

namespace weft {

/// Which mistake an `error` reports, for programs that react to some of them. Those that weft does
/// not report itself are for the errors of its users.
enum class errc : std::uint8_t {
  success,
  unknown_error,  // of an error that was made without one
  assertion_failure,
  bad_function_call,
  bad_parameter,
  broken_promise,
  commandline_option_error,
  deadlock,
  filesystem_error,
  future_already_retrieved,
  future_cancelled,
  invalid_data,
  invalid_status,
  kernel_error,
  length_error,
  lock_error,
  no_state,
  no_success,
  not_implemented,
  null_thread_id,
  out_of_memory,
  out_of_range,
  promise_already_satisfied,
  task_already_started,
  task_canceled_exception,
  thread_cancelled,
  thread_not_interruptable,
  thread_resource_error,
  unhandled_exception,
  uninitialized_value,
  yield_aborted,
};

/// The base class of every weft exception; `what()` says what happened, why, and what to do
/// instead.
///
/// The message may name files and programs, so it is masked: a program can print it to a terminal.
class error : public std::runtime_error {
 public:
  explicit error(const std::string& what) : error(errc::unknown_error, what) {}
  error(errc code, const std::string& what)
      : std::runtime_error(base::printable(what)), code_(code) {}

  [[nodiscard]] errc get_error() const noexcept { return code_; }

 private:
  errc code_;
};

}  // namespace weft
