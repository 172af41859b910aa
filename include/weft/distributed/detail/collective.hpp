// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The collective operations of a job, as a transport performs them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::distributed {

/// A binary operation of `all_reduce`.
enum class reduction : std::uint8_t { sum, product, minimum, maximum };

namespace detail {

enum class collective_kind : std::uint8_t { barrier, all_gather, all_reduce, broadcast };
/// Operations of one channel are started in the same order by all ranks.
enum class collective_channel : std::uint8_t { program, quiescence };
inline constexpr std::size_t num_channels = 2;
enum class element : std::uint8_t {
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float32,
  float64
};

/// One operation, in memory that lives until `done` is called.
struct collective {
  collective() = default;
  collective(const collective&) = delete;
  collective& operator=(const collective&) = delete;
  /// The polling thread calls it when the operation is complete. One that fails ends the job.
  virtual void done() noexcept = 0;

  collective_kind kind = collective_kind::barrier;
  collective_channel channel = collective_channel::program;
  element type = element::uint8;         // of all_reduce; others count bytes
  reduction operation = reduction::sum;  // of all_reduce
  const void* input = nullptr;           // of all_gather and all_reduce
  void* output = nullptr;                // of broadcast: of the root, the input
  std::size_t count = 0;                 // of one rank
  int root = 0;

 protected:
  ~collective() = default;
};

}  // namespace detail
}  // namespace weft::distributed
