// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of an exchange. After the first exchange of the same fields, nothing here allocates or
// queries MPI.
#include "halo/exchange/running_exchange.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>
#include <sched.h>

#include "weft/counters/ticks.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"

#include "halo/device/device_pointers.hpp"
#include "halo/exchange/counts.hpp"
#include "halo/fields/copy.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/memory_links.hpp"
#include "halo/transport/mpi_turn.hpp"

namespace weft::halo::detail {
namespace {

constexpr unsigned rounds_alone = 4000;  // of polling before the CPU is offered to other threads
constexpr unsigned rounds_crowded = 20;

void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void running_exchange::check_fields(std::span<std::byte* const> fields) const {
  if (fields.size() != fields_.size()) {
    throw error(errc::bad_field,
                std::to_string(fields.size()) + " fields passed, the plan is for " +
                    std::to_string(fields_.size()));
  }
  for (std::size_t n = 0; n < fields.size(); ++n) {
    if (fields[n] == nullptr) {
      throw error(errc::bad_field, "field " + std::to_string(n) + " is a null pointer");
    }
  }
}

/// Finds the fields that neighbours on this node can read. Looked up again when a pointer changes.
void running_exchange::find_places(std::span<std::byte* const> fields) {
  const bool is_same =
      places_generation_ == processes_->generation() + 1 && std::ranges::equal(fields, pointers_);
  if (is_same) {
    return;
  }
  processes_->require_mpi();
  if (const std::string why = overlaps_.among(fields_, fields); !why.empty()) {
    throw error(errc::bad_field, why);
  }
  refuse_device_memory(fields);
  std::ranges::copy(fields, pointers_.begin());
  has_shared_field_ = false;
  if (area_ != nullptr) {
    for (std::size_t n = 0; n < fields.size(); ++n) {
      places_[n] = processes_->find(fields[n]);
      has_shared_field_ = has_shared_field_ || places_[n].segment >= 0;
    }
    has_new_places_ = {true, true};
  }
  places_generation_ = processes_->generation() + 1;
}

moment running_exchange::now() const noexcept {
  return {.exchange = exchange_, .step = exchange_ * phases_.size() + phase_ + 1};
}

void running_exchange::pack(std::span<std::byte* const> fields) {
  if (state_ != state::idle) {
    throw error(errc::wrong_state,
                "an exchange of these fields is under way; wait for it before the next one, or use "
                "a second exchange object");
  }
  check_fields(fields);
  find_places(fields);
  if (bool& is_new = has_new_places_[exchange_ % 2]; is_new) {
    std::ranges::copy(places_, area_->places(processes_->node_rank(), exchange_).begin());
    is_new = false;
  }
  phase_ = 0;
  how_ = {};
  arrivals_.clear();
  num_arrivals_told_ = 0;
  rounds_ = 0;
  has_run_ahead_ = false;
  pack_phase();
  state_ = state::packed;
}

void running_exchange::pack_phase() {
  note_borders();
  const std::uint64_t begin = counters::ticks_now();
  running_phase& now = phases_[phase_];
  for (std::size_t n = 0; n < now.out.size(); ++n) {
    if (!now.out[n].is_empty()) {
      now.out[n].pack(*processes_, pointers_, copies_);
    }
  }
  for (peer_link& each : now.links) {
    each.is_here = false;
    each.is_unpacked = false;
    if (each.memory.has_value()) {
      each.memory->push(pointers_,
                        places_,
                        area_->staging(processes_->node_rank(), exchange_, staging_bytes_),
                        copies_);
    }
  }
  copies_.run();
  last_pack_ticks_ = counters::ticks_now() - begin;
  pack_ticks_ += last_pack_ticks_;
}

void running_exchange::start() {
  if (state_ != state::packed) {
    throw error(errc::wrong_state, "start() without pack() before it");
  }
  processes_->require_mpi();
  start_phase();
  state_ = state::under_way;
}

void running_exchange::start_phase() {
  running_phase& current = phases_[phase_];
  if (area_ != nullptr) {
    // release: pairs with the acquire in memory_link::is_here()
    std::atomic_ref(area_->ready(processes_->node_rank()))
        .store(now().step, std::memory_order_release);
  }
  const mpi_turn mine(*processes_);
  for (std::size_t n = 0; n < current.in.size(); ++n) {
    if (!current.in[n].is_empty()) {
      current.in[n].prepare(
          *processes_, pointers_, current.peers[n], current.tag, current.in_requests[n]);
      check_mpi(MPI_Start(&current.in_requests[n]), "MPI_Start");
    }
  }
  for (std::size_t n = 0; n < current.out.size(); ++n) {
    if (!current.out[n].is_empty()) {
      current.out[n].prepare(
          *processes_, pointers_, current.peers[n], current.tag, current.out_requests[n]);
      check_mpi(MPI_Start(&current.out_requests[n]), "MPI_Start");
    }
  }
}

void running_exchange::look_for_arrivals() {
  running_phase& current = phases_[phase_];
  int num_completed = 0;
  if (!current.in.empty()) {
    const mpi_turn mine(*processes_);
    check_mpi(MPI_Testsome(static_cast<int>(current.in_requests.size()),
                           current.in_requests.data(),
                           &num_completed,
                           completed_.data(),
                           MPI_STATUSES_IGNORE),
              "MPI_Testsome");
  }
  const std::span completed(completed_.data(),
                            static_cast<std::size_t>(std::max(num_completed, 0)));
  for (peer_link& each : current.links) {
    if (each.is_here) {
      continue;
    }
    if (each.memory.has_value()) {
      each.is_here = each.memory->is_here(*area_, now().step);
    } else {
      each.is_here =
          current.in[each.message].is_empty() ||
          (num_completed > 0 &&
           std::ranges::find(completed, static_cast<int>(each.message)) != completed.end());
    }
  }
}

/// Returns true once all cells of this phase are in the fields.
bool running_exchange::unpack_arrived() {
  running_phase& current = phases_[phase_];
  bool is_complete = true;
  // Sums must not depend on which message arrived first.
  const bool may_begin =
      way_ == flow::owner_to_halo || std::ranges::all_of(current.links, &peer_link::is_here);
  for (peer_link& each : current.links) {
    if (each.is_unpacked) {
      continue;
    }
    if (!each.is_here || !may_begin) {
      is_complete = false;
      continue;
    }
    const std::uint64_t begin = counters::ticks_now();
    if (each.memory.has_value()) {
      each.memory->pull(
          *processes_, *area_, {.fields = pointers_, .how = how_, .copies = copies_}, now());
    } else if (!current.in[each.message].is_empty()) {
      current.in[each.message].unpack(*processes_, pointers_, how_, copies_);
      copies_.run();
    }
    copy_ticks_ += counters::ticks_now() - begin;
    each.is_unpacked = true;
    arrivals_.insert(arrivals_.end(), each.fills.begin(), each.fills.end());
  }
  return is_complete;
}

/// A rank that waits only for flags in memory does not call MPI. But messages that it sent, in
/// earlier phases too, may need such calls to make progress. Without this function, ranks of two
/// nodes could wait for each other in a circle.
void running_exchange::progress_sends() {
  const auto waits_for_message = [](const peer_link& from) {
    return !from.memory.has_value() && !from.is_here;
  };
  if (std::ranges::any_of(phases_[phase_].links, waits_for_message)) {
    return;  // testing for that message makes all of them progress
  }
  const mpi_turn mine(*processes_);
  for (running_phase& each : phases_) {
    if (!each.out.empty()) {
      int is_complete = 0;
      check_mpi(MPI_Testall(static_cast<int>(each.out_requests.size()),
                            each.out_requests.data(),
                            &is_complete,
                            MPI_STATUSES_IGNORE),
                "MPI_Testall");
    }
  }
}

void running_exchange::copy_locally(std::vector<sweep> local_field::* which) {
  const std::uint64_t begin = counters::ticks_now();
  std::size_t stage = 0;
  for (const local_field& each : locals_) {
    if (each.stage != stage) {
      copies_.run();
      stage = each.stage;
    }
    for (const sweep& what : each.*which) {
      if (way_ == flow::owner_to_halo) {
        copies_.add(what, pointers_[each.field], pointers_[each.field]);
      } else {
        run(what.first,
            pointers_[each.field],
            pointers_[each.field],
            how_[each.field],
            fields_[each.field].element_bytes);
      }
    }
  }
  copies_.run();
  copy_ticks_ += counters::ticks_now() - begin;
}

/// Cells that neighbours pack will soon be here, and are best read while they are in caches; a copy
/// within the rank would displace them.
void running_exchange::wait_while_cached() {
  const auto is_to_come = [](const peer_link& from) {
    return from.memory.has_value() && !from.is_here;
  };
  const std::vector<peer_link>& links = phases_[phase_].links;
  const std::uint64_t patience = processes_->is_oversubscribed() ? 0 : last_pack_ticks_ / 4;
  const std::uint64_t begin = counters::ticks_now();
  look_for_arrivals();
  while (std::ranges::any_of(links, is_to_come) && counters::ticks_now() - begin < patience) {
    relax();
    look_for_arrivals();
  }
}

void running_exchange::run_ahead() {
  // Sums need `how_`, which is passed later. Checked cells must not change until the end.
  if (state_ != state::under_way || way_ != flow::owner_to_halo || checks_cells()) {
    return;
  }
  if (has_early_copies_) {
    wait_while_cached();
    static_cast<void>(unpack_arrived());
    copy_locally(&local_field::early);
    has_run_ahead_ = true;
  } else if (!phases_[phase_].in.empty()) {
    return;  // messages have hardly arrived yet, and testing for them costs time
  }
  look_for_arrivals();
  static_cast<void>(unpack_arrived());
}

/// Returns true once neither MPI nor a neighbour reads this rank's fields and buffers.
bool running_exchange::has_left() {
  const mpi_turn mine(*processes_);
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    running_phase& each = phases_[p];
    if (!each.out.empty()) {
      int is_complete = 0;
      check_mpi(MPI_Testall(static_cast<int>(each.out_requests.size()),
                            each.out_requests.data(),
                            &is_complete,
                            MPI_STATUSES_IGNORE),
                "MPI_Testall");
      if (is_complete == 0) {
        return false;
      }
    }
    if (!has_shared_field_) {
      continue;
    }
    for (const peer_link& with : each.links) {
      if (is_reading(with, p)) {
        return false;
      }
    }
  }
  return true;
}

bool running_exchange::is_reading(const peer_link& with, std::size_t phase) const {
  return with.memory.has_value() &&
         !with.memory->is_read(*area_, places_, exchange_ * phases_.size() + phase + 1);
}

std::vector<int> running_exchange::waited_for() const {
  std::vector<int> peers;
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    for (const peer_link& with : phases_[p].links) {
      const bool is_awaited = state_ == state::under_way ? p == phase_ && !with.is_here
                                                         : has_shared_field_ && is_reading(with, p);
      if (is_awaited && std::ranges::find(peers, with.what->peer) == peers.end()) {
        peers.push_back(with.what->peer);
      }
    }
  }
  return peers;
}

bool running_exchange::note_no_progress() {
  watch_.note_idle_poll(*processes_, exchange_, [this] { return waited_for(); });
  return false;
}

void running_exchange::count_exchange() {
  process_counts& all = counts();
  add(all.num_exchanges, 1);
  add(all.num_messages, num_messages_);
  add(all.message_bytes, message_bytes_);
  add(all.memory_bytes, memory_bytes_);
  add(all.local_bytes, local_bytes_);
}

bool running_exchange::advance() {
  if (state_ == state::idle) {
    return true;
  }
  if (state_ == state::packed) {
    throw error(errc::wrong_state, "nothing is under way yet; call start() after pack()");
  }
  processes_->require_mpi();
  while (state_ == state::under_way) {
    look_for_arrivals();
    if (!unpack_arrived()) {
      progress_sends();
      return note_no_progress();
    }
    if (phase_ + 1 < phases_.size()) {
      ++phase_;
      pack_phase();
      start_phase();
      continue;
    }
    if (!has_run_ahead_) {
      copy_locally(&local_field::early);
    }
    copy_locally(&local_field::late);
    arrivals_.insert(arrivals_.end(), last_arrivals_.begin(), last_arrivals_.end());
    state_ = state::leaving;
  }
  if (state_ == state::leaving) {
    if (!has_left()) {
      return note_no_progress();
    }
    if (checks_cells()) {
      begin_check();
      state_ = state::checking;
    }
  }
  if (state_ == state::checking && !advance_check()) {
    return note_no_progress();
  }
  ++exchange_;
  state_ = state::idle;
  count_exchange();
  if (checks_cells()) {
    verdict_->throw_if_any(*processes_);
  }
  return true;
}

void running_exchange::pause() const {
  ++rounds_;
  if (rounds_ < (processes_->is_oversubscribed() ? rounds_crowded : rounds_alone)) {
    relax();
  } else {
    sched_yield();
  }
}

void running_exchange::advance_or_pause() {
  if (!advance()) {
    pause();
  }
}

void running_exchange::finish() {
  rounds_ = 0;
  const std::uint64_t begin = counters::ticks_now() - copy_ticks_ - pack_ticks_;
  while (!advance()) {
    pause();
  }
  wait_ticks_ += counters::ticks_now() - copy_ticks_ - pack_ticks_ - begin;
}

void running_exchange::wait() {
  if (state_ != state::under_way) {
    throw error(errc::wrong_state, "wait() without start() before it");
  }
  processes_->require_mpi();
  rounds_ = 0;
  look_for_arrivals();
  while (!std::ranges::all_of(phases_[phase_].links, &peer_link::is_here)) {
    progress_sends();
    note_no_progress();
    pause();
    look_for_arrivals();
  }
}

void running_exchange::unpack(std::span<std::byte* const> fields, std::span<const combining> how) {
  if (state_ != state::under_way) {
    throw error(errc::wrong_state, "unpack() without start() before it");
  }
  if (!std::ranges::equal(fields, pointers_)) {
    throw error(
        errc::bad_field,
        "unpack() was given other fields than pack(); pass the same ones in the same order");
  }
  how_ = how;
  try {
    finish();
  } catch (...) {
    how_ = {};  // the span belongs to the calling code
    throw;
  }
  how_ = {};
}

std::optional<direction> running_exchange::next_arrival() {
  if (num_arrivals_told_ == arrivals_.size()) {
    return std::nullopt;
  }
  return arrivals_[num_arrivals_told_++];
}

}  // namespace weft::halo::detail
