// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The problems of the table without the types of their inputs and results.
#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/harness/parameters.hpp"
#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/launch_policy.hpp"

namespace weft::lab::inncabs {

/// The parts of a cell that a problem uses.
struct request {
  input_class which = input_class::tiny;
  std::uint64_t seed = 42;
  launch_policy how = launch_policy::async;
  /// The largest number of tasks of a search; 0: no limit.
  std::uint64_t max_tasks = 0;
  /// Use the task graph of the study's program, if it differs.
  bool has_original_graph = false;
};

/// One row of the suite's table. Problems and runtimes are independent of each other.
class problem {
 public:
  problem() = default;
  problem(const problem&) = delete;
  problem& operator=(const problem&) = delete;
  virtual ~problem() = default;

  [[nodiscard]] virtual const description& about() const noexcept = 0;
  [[nodiscard]] std::string_view name() const noexcept { return about().name; }
  [[nodiscard]] virtual std::string scaled(input_class which) const = 0;
  [[nodiscard]] virtual std::span<const parameter> parameters() const noexcept = 0;
  /// The memory of input, answer and intermediate data. Units: bytes.
  [[nodiscard]] virtual std::size_t memory_bytes(input_class which) const = 0;
  /// Shape:   `body` holds a `body_of` the row's input.
  [[nodiscard]] virtual std::unique_ptr<experiment> start(const request& what,
                                                          const std::any& body) const = 0;
};

/// All problems, in the order of the table.
std::span<const std::unique_ptr<const problem>> problems();

std::vector<std::string> problem_names();

/// Returns the index of a problem in the table.
/// Errors:  `bad_cell` if the name is unknown, with the nearest one.
std::size_t index_of_problem(std::string_view name);

}  // namespace weft::lab::inncabs
