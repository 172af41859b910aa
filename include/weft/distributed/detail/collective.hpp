// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all ranks do together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "weft/base/abi.hpp"  // IWYU pragma: keep

namespace weft::distributed {

/// A binary operation of `all_reduce`.
enum class reduction : std::uint8_t { sum, product, minimum, maximum };

namespace detail {

enum class collective_kind : std::uint8_t { barrier, all_gather, all_reduce, broadcast };
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
  /// By who polls. `why`: null, or what went wrong.
  virtual void done(const char* why) noexcept = 0;

  collective_kind kind = collective_kind::barrier;
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
