// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Neighbours reached by MPI: one persistent message each way per peer and phase.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/options.hpp"

#include "halo/fields/copy.hpp"
#include "halo/fields/copy_list.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {

/// An MPI datatype that is freed with its owner.
class datatype {
 public:
  datatype() = default;
  explicit datatype(MPI_Datatype made) noexcept : made_(made) {}
  datatype(datatype&& other) noexcept;
  datatype& operator=(datatype&& other) noexcept;
  ~datatype();

  [[nodiscard]] MPI_Datatype get() const noexcept { return made_; }

 private:
  MPI_Datatype made_ = MPI_DATATYPE_NULL;
};

/// The two parameters `count` and `datatype` of MPI's calls.
struct counted_type {
  int count = 1;
  datatype made = {};  // none: elements are bytes

  [[nodiscard]] MPI_Datatype type() const noexcept {
    return made.get() == MPI_DATATYPE_NULL ? MPI_BYTE : made.get();
  }
};

/// Returns the description of `bytes` bytes; one datatype if an int cannot count them.
[[nodiscard]] counted_type counted_bytes(std::ptrdiff_t bytes);

/// Returns `bytes` bytes as one committed datatype: an int cannot count more than 2 GiB.
/// `chunk_bytes` is the largest size of one part; at most INT_MAX.
[[nodiscard]] datatype bytes_type(std::ptrdiff_t bytes, std::ptrdiff_t chunk_bytes = 1 << 30);

/// Returns the cells of `what`, relative to the field's first byte, in the order in which they are
/// packed.
[[nodiscard]] datatype cells_type(const shape& field, const piece& what);

/// Uninitialised bytes: filling large buffers took longer than the rest of a plan.
class unfilled_bytes {
 public:
  unfilled_bytes() = default;
  explicit unfilled_bytes(std::size_t size)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(size)), size_(size) {}

  [[nodiscard]] std::byte* data() const noexcept { return bytes_.get(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

/// Returns the copy from the field into a buffer, or back.
[[nodiscard]] box_copy copy_of(const shape& field, const piece& what, bool is_out);

/// Cells in MPI's terms.
struct described_cells {
  std::ptrdiff_t offset = 0;  // bytes, from the field's first byte
  counted_type what;
};

/// Describes the cells of `what`; contiguous cells as bytes.
[[nodiscard]] described_cells cells_for_mpi(const shape& field, const piece& what);

/// One direction of the messages to one peer: a persistent request over a buffer, or over the
/// fields.
class message {
 public:
  /// Errors: `halo::error` (`unsupported`) if MPI would have to pack more than it can count.
  message(const grid& processes,
          const agenda& about,
          std::vector<piece> pieces,
          std::ptrdiff_t bytes,
          bool is_out);
  message(message&&) noexcept = default;
  message& operator=(message&&) noexcept = default;
  ~message() = default;

  [[nodiscard]] bool is_empty() const noexcept { return pieces_.empty(); }
  [[nodiscard]] bool goes_from_fields() const noexcept { return goes_from_fields_; }
  /// Makes `request` refer to these fields, unless it does already.
  void prepare(const grid& processes,
               std::span<std::byte* const> fields,
               int peer,
               int tag,
               MPI_Request& request);
  /// Adds the copies that MPI does not do itself to `copies`.
  void pack(const grid& processes, std::span<std::byte* const> fields, copy_list& copies);
  void unpack(const grid& processes,
              std::span<std::byte* const> fields,
              std::span<const combining> how,
              copy_list& copies);
  [[nodiscard]] std::size_t num_copies() const noexcept;

 private:
  void describe_fields(std::span<std::byte* const> fields);
  [[nodiscard]] std::size_t bytes_packed_by_mpi(const grid& processes, std::ptrdiff_t bytes) const;

  std::vector<piece> pieces_;
  bool is_out_;
  bool is_prepared_ = false;
  bool goes_from_fields_ = false;  // no buffer: MPI reads and writes the fields
  bool packs_by_mpi_ = false;
  std::vector<std::size_t> element_bytes_;  // per field
  std::vector<std::vector<sweep>> sweeps_;  // per field, between field and buffer
  std::vector<described_cells> cells_;      // per piece, if MPI packs
  unfilled_bytes buffer_;
  std::vector<std::byte*> described_;  // the fields that `all_` refers to
  void* start_ = nullptr;              // start of the message in the fields, or MPI_BOTTOM
  counted_type all_;                   // the contents of the message
};

}  // namespace weft::halo::detail
