// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of the compiled module.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

/// What weft/algorithms.py calls.
void add_algorithms(nanobind::module_& to);
/// What weft/counters.py calls.
void add_counters(nanobind::module_& to);

}  // namespace weft::python
