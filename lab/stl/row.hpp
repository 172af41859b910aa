// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems that are rows of a table: one class of experiments for all problems with the same call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>

#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/operations.hpp"
#include "lab/stl/problem.hpp"

namespace weft::lab::stl {

/// Fills with one of the suite's inputs; inputs that are not random ignore the seed.
template <class T>
using filling = void (*)(std::span<T> elements, std::uint64_t seed);

/// The common members of rows. Derived rows add how the answer is computed and checked.
///
/// Shape: `Call` is one of the types of `operations<T>`'s members.
template <class T, class Call>
struct row {
  std::string_view name;
  Call operations<T>::* needs = nullptr;
  /// The least traffic of the best known technique. Units: array elements read or written, divided
  /// by the size.
  double traffic = 1.0;
  double scratch_factors::* scratch = &scratch_factors::others;
};

/// Adds every row of `Experiment<T>::rows()` to the table of problems.
///
/// Shape: `Experiment<T>` is constructible from `setup<T>` and a row, and has the static members
///        `rows()` (the same names for each T) and `array_bytes(size)`.
template <template <class> class Experiment>
class row_registration {
 public:
  row_registration() {
    for (const auto& each : Experiment<int>::rows()) {
      const registration entry(
          {.name = each.name, .parameters = {}, .memory_bytes = memory_bytes, .make = make});
    }
  }

 private:
  template <class T>
  static const auto& row_named(std::string_view name) {
    const auto& rows = Experiment<T>::rows();
    return *std::find_if(
        rows.begin(), rows.end(), [name](const auto& each) { return each.name == name; });
  }

  static std::size_t memory_bytes(const cell& what, const backend& with) {
    return with_element_type(what.type, [&]<class T>(T) {
      return bytes_with_scratch<T>(Experiment<T>::array_bytes(static_cast<double>(what.size)),
                                   with.scratch.*row_named<T>(what.problem).scratch,
                                   what);
    });
  }

  static make_result make(const cell& what, const backend& with) {
    return with_element_type(what.type, [&]<class T>(T) {
      const auto& chosen = row_named<T>(what.problem);
      const auto& offered = std::get<operations<T>>(with.typed_operations);
      const bool is_offered = offered.*chosen.needs != nullptr;
      return make_if_offered<T>(what, with, is_offered, [&](const setup<T>& given) {
        return std::make_unique<Experiment<T>>(given, chosen);
      });
    });
  }
};

}  // namespace weft::lab::stl
