// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of an exchange between devices. After the first exchange of fields with the same
// alignment, nothing here allocates.
#include "halo/device/device_exchange.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <sched.h>

#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/device/device.hpp"
#include "halo/device/device_launch.hpp"
#include "halo/exchange/counts.hpp"

namespace weft::halo::detail {
namespace {

std::string field_trouble(const device& on, std::span<std::byte* const> fields, std::size_t n) {
  if (fields[n] == nullptr) {
    return "field " + std::to_string(n) + " is a null pointer";
  }
  const std::string why = on.trouble_with(fields[n]);
  return why.empty() ? why : "field " + std::to_string(n) + " " + why;
}

}  // namespace

void device_exchange::check_fields(std::span<std::byte* const> fields) {
  if (fields.size() != fields_.size()) {
    throw error(errc::bad_field,
                std::to_string(fields.size()) + " fields passed, the plan is for " +
                    std::to_string(fields_.size()));
  }
  if (has_pointers_ && std::ranges::equal(fields, pointers_)) {
    return;
  }
  std::string why;
  for (std::size_t n = 0; n < fields.size() && why.empty(); ++n) {
    why = field_trouble(*on_, fields, n);
  }
  if (why.empty()) {
    why = overlaps_.among(fields_, fields);
  }
  if (!why.empty()) {
    throw error(errc::bad_field,
                "rank " + std::to_string(processes_->rank()) + ": " + why,
                processes_->rank());
  }
  std::ranges::copy(fields, pointers_.begin());
  alignment_ = common_alignment(fields);
  has_pointers_ = true;
}

void device_exchange::begin(device_queue* users, std::span<std::byte* const> fields) {
  if (state_ == state::failed) {
    throw error(errc::wrong_state,
                "an earlier error of the device ended this exchange; make a new one");
  }
  if (state_ != state::idle || is_awaited_) {
    throw error(errc::wrong_state,
                "an exchange of these fields is under way; wait for it before the next one, or use "
                "a second exchange object");
  }
  processes_->require_mpi();
  check_fields(fields);
  state_ = state::failed;  // until all went well
  on_->record(ready_.get(), users);
  on_->wait(work_.get(), ready_.get());
  on_->wait(in_.get(), ready_.get());
  on_->wait(work_.get(), filled_.get());
  phase_ = 0;
  begin_phase();
  if (options_.schedule == schedule::bulk) {
    copy_locally(work_.get());
  }
  state_ = state::under_way;
  is_awaited_ = true;
}

void device_exchange::begin_phase() {
  running_phase& now = phases_[phase_];
  on_->record(may_store_.get(), in_.get());
  for (peer_legs& each : now.peers) {
    each.is_unpacked = each.in == nullptr;
    if (each.in != nullptr) {
      each.in->begin({.buffer = now.in_buffer.get(), .fields = pointers_}, may_store_.get());
    }
  }
  now.pack.run({.buffer = now.out_buffer.get(), .fields = pointers_, .alignment = alignment_},
               work_.get());
  on_->record(packed_.get(), work_.get());
  on_->wait(out_.get(), packed_.get());
  for (peer_legs& each : now.peers) {
    if (each.out != nullptr) {
      each.out->begin({.buffer = now.out_buffer.get(), .fields = pointers_}, packed_.get());
    }
  }
}

void device_exchange::copy_locally(device_queue* in) {
  for (launch& each : locals_) {
    each.run({.fields = pointers_, .alignment = alignment_}, in);
  }
}

/// Advances all unfinished legs, so that chunks of all of them make progress.
void device_exchange::advance_phase() {
  running_phase& now = phases_[phase_];
  for (peer_legs& each : now.peers) {
    if (!each.is_unpacked && each.in->advance()) {
      each.unpack.run({.buffer = now.in_buffer.get(), .fields = pointers_, .alignment = alignment_},
                      in_.get());
      each.is_unpacked = true;
    }
  }
}

bool device_exchange::advance_unguarded() {
  for (;;) {
    bool all_sent = true;
    for (std::size_t p = 0; p <= phase_; ++p) {
      for (peer_legs& each : phases_[p].peers) {
        const bool is_sent = each.out == nullptr || each.out->advance();
        all_sent = all_sent && is_sent;
      }
    }
    if (state_ == state::leaving) {
      return all_sent;
    }
    advance_phase();
    if (!std::ranges::all_of(phases_[phase_].peers, &peer_legs::is_unpacked)) {
      return false;
    }
    if (phase_ + 1 == phases_.size()) {
      end();
      continue;
    }
    // The next phase packs halo cells that this phase filled.
    on_->record(ready_.get(), in_.get());
    on_->wait(work_.get(), ready_.get());
    ++phase_;
    begin_phase();
  }
}

std::vector<int> device_exchange::waited_for() const {
  std::vector<int> ranks;
  for (std::size_t p = 0; p <= phase_; ++p) {
    for (const peer_legs& each : phases_[p].peers) {
      const bool is_waited_for = (each.out != nullptr && each.out->waits_for_rank()) ||
                                 (each.in != nullptr && each.in->waits_for_rank());
      if (is_waited_for && std::ranges::find(ranks, each.what->peer) == ranks.end()) {
        ranks.push_back(each.what->peer);
      }
    }
  }
  return ranks;
}

/// All messages have arrived: the remaining work is in queues of the device.
void device_exchange::end() {
  if (options_.schedule != schedule::bulk) {
    copy_locally(in_.get());
  }
  on_->record(copied_.get(), work_.get());
  on_->wait(in_.get(), copied_.get());
  on_->record(filled_.get(), in_.get());
  state_ = state::leaving;
}

bool device_exchange::advance() {
  if (state_ == state::idle) {
    return true;
  }
  if (state_ == state::failed) {
    throw error(errc::wrong_state,
                "an earlier error of the device ended this exchange; make a new one");
  }
  try {
    if (!advance_unguarded()) {
      watch_.note_idle_poll(
          *processes_, num_exchanges_, [this] { return waited_for(); }, "its own device");
      return false;
    }
  } catch (...) {
    state_ = state::failed;
    throw;
  }
  state_ = state::idle;
  ++num_exchanges_;
  process_counts& all = counts();
  add(all.num_exchanges, 1);
  add(all.num_messages, num_messages_);
  add(all.message_bytes, message_bytes_);
  add(all.local_bytes, local_bytes_);
  return true;
}

void device_exchange::finish() {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  while (!advance()) {
    if (processes_->is_oversubscribed()) {
      sched_yield();
    }
  }
  is_awaited_ = false;
  wait_s_ += std::chrono::duration<double>(clock::now() - begin).count();
}

void device_exchange::then(device_queue* users) {
  finish();
  on_->wait(users, filled_.get());
}

void device_exchange::wait() {
  finish();
  on_->wait_here(filled_.get());
}

bool device_exchange::test() {
  const bool is_over = advance() && on_->is_reached(filled_.get());
  is_awaited_ = is_awaited_ && !is_over;
  return is_over;
}

std::string device_exchange::report() const {
  std::string text =
      "rank " + std::to_string(processes_->rank()) + ", " + std::to_string(fields_.size()) +
      " fields on " + on_->name() + ": packing " + std::string(to_string(options_.packing)) +
      ", schedule " + std::string(to_string(options_.schedule)) + ", directions " +
      std::string(to_string(options_.directions)) + ", " + std::to_string(num_exchanges_) +
      " exchanges\n  MPI " + (verdict_.is_aware ? "reads" : "does not read") +
      " memory of the device: " + verdict_.why + "\n";
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    for (const peer_legs& each : phases_[p].peers) {
      text += "  phase " + std::to_string(p) + ", rank " + std::to_string(each.what->peer) +
              ": sends " + std::to_string(each.what->out_bytes) + " B, receives " +
              std::to_string(each.what->in_bytes) + " B; " + each.path + "\n";
    }
  }
  if (local_bytes_ > 0) {
    text += "  itself: copies " + std::to_string(local_bytes_) + " B on the device\n";
  }
  if (num_exchanges_ == 0) {
    return text + "  no exchange yet, so no times\n";
  }
  const double wait_us = wait_s_ * 1e6 / static_cast<double>(num_exchanges_);
  return text + "  per exchange: the host drove messages for " +
         std::to_string(static_cast<std::int64_t>(wait_us)) + " us\n";
}

}  // namespace weft::halo::detail
