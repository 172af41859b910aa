// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite's description of a problem: a row of a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/base/topology.hpp"

#include "lab/approaches/backend.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/parameters.hpp"

namespace weft::lab::approaches {

using make_result = std::variant<std::unique_ptr<experiment>, skip>;

/// One problem. Problems and approaches are independent of each other.
struct problem {
  std::string_view id;
  /// Completes "takes ..."
  std::string_view sizes;
  bool (*takes_size)(std::uint64_t size);
  std::vector<parameter> parameters;
  /// Input and output of a call. Units: bytes.
  std::size_t (*memory_bytes)(const cell& what);
  /// Returns the largest number of tasks of one call.
  std::uint64_t (*num_tasks)(const cell& what);
  /// Returns the experiment, or null if the approach does not offer it.
  std::unique_ptr<experiment> (*start)(const cell& what, const operations& by);
  /// Returns why this machine cannot measure it, with any approach; null: every machine can.
  std::optional<skip> (*impossible_on)(const base::topology& machine) = nullptr;
};

/// The Taylor series in all its layouts, and the costs of API calls; each sorted by name.
std::span<const problem> taylor_problems();
std::span<const problem> overhead_problems();

/// All problems of this program, sorted by name.
std::vector<std::string> problem_names();

/// Errors:  `bad_cell` with the nearest name.
const problem& problem_named(std::string_view name);

/// The experiment, or why this approach cannot run it.
[[nodiscard]] make_result make_experiment(const cell& what, const backend& with);

/// Returns why two threads cannot have a core each; empty if they can.
[[nodiscard]] std::optional<skip> without_two_cores(const base::topology& machine);

/// Returns the value of one of the problem's parameters. Errors: none; `check_parameters` is called
/// first.
[[nodiscard]] std::int64_t parameter_value(const cell& what, std::string_view name);

}  // namespace weft::lab::approaches
