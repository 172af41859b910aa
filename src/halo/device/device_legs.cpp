// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sends chunks through slots used in rotation: a chunk is copied into a slot and sent, and the slot
// is free again.
#include "halo/device/device_legs.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "halo/device/device.hpp"
#include "halo/device/device_carrier.hpp"

namespace weft::halo::detail {
namespace {

struct slot {
  pinned_memory memory;
  owned_mark copied;
  parcel on_its_way = {};
};

struct chunk {
  std::ptrdiff_t at;  // bytes, in the message
  std::ptrdiff_t bytes;
};

/// The common part of senders and receivers of chunks. Chunk n uses slot n % num_slots.
class staged {
 public:
  staged(device& on, leg_plan what, const chunking& how)
      : on_(on),
        what_(std::move(what)),
        chunk_bytes_(std::min(how.chunk_bytes, max_parcel_bytes)),
        num_chunks_(static_cast<std::size_t>((what_.bytes + chunk_bytes_ - 1) / chunk_bytes_)) {
    const auto slot_bytes = static_cast<std::size_t>(std::min(chunk_bytes_, what_.bytes));
    for (std::size_t n = 0; n < std::min(how.num_slots, num_chunks_); ++n) {
      slots_.push_back({.memory = allocate_pinned_for(on_, slot_bytes), .copied = mark_of(on_)});
    }
  }

  [[nodiscard]] std::size_t num_chunks() const noexcept { return num_chunks_; }
  [[nodiscard]] std::size_t num_slots() const noexcept { return slots_.size(); }
  [[nodiscard]] slot& slot_of(std::size_t number) { return slots_[number % slots_.size()]; }
  [[nodiscard]] chunk chunk_of(std::size_t number) const {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(number) * chunk_bytes_;
    return {at, std::min(chunk_bytes_, what_.bytes - at)};
  }
  [[nodiscard]] const partner& with() const noexcept { return what_.with; }
  [[nodiscard]] device& on() const noexcept { return on_; }

  /// Copies a chunk between its slot and its place on the device, and marks the end of the copy.
  void copy(std::size_t number, const leg_places& where, device_queue* queue, bool is_out) {
    const chunk which = chunk_of(number);
    const slot& through = slot_of(number);
    for (const stretch& each : what_.cells) {
      const std::ptrdiff_t first = std::max(which.at, each.at);
      const std::ptrdiff_t last = std::min(which.at + which.bytes, each.at + each.bytes);
      if (first >= last) {
        continue;
      }
      std::byte* const there = where.of(each) + (first - each.at);
      std::byte* const here = through.memory.get() + (first - which.at);
      on_.copy(is_out ? here : there,
               is_out ? there : here,
               static_cast<std::size_t>(last - first),
               queue);
    }
    on_.record(through.copied.get(), queue);
  }

 private:
  device& on_;
  leg_plan what_;
  std::ptrdiff_t chunk_bytes_;
  std::size_t num_chunks_;
  std::vector<slot> slots_;
};

class staged_sender final : public leg {
 public:
  staged_sender(device& on, carrier& by, device_queue* queue, leg_plan what, const chunking& how)
      : chunks_(on, std::move(what), how), by_(by), queue_(queue) {}

  void begin(const leg_places& where, device_mark* /*ready*/) override {
    where_ = where;
    num_fetched_ = num_sent_ = num_gone_ = 0;
    fetch();
  }
  bool advance() override {
    while (num_sent_ < num_fetched_ &&
           chunks_.on().is_reached(chunks_.slot_of(num_sent_).copied.get())) {
      slot& full = chunks_.slot_of(num_sent_);
      full.on_its_way =
          by_.send(full.memory.get(), chunks_.chunk_of(num_sent_).bytes, chunks_.with());
      ++num_sent_;
    }
    while (num_gone_ < num_sent_ && by_.is_done(chunks_.slot_of(num_gone_).on_its_way)) {
      ++num_gone_;
    }
    fetch();
    return num_gone_ == chunks_.num_chunks();
  }
  [[nodiscard]] bool waits_for_rank() const override { return num_gone_ < num_sent_; }

 private:
  void fetch() {
    while (num_fetched_ < chunks_.num_chunks() && num_fetched_ - num_gone_ < chunks_.num_slots()) {
      chunks_.copy(num_fetched_, where_, queue_, true);
      ++num_fetched_;
    }
  }

  staged chunks_;
  carrier& by_;
  device_queue* queue_;
  leg_places where_;
  std::size_t num_fetched_ = 0;  // chunks whose copy from the device has begun
  std::size_t num_sent_ = 0;
  std::size_t num_gone_ = 0;
};

class staged_receiver final : public leg {
 public:
  staged_receiver(device& on, carrier& by, device_queue* queue, leg_plan what, const chunking& how)
      : chunks_(on, std::move(what), how), by_(by), queue_(queue) {}

  void begin(const leg_places& where, device_mark* /*ready*/) override {
    where_ = where;
    num_expected_ = num_stored_ = 0;
    expect();
  }
  bool advance() override {
    expect();
    while (num_stored_ < num_expected_ && by_.is_done(chunks_.slot_of(num_stored_).on_its_way)) {
      chunks_.copy(num_stored_, where_, queue_, false);
      ++num_stored_;
      expect();
    }
    return num_stored_ == chunks_.num_chunks();
  }
  [[nodiscard]] bool waits_for_rank() const override { return num_stored_ < num_expected_; }

 private:
  /// A slot is free once its previous chunk, perhaps of the previous exchange, is on the device.
  void expect() {
    while (num_expected_ < chunks_.num_chunks() &&
           num_expected_ - num_stored_ < chunks_.num_slots() &&
           chunks_.on().is_reached(chunks_.slot_of(num_expected_).copied.get())) {
      slot& free = chunks_.slot_of(num_expected_);
      free.on_its_way =
          by_.receive(free.memory.get(), chunks_.chunk_of(num_expected_).bytes, chunks_.with());
      ++num_expected_;
    }
  }

  staged chunks_;
  carrier& by_;
  device_queue* queue_;
  leg_places where_;
  std::size_t num_expected_ = 0;  // chunks whose receive has begun
  std::size_t num_stored_ = 0;    // chunks whose copy to the device has begun
};

/// The carrier reads or writes the device's memory directly; several parcels only if one is too
/// small.
class plain final : public leg {
 public:
  plain(device& on, carrier& by, leg_plan what, bool is_out)
      : on_(on), by_(by), what_(std::move(what)), is_out_(is_out) {
    parcels_.reserve(static_cast<std::size_t>(what_.bytes / max_parcel_bytes + 1));
  }

  void begin(const leg_places& where, device_mark* ready) override {
    data_ = where.of(what_.cells.front());
    ready_ = ready;
    parcels_.clear();
    num_done_ = 0;
  }
  bool advance() override {
    if (parcels_.empty()) {
      if (!on_.is_reached(ready_)) {
        return false;
      }
      for (std::ptrdiff_t at = 0; at < what_.bytes; at += max_parcel_bytes) {
        const std::ptrdiff_t bytes = std::min(max_parcel_bytes, what_.bytes - at);
        parcels_.push_back(is_out_ ? by_.send(data_ + at, bytes, what_.with)
                                   : by_.receive(data_ + at, bytes, what_.with));
      }
    }
    while (num_done_ < parcels_.size() && by_.is_done(parcels_[num_done_])) {
      ++num_done_;
    }
    return num_done_ == parcels_.size();
  }
  [[nodiscard]] bool waits_for_rank() const override { return num_done_ < parcels_.size(); }

 private:
  device& on_;
  carrier& by_;
  leg_plan what_;
  bool is_out_;
  std::byte* data_ = nullptr;
  device_mark* ready_ = nullptr;
  std::vector<parcel> parcels_;
  std::size_t num_done_ = 0;
};

}  // namespace

std::unique_ptr<leg> make_staged_sender(
    device& on, carrier& by, device_queue* queue, leg_plan what, const chunking& how) {
  return std::make_unique<staged_sender>(on, by, queue, std::move(what), how);
}

std::unique_ptr<leg> make_staged_receiver(
    device& on, carrier& by, device_queue* queue, leg_plan what, const chunking& how) {
  return std::make_unique<staged_receiver>(on, by, queue, std::move(what), how);
}

std::unique_ptr<leg> make_plain_sender(device& on, carrier& by, leg_plan what) {
  return std::make_unique<plain>(on, by, std::move(what), true);
}

std::unique_ptr<leg> make_plain_receiver(device& on, carrier& by, leg_plan what) {
  return std::make_unique<plain>(on, by, std::move(what), false);
}

}  // namespace weft::halo::detail
