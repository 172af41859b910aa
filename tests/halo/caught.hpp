// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a mistake is answered with.
#pragma once

#include <optional>
#include <string>

#include "weft/halo/error.hpp"

namespace weft::halo::test {

/// A `halo::error`, or none.
struct caught {
  std::string what = "nothing was thrown";
  errc code = errc::mpi_call;
  std::optional<int> rank = -2;  // neither a rank nor none
};

template <class Body>
caught caught_from(const Body& body) {
  try {
    body();
  } catch (const error& thrown) {
    return {.what = thrown.what(), .code = thrown.code(), .rank = thrown.rank()};
  }
  return {};
}

/// Its sentence alone.
template <class Body>
std::string error_of(const Body& body) {
  return caught_from(body).what;
}

}  // namespace weft::halo::test
