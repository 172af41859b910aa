// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `policy.with(...)` takes: how a range is cut, by how many workers, and what else is wanted.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

#include "weft/base/durations.hpp"
#include "weft/execution/conversions.hpp"  // IWYU pragma: export

namespace weft {

namespace algorithms {
/// Properties of one category replace each other; see `policy.with`.
struct chunk_rule {};
/// The category of `num_cores`.
struct core_limit {};
/// The category of `max_num_chunks`.
struct chunk_limit {};
/// The category of `collect_chunking_parameters`.
struct chunking_report {};
/// The category of `deterministic`.
struct reproducibility {};
/// The category of `terminate_on_exception`.
struct failure {};
/// The category of `in_place`.
struct memory_use {};
}  // namespace algorithms

/// Chunks of `size` elements each; without a size, or with 0 as in HPX, four equal chunks per worker.
struct static_chunk_size {
  using category = algorithms::chunk_rule;
  std::optional<std::size_t> size = {};
};

/// Chunks that take about `time` each, judged by the time of the first elements. The default, with
/// a time chosen by weft.
struct auto_chunk_size {
  using category = algorithms::chunk_rule;
  std::chrono::nanoseconds time = std::chrono::microseconds(200);
};

/// As `auto_chunk_size`, but the size found by the first call is kept for later ones that are given
/// the same object, which must outlive them.
/// Threads: calls may share one.
class persistent_auto_chunk_size {
 public:
  using category = algorithms::chunk_rule;
  explicit persistent_auto_chunk_size(
      std::chrono::nanoseconds target = std::chrono::microseconds(200)) noexcept
      : time_(target) {}

  /// How long one chunk is to take.
  [[nodiscard]] std::chrono::nanoseconds time() const noexcept { return time_; }
  /// Elements of each chunk; none before a call has found it.
  [[nodiscard]] std::optional<std::size_t> size() const noexcept {
    const std::size_t found = size_.load(std::memory_order_relaxed);  // a number, nothing else
    return found == unknown ? std::nullopt : std::optional(found);
  }
  /// Gives later calls chunks of `size` elements.
  void keep(std::size_t size) const noexcept { size_.store(size, std::memory_order_relaxed); }

 private:
  static constexpr std::size_t unknown = 0;  // no chunk is empty
  std::chrono::nanoseconds time_;
  mutable std::atomic<std::size_t> size_{unknown};
};

/// Chunks of `size` elements; each free worker takes the next one.
struct dynamic_chunk_size {
  using category = algorithms::chunk_rule;
  std::size_t size = 1;
};

/// Chunks that shrink with what is left, none below `min_size` elements but the last.
struct guided_chunk_size {
  using category = algorithms::chunk_rule;
  std::size_t min_size = 1;
};

/// At most `count` workers, the caller among them, 0 as 1; without a count, all.
struct num_cores {
  using category = algorithms::core_limit;
  std::optional<std::size_t> count = {};
};

/// At most `count` chunks, 0 as 1; without a count, any number.
struct max_num_chunks {
  using category = algorithms::chunk_limit;
  std::optional<std::size_t> count = {};
};

/// The parameters that a call chose.
struct chunking_parameters {
  std::size_t num_elements = 0;
  std::size_t num_cores = 0;   // that could have taken part
  std::size_t num_chunks = 0;  // that were taken
  /// Of the first chunk that others could take; none: the caller did all.
  std::optional<std::size_t> chunk_size = {};
};

/// Writes what the call chose to `*into` before the call returns.
struct collect_chunking_parameters {
  using category = algorithms::chunking_report;
  explicit collect_chunking_parameters(chunking_parameters& target) noexcept : into(&target) {}
  chunking_parameters* into;
};

/// `policy.with(deterministic)`: a result that is bitwise the same for any number of workers.
struct deterministic_t {
  using category = algorithms::reproducibility;
};
inline constexpr deterministic_t deterministic{};

/// `policy.with(in_place)`: sorts and merges use no memory that grows with the range, even if
/// memory would make them faster. There is one exception: `sort` of 4 MiB or more of non-arithmetic
/// elements of at most 256 bytes. It uses 0.5 MiB per worker and a thousandth of the range.
struct in_place_t {
  using category = algorithms::memory_use;
};
inline constexpr in_place_t in_place{};

/// `policy.with(terminate_on_exception)`: std::terminate, as the standard has it for its policies.
struct terminate_on_exception_t {
  using category = algorithms::failure;
};
inline constexpr terminate_on_exception_t terminate_on_exception{};

}  // namespace weft
