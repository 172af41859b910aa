// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prepares an exchange between devices, collectively.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/base/message.hpp"
#include "weft/halo/cuda_options.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/device/device.hpp"
#include "halo/device/device_batches.hpp"
#include "halo/device/device_exchange.hpp"
#include "halo/device/device_launch.hpp"
#include "halo/device/device_legs.hpp"
#include "halo/device/device_mpi_legs.hpp"
#include "halo/device/device_probe.hpp"
#include "halo/exchange/counts.hpp"
#include "halo/fields/copy.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {
namespace {

constexpr std::ptrdiff_t piece_alignment = 16;  // the widest word of a kernel
constexpr std::ptrdiff_t region_alignment = 256;
constexpr std::ptrdiff_t least_chunk_bytes = 256;

std::ptrdiff_t rounded_up(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

bool packs_by_mpi(packing how) { return how == packing::mpi_pack || how == packing::mpi_datatype; }

exchange_options hosts_part_of(const cuda_options& options) {
  return {.packing = options.packing,
          .schedule = options.schedule == schedule::automatic ? schedule::bulk : options.schedule,
          .directions = options.directions,
          .transport = transport::messages,
          .max_fields = options.max_fields,
          .validate = options.validate};
}

/// A message whose pieces are aligned. Sender and receiver compute the same layout.
struct layout_of_message {
  std::vector<piece> pieces;
  std::ptrdiff_t bytes = 0;
};

layout_of_message aligned(const std::vector<piece>& pieces) {
  layout_of_message made{.pieces = pieces};
  for (piece& each : made.pieces) {
    made.bytes = rounded_up(made.bytes, piece_alignment);
    each.buffer_offset = made.bytes;
    made.bytes += each.bytes;
  }
  return made;
}

box_move move_of(const shape& field, const piece& what, std::ptrdiff_t base, bool is_out) {
  const box_side cells{.offset = offset_of(field, what.first), .strides = field.strides};
  const box_side packed{.offset = base + what.buffer_offset,
                        .strides = packed_strides(field, what)};
  return {.box = is_out ? make_copy(field.element_bytes, what.cells, packed, cells)
                        : make_copy(field.element_bytes, what.cells, cells, packed),
          .field = what.field,
          .goes = is_out ? box_move::way::pack : box_move::way::unpack};
}

/// One direction of a link: the cells that kernels copy between fields and buffer, and the bytes of
/// fields and buffer that are sent.
struct packed_message {
  leg_plan goes;
  std::vector<box_move> moves;
};

packed_message message_of(std::span<const shape> fields,
                          const layout_of_message& what,
                          std::ptrdiff_t base,
                          bool is_out) {
  packed_message made;
  made.goes.bytes = what.bytes;
  made.goes.cells.push_back({.offset = base, .bytes = what.bytes});
  for (const piece& each : what.pieces) {
    made.moves.push_back(move_of(fields[each.field], each, base, is_out));
  }
  return made;
}

/// Changes the message to one without a kernel, and returns true, if all its cells are contiguous in
/// at most `most_pieces` pieces.
bool goes_without_kernel(packed_message& what,
                         const layout_of_message& layout,
                         std::size_t most_pieces,
                         bool is_out) {
  const auto is_contiguous = [](const box_move& each) { return each.box.is_contiguous(); };
  if (what.moves.size() > most_pieces || !std::ranges::all_of(what.moves, is_contiguous)) {
    return false;
  }
  what.goes.cells.clear();
  for (std::size_t n = 0; n < what.moves.size(); ++n) {
    const box_copy& box = what.moves[n].box;
    what.goes.cells.push_back({.field = what.moves[n].field,
                               .offset = is_out ? box.from.offset : box.into.offset,
                               .at = layout.pieces[n].buffer_offset,
                               .bytes = layout.pieces[n].bytes});
  }
  what.moves.clear();
  return true;
}

}  // namespace

device_exchange::device_exchange(std::shared_ptr<grid> processes,
                                 const cuda_options& options,
                                 std::shared_ptr<device> on,
                                 std::vector<shape> fields,
                                 const std::source_location& where)
    : processes_(std::move(processes)),
      ways_(options),
      options_(hosts_part_of(options)),
      on_(std::move(on)),
      fields_(std::move(fields)),
      watch_(options.patience, where),
      carrier_(processes_->comm()),
      pointers_(fields_.size()) {
  for (shape& each : fields_) {
    // a neighbour's field in host memory counts as different
    each.type ^= hash_of("memory of a device");
  }
  refuse_together(*processes_, trouble(), where);
  plan_ = make_plan(*processes_, options_, fields_, flow::owner_to_halo);
  own_facts own;
  for (const phase& each : plan_.phases) {
    own.regions.emplace_back(each.links.size(), 0);
  }
  static_cast<void>(
      agree(*processes_,
            {.options = options_, .fields = fields_, .what = plan_, .way = flow::owner_to_halo},
            own,
            where));
  agree_on_ways(where);
  // Taken before anything can fail, so that the tags of later plans match on all ranks in any case.
  std::vector<int> tags(plan_.phases.size());
  std::ranges::generate(tags, [this] { return processes_->next_tag(); });
  const refusal why = trouble_of([&] { make_parts(tags); }, errc::device_call);
  refuse_together(*processes_, why, where);
  add(counts().num_plans, 1);
}

device_exchange::~device_exchange() {
  if (!is_mpi_running()) {
    return;
  }
  try {
    if (state_ != state::failed) {
      wait();
      return;
    }
    for (const owned_queue* const each : {&work_, &out_, &in_}) {
      on_->record(copied_.get(), each->get());
      on_->wait_here(copied_.get());
    }
  } catch (const std::exception& failed) {
    send_message(std::string("weft: an unfinished halo exchange failed: ") + failed.what() + "\n");
  }
  // MPI may still write to the buffers.
  for (running_phase& each : phases_) {
    static_cast<void>(each.in_buffer.release());
    static_cast<void>(each.out_buffer.release());
    for (peer_legs& with : each.peers) {
      static_cast<void>(with.out.release());
      static_cast<void>(with.in.release());
    }
  }
}

refusal device_exchange::trouble() const {
  if (ways_.chunk_bytes != whole_messages && ways_.chunk_bytes < least_chunk_bytes) {
    return {"chunk_bytes is " + std::to_string(ways_.chunk_bytes) + "; it takes " +
            std::to_string(least_chunk_bytes) + " or more, or whole_messages"};
  }
  if (ways_.validate > validation::descriptors) {
    return {"validate " + std::string(to_string(ways_.validate)) +
            " reads cells on the host, and these lie on a device; use off or descriptors"};
  }
  if (packs_by_mpi(ways_.packing) && ways_.path == device_path::staged) {
    return {"packing " + std::string(to_string(ways_.packing)) +
            " lets MPI read the memory of the device, and path staged does without that; use "
            "packing loops, or another path"};
  }
  return trouble_with(*processes_, options_, fields_);
}

/// The options that `agree` does not compare, and the abilities of MPI.
void device_exchange::agree_on_ways(const std::source_location& where) {
  const auto path = static_cast<std::int64_t>(ways_.path);
  std::array<std::int64_t, 4> most{ways_.chunk_bytes, -ways_.chunk_bytes, path, -path};
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, most.data(), 4, MPI_INT64_T, MPI_MAX, processes_->comm()),
            "MPI_Allreduce");
  refusal why{.code = errc::ranks_disagree};
  if (most[0] != -most[1]) {
    why.why = "ranks disagree: chunk_bytes is " + std::to_string(-most[1]) + " to " +
              std::to_string(most[0]) + "; pass the same on all ranks";
  } else if (most[2] != -most[3]) {
    why.why = "ranks disagree: path is " + std::string(to_string(ways_.path)) + " on rank " +
              std::to_string(processes_->rank()) + " alone; pass the same on all ranks";
  }
  refuse_together(*processes_, why, where);

  verdict_ = probe_mpi(*processes_, *on_, ways_.path, where);
  why = {};
  if (!verdict_.is_aware && ways_.path == device_path::gpu_aware) {
    why.why = "path gpu_aware: MPI does not read the memory of the device: " + verdict_.why +
              "; use path automatic or staged, or an MPI that was built for it";
  } else if (!verdict_.is_aware && packs_by_mpi(ways_.packing)) {
    why.why = "packing " + std::string(to_string(ways_.packing)) +
              " lets MPI read the memory of the device, which it does not: " + verdict_.why +
              "; use packing automatic, loops or direct";
  }
  refuse_together(*processes_, why, where);
}

/// Allocates what the exchange needs on the device; one tag for each phase.
void device_exchange::make_parts(std::span<const int> tags) {
  work_ = queue_of(*on_);
  out_ = queue_of(*on_);
  in_ = queue_of(*on_);
  for (owned_mark* const each : {&ready_, &packed_, &may_store_, &copied_, &filled_}) {
    *each = mark_of(*on_);
  }
  for (std::size_t p = 0; p < plan_.phases.size(); ++p) {
    make_phase(plan_.phases[p], tags[p]);
  }
  make_locals();
}

void device_exchange::make_phase(const phase& what, int tag) {
  phases_.emplace_back();
  running_phase& made = phases_.back();
  if (packs_by_mpi(options_.packing)) {
    const agenda about{
        .options = options_, .fields = fields_, .what = plan_, .way = flow::owner_to_halo};
    for (const link& each : what.links) {
      peer_legs legs{.what = &each,
                     .path = "by MPI alone, packing " + std::string(to_string(options_.packing))};
      const auto leg_of = [&](bool is_out) {
        return make_mpi_leg(*processes_, *on_, about, each, is_out, tag);
      };
      legs.out = each.out.empty() ? nullptr : leg_of(true);
      legs.in = each.in.empty() ? nullptr : leg_of(false);
      made.peers.push_back(std::move(legs));
    }
  } else {
    make_packed_phase(what, tag);
  }
  for (const link& each : what.links) {
    num_messages_ += each.out.empty() ? 0 : 1;
    message_bytes_ += each.in_bytes;
  }
}

void device_exchange::make_packed_phase(const phase& what, int tag) {
  running_phase& made = phases_.back();
  std::ptrdiff_t out_bytes = 0;
  std::ptrdiff_t in_bytes = 0;
  std::vector<box_move> packs;
  for (const link& each : what.links) {
    peer_legs legs{.what = &each};
    std::vector<box_move> unpacks;
    legs.out = make_leg(each, out_bytes, true, tag, packs);
    legs.in = make_leg(each, in_bytes, false, tag, unpacks);
    legs.unpack = launch(*on_, std::move(unpacks));
    legs.path = path();
    out_bytes += rounded_up(aligned(each.out).bytes, region_alignment);
    in_bytes += rounded_up(aligned(each.in).bytes, region_alignment);
    made.peers.push_back(std::move(legs));
  }
  made.pack = launch(*on_, std::move(packs));
  if (out_bytes > 0) {
    made.out_buffer = allocate_on(*on_, static_cast<std::size_t>(out_bytes));
  }
  if (in_bytes > 0) {
    made.in_buffer = allocate_on(*on_, static_cast<std::size_t>(in_bytes));
  }
}

/// Returns null if no cells are sent. `moves` gets the copies that kernels do for the message.
std::unique_ptr<leg> device_exchange::make_leg(
    const link& with, std::ptrdiff_t base, bool is_out, int tag, std::vector<box_move>& moves) {
  const layout_of_message layout = aligned(is_out ? with.out : with.in);
  if (layout.bytes == 0) {
    return nullptr;
  }
  packed_message what = message_of(fields_, layout, base, is_out);
  what.goes.with = {.rank = with.peer, .tag = tag};
  if (options_.packing == packing::direct) {
    // If MPI reads the cells itself, they are one piece here; copies to the host may be many.
    goes_without_kernel(what, layout, verdict_.is_aware ? 1 : layout.pieces.size(), is_out);
  }
  moves.insert(moves.end(), what.moves.begin(), what.moves.end());
  if (verdict_.is_aware) {
    return is_out ? make_plain_sender(*on_, carrier_, std::move(what.goes))
                  : make_plain_receiver(*on_, carrier_, std::move(what.goes));
  }
  const chunking how{.chunk_bytes =
                         ways_.chunk_bytes == whole_messages ? layout.bytes : ways_.chunk_bytes};
  return is_out ? make_staged_sender(*on_, carrier_, out_.get(), std::move(what.goes), how)
                : make_staged_receiver(*on_, carrier_, in_.get(), std::move(what.goes), how);
}

std::string device_exchange::path() const {
  if (verdict_.is_aware) {
    return "by MPI alone, from device to device";
  }
  return ways_.chunk_bytes == whole_messages
             ? "through pinned memory of the hosts, as a whole"
             : "through pinned memory of the hosts, " + std::to_string(ways_.chunk_bytes) +
                   " B at a time";
}

void device_exchange::make_locals() {
  std::vector<std::vector<box_move>> stages;
  for (const local_copies& each : plan_.locals) {
    stages.resize(std::max(stages.size(), each.stage + 1));
    for (const box_copy& box : each.boxes) {
      stages[each.stage].push_back({.box = box, .field = each.field});
      local_bytes_ += box.bytes();
    }
  }
  for (std::vector<box_move>& each : stages) {
    locals_.emplace_back(*on_, std::move(each));
  }
}

}  // namespace weft::halo::detail
