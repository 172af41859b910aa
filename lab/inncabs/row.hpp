// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A row of the suite's table: a problem as its folder defines it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "lab/inncabs/description.hpp"
#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/launch_policy.hpp"

namespace weft::lab::inncabs {

/// The properties of a problem that its input does not determine. `run_serial`, `mismatch`,
/// `num_tasks`, `run_futures` and `run_groups` are found in the namespace of `Input`.
template <class Input>
struct row {
  description about;
  Input (*make)(input_class which, std::uint64_t seed);
  /// Empty, or the part that is smaller than in the study, and by how much.
  std::string (*scaled)(input_class which);
  /// The memory of input, answer and intermediate data; null: negligible.
  std::size_t (*memory_bytes)(input_class which) = nullptr;
};

template <class Input>
using result_of = decltype(run_serial(std::declval<const Input&>()));

/// Solves a problem with a runtime; called by a thread outside of it.
template <class Input>
using body_of = result_of<Input> (*)(const Input& from, launch_policy how);

}  // namespace weft::lab::inncabs
