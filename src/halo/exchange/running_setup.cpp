// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prepares a plan: which ranks exchange by which path, agreed upon with all neighbours.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/base/message.hpp"
#include "weft/counters/ticks.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/exchange/counts.hpp"
#include "halo/exchange/running_exchange.hpp"
#include "halo/fields/copy.hpp"
#include "halo/fields/copy_list.hpp"
#include "halo/fields/room.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/memory_links.hpp"
#include "halo/transport/mpi_turn.hpp"

namespace weft::halo::detail {
namespace {

constexpr std::ptrdiff_t region_alignment = 128;

void add_once(std::vector<direction>& all, const direction& each) {
  if (std::ranges::find(all, each) == all.end()) {
    all.push_back(each);
  }
}

}  // namespace

running_exchange::running_exchange(std::shared_ptr<grid> processes,
                                   const exchange_options& options,
                                   std::vector<shape> fields,
                                   flow way,
                                   const std::source_location& where)
    : processes_(std::move(processes)),
      options_(with_widest_directions(options, processes_->num_dims())),
      fields_(std::move(fields)),
      way_(way),
      watch_(options.patience, where),
      copies_(options.executor),
      pointers_(fields_.size()),
      places_(fields_.size()) {
  processes_->require_mpi();
  const std::uint64_t begin = counters::ticks_now();
  const refusal trouble = trouble_with(*processes_, options_, fields_);
  const std::uint64_t came = counters::ticks_now();
  refuse_together(*processes_, trouble, where);
  planning_wait_ticks_ = counters::ticks_now() - came;
  plan_ = make_plan(*processes_, options_, fields_, way_);
  const own_facts own = place_regions();
  staging_bytes_ = own.staging_bytes;
  const std::vector<peer_facts> known =
      agree(*processes_,
            {.options = options_, .fields = fields_, .what = plan_, .way = way_},
            own,
            where);
  refuse_together(*processes_, no_room(*processes_, memory_wanted()), where);
  if (uses_memory(*processes_, options_)) {
    area_ = std::make_unique<node_area>(*processes_, fields_.size(), staging_bytes_);
  }
  prepare_check();
  // A single rank may lack memory, or have messages that are too large for MPI_Pack.
  const auto make = [&] { make_links(own, known); };
  refuse_together(*processes_, trouble_of(make, errc::unsupported), where);
  make_locals();
  make_room();
  add(counts().num_plans, 1);
  planning_ticks_ = counters::ticks_now() - begin - planning_wait_ticks_;
}

running_exchange::~running_exchange() {
  if (!is_mpi_running()) {
    return;
  }
  leave();
  const mpi_turn mine(*processes_);
  for (running_phase& each : phases_) {
    for (std::vector<MPI_Request>* requests : {&each.in_requests, &each.out_requests}) {
      for (MPI_Request& request : *requests) {
        if (request != MPI_REQUEST_NULL) {
          MPI_Request_free(&request);
        }
      }
    }
  }
  phases_.clear();  // this also frees their datatypes
}

/// Ends an unfinished exchange: neighbours wait for it, and MPI may still use buffers of this
/// object.
void running_exchange::leave() noexcept {
  if (state_ == state::idle || state_ == state::packed) {
    return;
  }
  try {
    if (way_ == flow::owner_to_halo) {
      finish();
      return;
    }
    // Only an error ends the exchange here, and the `how` to combine with no longer exists.
    for (running_phase& each : phases_) {
      for (std::vector<MPI_Request>* requests : {&each.in_requests, &each.out_requests}) {
        check_mpi(
            MPI_Waitall(static_cast<int>(requests->size()), requests->data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
      }
    }
  } catch (const std::exception& failed) {
    send_message(std::string("weft: an unfinished halo exchange failed: ") + failed.what() + "\n");
  }
}

wanted_bytes running_exchange::memory_wanted() const {
  wanted_bytes all{.shared = 2 * static_cast<std::size_t>(staging_bytes_)};
  for (const phase& each : plan_.phases) {
    for (const link& with : each.links) {
      if (with.node_rank < 0 && options_.packing != packing::mpi_datatype) {
        all.own += static_cast<std::size_t>(with.out_bytes + with.in_bytes);
      }
    }
  }
  return all;
}

own_facts running_exchange::place_regions() const {
  own_facts own;
  for (const phase& each : plan_.phases) {
    own.regions.emplace_back();
    for (const link& with : each.links) {
      own.regions.back().push_back(own.staging_bytes);
      if (with.node_rank >= 0) {
        own.staging_bytes +=
            (with.out_bytes + region_alignment - 1) / region_alignment * region_alignment;
      }
    }
  }
  return own;
}

void running_exchange::make_links(const own_facts& own, const std::vector<peer_facts>& known) {
  const agenda about{.options = options_, .fields = fields_, .what = plan_, .way = way_};
  std::size_t most_messages = 0;
  phases_.resize(plan_.phases.size());
  // Taken before anything can fail, so that the tags of later plans match on all ranks in any case.
  for (running_phase& each : phases_) {
    each.tag = processes_->next_tag();
    each.check_tag = processes_->next_tag();
  }
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    running_phase& made = phases_[p];
    for (std::size_t l = 0; l < plan_.phases[p].links.size(); ++l) {
      const link& what = plan_.phases[p].links[l];
      peer_link with{.what = &what};
      for (const piece& each : what.in) {
        add_once(with.fills, each.towards);
      }
      if (what.node_rank >= 0) {
        const auto facts = std::ranges::find(known, what.peer, &peer_facts::rank);
        memory_bytes_ += what.in_bytes;
        with.memory.emplace(*processes_, about, p, what, own.regions[p][l], *facts);
      } else {
        num_messages_ += what.out.empty() ? 0 : 1;
        message_bytes_ += what.in_bytes;
        with.message = made.in.size();
        made.in.emplace_back(*processes_, about, what.in, what.in_bytes, false);
        made.out.emplace_back(*processes_, about, what.out, what.out_bytes, true);
        made.peers.push_back(what.peer);
      }
      made.links.push_back(std::move(with));
    }
    made.in_requests.assign(made.in.size(), MPI_REQUEST_NULL);
    made.out_requests.assign(made.out.size(), MPI_REQUEST_NULL);
    most_messages = std::max(most_messages, made.in.size());
  }
  completed_.resize(most_messages);
}

void running_exchange::make_locals() {
  for (const local_copies& each : plan_.locals) {
    for (const box_copy& box : each.boxes) {
      local_bytes_ += box.bytes();
    }
    has_early_copies_ = has_early_copies_ || !each.early.empty();
    locals_.push_back({.field = each.field,
                       .stage = each.stage,
                       .early = sweeps_of(each.early, way_),
                       .late = sweeps_of(each.late, way_)});
  }
  if (copies_.is_parallel()) {
    // One stage of all fields at once; a single thread finishes a field while it is in its caches.
    std::ranges::sort(
        locals_, {}, [](const local_field& each) { return std::pair(each.stage, each.field); });
  }
  std::vector<direction> early;
  for (const running_phase& each : phases_) {
    for (const peer_link& with : each.links) {
      for (const direction& towards : with.fills) {
        add_once(early, towards);
      }
    }
  }
  for (const direction& each : directions_of(processes_->num_dims())) {
    if (is_wanted(each, options_.directions) && processes_->neighbour(each) >= 0 &&
        std::ranges::find(early, each) == early.end()) {
      last_arrivals_.push_back(each);
    }
  }
  arrivals_.reserve(early.size() + last_arrivals_.size());
}

/// Reserves room for all copies that may be added at a time.
void running_exchange::make_room() {
  std::size_t most = 0;
  for (const local_field& each : locals_) {
    most += std::max(each.early.size(), each.late.size());
  }
  for (const running_phase& each : phases_) {
    std::size_t num = 0;
    for (const peer_link& with : each.links) {
      num += with.memory.has_value() ? with.memory->num_copies()
                                     : std::max(each.in[with.message].num_copies(),
                                                each.out[with.message].num_copies());
    }
    most = std::max(most, num);
  }
  copies_.reserve(most);
}

}  // namespace weft::halo::detail
