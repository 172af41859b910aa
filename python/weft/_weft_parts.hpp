// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the compiled module, and what they share.
#pragma once

#include <nanobind/nanobind.h>
#include <unistd.h>

namespace weft::python {

/// Runs the rest of a scope without the GIL.
///
/// While Python ends, versions before 3.14 end a thread that takes the GIL by an exception, which
/// no destructor may throw. Such a thread, a daemon, waits here for the end of the process.
class gil_released {
 public:
  gil_released() noexcept : state_(PyEval_SaveThread()) {}
  gil_released(const gil_released&) = delete;
  gil_released& operator=(const gil_released&) = delete;
  ~gil_released() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {  // if it were left, the program would abort
      for (;;) {
        pause();
      }
    }
  }

 private:
  PyThreadState* state_;
};

/// What weft/algorithms.py calls.
void add_algorithms(nanobind::module_& to);
/// What weft/counters.py calls.
void add_counters(nanobind::module_& to);

}  // namespace weft::python
