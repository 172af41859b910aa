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

/// What of a cell a problem needs to know.
struct request {
  input_class which = input_class::tiny;
  std::uint64_t seed = 42;
  launch_policy how = launch_policy::async;
  /// A search makes no more tasks than this; 0: as many as it needs.
  std::uint64_t max_tasks = 0;
  /// The tasks are those of the study's program, where it had others.
  bool has_original_graph = false;
};

/// One row of the suite's table; independent of the runtimes, as they are of it.
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
  /// Input, answer and what is needed on the way to it. Units: bytes.
  [[nodiscard]] virtual std::size_t memory_bytes(input_class which) const = 0;
  /// Shape:   `body` holds a `body_of` the row's input.
  [[nodiscard]] virtual std::unique_ptr<experiment> start(const request& what,
                                                          const std::any& body) const = 0;
};

/// All problems, in the order of the table.
std::span<const std::unique_ptr<const problem>> problems();

std::vector<std::string> problem_names();

/// The place of a problem in the table.
/// Errors:  `bad_cell` if there is none of that name, with the nearest there is.
std::size_t index_of_problem(std::string_view name);

}  // namespace weft::lab::inncabs
