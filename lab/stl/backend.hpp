// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface of a backend: a name, operations for three element types, and control of its
// threads.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "lab/stl/operations.hpp"

namespace weft::lab::stl {

/// The peak memory that an implementation allocates for itself.
/// Units: bytes per byte of input; over-estimates are safe, under-estimates can exhaust the
///        machine.
struct scratch_factors {
  double sort = 1.0;
  double copy_if = 1.0;
  double others = 0.0;
  double by_key = 4.0;  // pairs of keys and values, and the same again
};

/// One implementation of the parallel STL.
struct backend {
  std::string_view name;
  /// True if it only uses the calling thread.
  bool is_serial = false;
  scratch_factors scratch;
  std::tuple<operations<int>, operations<float>, operations<double>> typed_operations;
  /// Library name to version, found at run time if the library reports it.
  std::map<std::string, std::string> (*libraries)() = nullptr;
  /// Calls `body(context)` while the pool has exactly `threads` threads.
  void (*with_threads)(int threads, void (*body)(void* context), void* context) = nullptr;
};

/// The backend this program was linked with; each file in lab/stl/backends defines it.
const backend& linked_backend();

}  // namespace weft::lab::stl
