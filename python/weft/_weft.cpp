// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled module of weft for Python: algorithms and counters. They share one library, so that
// the counters see the workers of the algorithms.
#include <nanobind/nanobind.h>

#include "weft/base/error.hpp"

#include "_weft_parts.hpp"

NB_MODULE(_weft, m) {                  // NOLINT(*): the macro's code is nanobind's
  nanobind::set_leak_warnings(false);  // programs may end with sessions that are still theirs
  // NOLINTNEXTLINE(bugprone-*,misc-include-cleaner): it registers the type; the name is Python.h's
  nanobind::exception<weft::error>(m, "error", PyExc_RuntimeError);
  weft::python::add_algorithms(m);
  weft::python::add_counters(m);
}
