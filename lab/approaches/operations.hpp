// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations of an approach: one function per problem, null if the approach does not offer it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "lab/approaches/series.hpp"
#include "lab/tasks/operations.hpp"

namespace weft::lab::approaches {

using tasks::numeric_operation;
using tasks::request;

/// How a loop is cut into chunks.
enum class schedule_kind : std::uint8_t { automatic, fixed, dynamic, guided };

/// `chunk_size` elements per chunk; with `guided` at least that many; `automatic` ignores it.
struct chunking {
  schedule_kind kind = schedule_kind::automatic;
  std::size_t chunk_size = 1;
};

/// Units of an API whose input is made outside the timed part.
class prepared_units {
 public:
  prepared_units() = default;
  prepared_units(const prepared_units&) = delete;
  prepared_units& operator=(const prepared_units&) = delete;
  virtual ~prepared_units() = default;

  /// Makes the input of the next `use`.
  virtual void prepare() = 0;
  /// Consumes it, and returns the sum of the units' results.
  virtual std::uint64_t use() = 0;
};

using prepared_operation = std::unique_ptr<prepared_units> (*)(const request& what);

/// The problems of an approach. Every function is called from outside its runtime, by one thread.
struct operations {
  /// Equal work: every part adds its terms as it computes them.
  double (*fused)(const series& what) = nullptr;
  /// As `fused`, in a grouping that depends only on n.
  double (*deterministic)(const series& what) = nullptr;
  /// The paper's layout: `terms` holds 1 ... n; each becomes its term in place, then they are
  /// added.
  double (*over_vector)(const series& what, double* terms) = nullptr;
  /// As `over_vector`, but the call itself allocates, zeroes and fills the vector.
  double (*from_scratch)(const series& what) = nullptr;
  /// The paper's layout as one parallel loop in the given chunks, and one parallel sum.
  double (*chunked)(const series& what, const chunking& how, double* terms) = nullptr;
  /// False if the approach has no loop with shrinking chunks.
  bool has_guided_chunks = true;

  /// How `fused` adds; `deterministic` is pairwise, the problems with a vector are not.
  summation fused_summation = summation::pairwise;

  numeric_operation async_get = nullptr;
  numeric_operation then_chain = nullptr;
  numeric_operation when_all = nullptr;
  numeric_operation dataflow = nullptr;
  numeric_operation await_task = nullptr;
  numeric_operation await_future = nullptr;
  prepared_operation await_ready = nullptr;
  prepared_operation when_all_join = nullptr;
  /// Called within a task of the approach's pool.
  numeric_operation schedule_then_wait = nullptr;
  /// Called by a thread outside the pool; each body runs on a thread of the pool.
  numeric_operation schedule_from_outside = nullptr;
  /// Nested waits, `size` deep.
  numeric_operation nested_wait = nullptr;
  /// A cache line's round trip between two cores: not an API, but the least cost of any call from
  /// outside.
  numeric_operation round_trip = nullptr;
  numeric_operation bulk_chunk = nullptr;
  numeric_operation for_each_empty = nullptr;
  numeric_operation grain = nullptr;
};

/// Elements of one call of `for_each_empty`.
inline constexpr std::size_t for_each_elements = 1000;

}  // namespace weft::lab::approaches
