// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Persistent messages: created once, started repeatedly.
#include "halo/transport/message_links.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/fields/copy.hpp"
#include "halo/fields/copy_list.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/mpi_turn.hpp"

namespace weft::halo::detail {
namespace {

datatype committed(MPI_Datatype made) {
  datatype owner(made);
  check_mpi(MPI_Type_commit(&made), "MPI_Type_commit");
  return owner;
}

MPI_Aint address_of(const void* at) {
  MPI_Aint address = 0;
  check_mpi(MPI_Get_address(at, &address), "MPI_Get_address");
  return address;
}

/// Returns a datatype of `parts` in sequence: `counts` of each, `at` bytes from the start.
datatype joined(const std::vector<MPI_Aint>& at,
                const std::vector<int>& counts,
                const std::vector<MPI_Datatype>& parts) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_struct(
                static_cast<int>(parts.size()), counts.data(), at.data(), parts.data(), &made),
            "MPI_Type_create_struct");
  return committed(made);
}

/// Returns a datatype of `count` elements whose first bytes are `stride` bytes apart.
datatype repeated(const datatype& what, std::ptrdiff_t count, std::ptrdiff_t stride) {
  constexpr std::ptrdiff_t chunk = 1 << 30;
  if (count > INT_MAX) {  // MPI counts by an int
    const datatype chunks = repeated(repeated(what, chunk, stride), count / chunk, chunk * stride);
    const datatype rest = repeated(what, count % chunk, stride);
    return joined({0, static_cast<MPI_Aint>(count / chunk * chunk * stride)},
                  {1, 1},
                  {chunks.get(), rest.get()});
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_create_hvector(
                static_cast<int>(count), 1, static_cast<MPI_Aint>(stride), what.get(), &made),
            "MPI_Type_create_hvector");
  return datatype(made);
}

datatype bytes_of_element(std::size_t bytes) {
  if (bytes > INT_MAX) {
    return bytes_type(static_cast<std::ptrdiff_t>(bytes));
  }
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &made), "MPI_Type_contiguous");
  return datatype(made);
}

}  // namespace

datatype::datatype(datatype&& other) noexcept
    : made_(std::exchange(other.made_, MPI_DATATYPE_NULL)) {}

datatype& datatype::operator=(datatype&& other) noexcept {
  std::swap(made_, other.made_);
  return *this;
}

datatype::~datatype() {
  if (made_ != MPI_DATATYPE_NULL && is_mpi_running()) {
    MPI_Type_free(&made_);
  }
}

counted_type counted_bytes(std::ptrdiff_t bytes) {
  return bytes <= INT_MAX ? counted_type{.count = static_cast<int>(bytes)}
                          : counted_type{.made = bytes_type(bytes)};
}

datatype bytes_type(std::ptrdiff_t bytes, std::ptrdiff_t chunk_bytes) {
  const auto whole = static_cast<int>(bytes / chunk_bytes);
  const auto rest = static_cast<int>(bytes % chunk_bytes);
  MPI_Datatype made = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(static_cast<int>(chunk_bytes), MPI_BYTE, &made),
            "MPI_Type_contiguous");
  const datatype chunk(made);
  check_mpi(MPI_Type_contiguous(whole, chunk.get(), &made), "MPI_Type_contiguous");
  const datatype chunks(made);
  check_mpi(MPI_Type_contiguous(rest, MPI_BYTE, &made), "MPI_Type_contiguous");
  const datatype last(made);
  return joined(
      {0, static_cast<MPI_Aint>(whole) * chunk_bytes}, {1, 1}, {chunks.get(), last.get()});
}

datatype cells_type(const shape& field, const piece& what) {
  datatype cells = bytes_of_element(field.element_bytes);
  for (const std::size_t d : packing_order(field, what)) {
    cells = repeated(cells, what.cells[d], field.strides[d]);
  }
  return joined({static_cast<MPI_Aint>(offset_of(field, what.first))}, {1}, {cells.get()});
}

box_copy copy_of(const shape& field, const piece& what, bool is_out) {
  const box_side cells{.offset = offset_of(field, what.first), .strides = field.strides};
  const box_side packed{.offset = what.buffer_offset, .strides = packed_strides(field, what)};
  return is_out ? make_copy(field.element_bytes, what.cells, packed, cells)
                : make_copy(field.element_bytes, what.cells, cells, packed);
}

// Contiguous cells are sent as bytes, without a datatype of their own. Once a program has more than
// 768 types, MPICH 4.0 omits the last bytes of contiguous types when it packs them. This also
// affects messages within a node. Its typerep_do_pack mistakes their handle for that of a basic
// type (github.com/pmodels/mpich, v4.0.2, typerep_yaksa_pack.c).
described_cells cells_for_mpi(const shape& field, const piece& what) {
  const box_copy cells = copy_of(field, what, true);
  if (cells.is_contiguous() && cells.bytes() <= INT_MAX) {
    return {.offset = offset_of(field, what.first), .what = counted_bytes(cells.bytes())};
  }
  return {.what = {.made = cells_type(field, what)}};
}

message::message(const grid& processes,
                 const agenda& about,
                 std::vector<piece> pieces,
                 std::ptrdiff_t bytes,
                 bool is_out)
    : pieces_(std::move(pieces)), is_out_(is_out) {
  std::vector<std::vector<box_copy>> boxes(about.fields.size());
  bool is_contiguous = true;
  for (const piece& each : pieces_) {
    boxes[each.field].push_back(copy_of(about.fields[each.field], each, is_out));
    is_contiguous = is_contiguous && boxes[each.field].back().is_contiguous();
  }
  const packing how = about.options.packing;
  // Values to combine with cells must not overwrite the cells first.
  const bool may_skip_buffer = is_out || about.way == flow::owner_to_halo;
  goes_from_fields_ = may_skip_buffer &&
                      (how == packing::mpi_datatype || (how == packing::direct && is_contiguous));
  // Nor are values combined that only MPI can read: owners read the values that return from halos.
  packs_by_mpi_ = about.way == flow::owner_to_halo && how == packing::mpi_pack;
  for (std::size_t field = 0; field < boxes.size(); ++field) {
    element_bytes_.push_back(about.fields[field].element_bytes);
    if (may_skip_buffer) {
      sweeps_.push_back(paired(boxes[field]));
      continue;
    }
    sweeps_.emplace_back();
    for (const box_copy& each : boxes[field]) {
      sweeps_.back().push_back({.first = each});
    }
  }
  if (goes_from_fields_ || packs_by_mpi_) {
    for (std::size_t n = 0; n < pieces_.size(); ++n) {
      cells_.push_back(cells_for_mpi(about.fields[pieces_[n].field], pieces_[n]));
    }
  }
  if (packs_by_mpi_) {
    const auto size =
        std::max(static_cast<std::size_t>(bytes), bytes_packed_by_mpi(processes, bytes));
    buffer_ = unfilled_bytes(size);
    // MPI may pack less than it announces, and the whole buffer is sent.
    std::memset(buffer_.data(), 0, size);
  } else if (!goes_from_fields_) {
    buffer_ = unfilled_bytes(static_cast<std::size_t>(bytes));
  }
}

/// Returns the size that MPI needs to pack `bytes` bytes of cells.
std::size_t message::bytes_packed_by_mpi(const grid& processes, std::ptrdiff_t bytes) const {
  std::int64_t room = 0;
  for (const described_cells& each : cells_) {
    int more = 0;
    check_mpi(MPI_Pack_size(each.what.count, each.what.type(), processes.comm(), &more),
              "MPI_Pack_size");
    // Some MPIs overflow if the size exceeds an int.
    room += more < 0 ? INT_MAX : more;
  }
  if (std::max<std::int64_t>(room, bytes) > INT_MAX) {
    throw error(errc::unsupported,
                "MPI_Pack takes no more than 2 GiB; use packing loops or mpi_datatype");
  }
  return static_cast<std::size_t>(room);
}

void message::describe_fields(std::span<std::byte* const> fields) {
  described_.assign(fields.begin(), fields.end());
  if (pieces_.size() == 1 && cells_[0].what.type() == MPI_BYTE) {
    start_ = fields[pieces_[0].field] + cells_[0].offset;
    all_ = {.count = cells_[0].what.count};
    return;
  }
  std::vector<MPI_Aint> at;
  std::vector<int> counts;
  std::vector<MPI_Datatype> parts;
  for (std::size_t n = 0; n < pieces_.size(); ++n) {
    at.push_back(address_of(fields[pieces_[n].field] + cells_[n].offset));
    counts.push_back(cells_[n].what.count);
    parts.push_back(cells_[n].what.type());
  }
  start_ = MPI_BOTTOM;
  all_ = {.made = joined(at, counts, parts)};
}

void message::prepare(const grid& processes,
                      std::span<std::byte* const> fields,
                      int peer,
                      int tag,
                      MPI_Request& request) {
  if (is_prepared_ && (!goes_from_fields_ || std::ranges::equal(fields, described_))) {
    return;
  }
  if (request != MPI_REQUEST_NULL) {
    check_mpi(MPI_Request_free(&request), "MPI_Request_free");
  }
  if (goes_from_fields_) {
    describe_fields(fields);
  } else {
    all_ = counted_bytes(static_cast<std::ptrdiff_t>(buffer_.size()));
  }
  void* const data = goes_from_fields_ ? start_ : buffer_.data();
  if (is_out_) {
    check_mpi(MPI_Send_init(data, all_.count, all_.type(), peer, tag, processes.comm(), &request),
              "MPI_Send_init");
  } else {
    check_mpi(MPI_Recv_init(data, all_.count, all_.type(), peer, tag, processes.comm(), &request),
              "MPI_Recv_init");
  }
  is_prepared_ = true;
}

std::size_t message::num_copies() const noexcept {
  std::size_t num = 0;
  for (const std::vector<sweep>& each : sweeps_) {
    num += each.size();
  }
  return num;
}

void message::pack(const grid& processes, std::span<std::byte* const> fields, copy_list& copies) {
  if (goes_from_fields_) {
    return;
  }
  if (packs_by_mpi_) {
    const mpi_turn mine(processes);
    int position = 0;
    for (std::size_t n = 0; n < pieces_.size(); ++n) {
      check_mpi(MPI_Pack(fields[pieces_[n].field] + cells_[n].offset,
                         cells_[n].what.count,
                         cells_[n].what.type(),
                         buffer_.data(),
                         static_cast<int>(buffer_.size()),
                         &position,
                         processes.comm()),
                "MPI_Pack");
    }
    return;
  }
  for (std::size_t field = 0; field < sweeps_.size(); ++field) {
    for (const sweep& each : sweeps_[field]) {
      copies.add(each, buffer_.data(), fields[field]);
    }
  }
}

void message::unpack(const grid& processes,
                     std::span<std::byte* const> fields,
                     std::span<const combining> how,
                     copy_list& copies) {
  if (goes_from_fields_) {
    return;
  }
  if (packs_by_mpi_) {
    const mpi_turn mine(processes);
    int position = 0;
    for (std::size_t n = 0; n < pieces_.size(); ++n) {
      check_mpi(MPI_Unpack(buffer_.data(),
                           static_cast<int>(buffer_.size()),
                           &position,
                           fields[pieces_[n].field] + cells_[n].offset,
                           cells_[n].what.count,
                           cells_[n].what.type(),
                           processes.comm()),
                "MPI_Unpack");
    }
    return;
  }
  for (std::size_t field = 0; field < sweeps_.size(); ++field) {
    for (const sweep& each : sweeps_[field]) {
      if (how.empty()) {
        copies.add(each, fields[field], buffer_.data());
      } else {
        run(each.first, fields[field], buffer_.data(), how[field], element_bytes_[field]);
      }
    }
  }
}

}  // namespace weft::halo::detail
