// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns counter blocks to workers and takes them back. No sum ever decreases.
#include "weft/counters/block_registry.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>

#include <pthread.h>

#include "weft/base/error.hpp"
#include "weft/counters/block_reading.hpp"
#include "weft/counters/segment.hpp"
#include "weft/counters/segment_files.hpp"
#include "weft/counters/segment_format.hpp"
#include "weft/counters/worker_block.hpp"

#include "counters/segment/block_numbers.hpp"

namespace weft::counters {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;

block_owner owner_of(const block_slot& slot) noexcept { return slot.held_by.load(relaxed); }

/// Makes `reading` visible to readers of `to`.
void show(worker_block& to, const block_reading& reading) noexcept {
  const auto set = [](auto& shown, const auto& number) { shown.set(number); };
  detail::for_each_count(static_cast<worker_counts<cell>&>(to), reading.counts, set);
  detail::for_each_sample_sum(to.samples, reading.samples, set);
  detail::for_each_weight(to.histograms, reading.histograms, set);
}

}  // namespace

block_registry::block_registry() : block_registry({.refusal = "it is a registry of its own"}) {}

block_registry::block_registry(const segment_options& shared) : shared_(shared) {}

block_registry::~block_registry() = default;

std::uint32_t block_registry::open_pool() {
  const std::lock_guard lock(mutex_);
  if (segment_ != nullptr) {
    // the pool's tasks may come from a library that was loaded since
    segment_->note_modules();
  }
  return next_pool_++;
}

void block_registry::close_pool(std::uint32_t pool) {
  const std::lock_guard lock(mutex_);
  for (const block_slot* slot : slots_) {
    if (owner_of(*slot) == block_owner::present && slot->block.pool == pool) {
      throw error("pool " + std::to_string(pool) + " cannot be closed: its worker " +
                  std::to_string(slot->block.worker) +
                  " still counts; stop the workers and release their blocks first");
    }
  }
  if (segment_ != nullptr) {
    segment_->begin_change();
  }
  for (block_slot* slot : slots_) {
    if (owner_of(*slot) == block_owner::departed && slot->block.pool == pool) {
      closed_ += read_block(slot->block);
      std::destroy_at(&slot->block);
      std::construct_at(&slot->block);
      slot->held_by.store(block_owner::nobody, relaxed);
    }
  }
  if (segment_ != nullptr) {
    show(closed_slot_->block, closed_);
    segment_->end_change();
  }
}

worker_block* block_registry::acquire(std::uint32_t pool, std::uint32_t worker) {
  const std::lock_guard lock(mutex_);
  block_slot* mine = find(pool, worker);
  if (mine != nullptr && owner_of(*mine) == block_owner::present) {
    throw error("worker " + std::to_string(worker) + " of pool " + std::to_string(pool) +
                " has its counter block already; release it first, or number workers apart");
  }
  if (mine == nullptr) {
    mine = &unused();
    mine->block.pool = pool;
    mine->block.worker = worker;
  }
  // release: pairs with the acquire of readers in other processes, who then see the block's owner
  mine->held_by.store(block_owner::present, std::memory_order_release);
  return &mine->block;
}

void block_registry::release(worker_block* block) noexcept {
  const std::lock_guard lock(mutex_);
  const auto held = std::ranges::find_if(slots_, [&](block_slot* s) { return &s->block == block; });
  assert(held != slots_.end() && owner_of(**held) == block_owner::present);
  (*held)->held_by.store(block_owner::departed, relaxed);
}

void block_registry::for_each(const std::function<void(const worker_block&)>& visit) const {
  const std::lock_guard lock(mutex_);
  for (const block_slot* slot : slots_) {
    if (owner_of(*slot) == block_owner::present) {
      visit(slot->block);
    }
  }
}

block_reading block_registry::reading() const {
  const std::lock_guard lock(mutex_);
  block_reading sum = closed_;
  for (const block_slot* slot : slots_) {
    sum += read_block(slot->block);  // a block without owner contains zeros
  }
  return sum;
}

block_reading block_registry::reading(std::uint32_t pool) const {
  const std::lock_guard lock(mutex_);
  block_reading sum;
  for (const block_slot* slot : slots_) {
    if (owner_of(*slot) != block_owner::nobody && slot->block.pool == pool) {
      sum += read_block(slot->block);
    }
  }
  return sum;
}

std::filesystem::path block_registry::file() const {
  const std::lock_guard lock(mutex_);
  return segment_ == nullptr ? std::filesystem::path() : segment_->path();
}

std::string block_registry::why_not_shared() const {
  const std::lock_guard lock(mutex_);
  return segment_ == nullptr ? "no worker has needed a block yet" : segment_->reason();
}

block_slot* block_registry::find(std::uint32_t pool, std::uint32_t worker) const noexcept {
  const auto found = std::ranges::find_if(slots_, [&](const block_slot* slot) {
    return owner_of(*slot) != block_owner::nobody && slot->block.pool == pool &&
           slot->block.worker == worker;
  });
  return found == slots_.end() ? nullptr : *found;
}

block_slot& block_registry::unused() {
  require_segment();
  const std::span own = std::span(slots_).subspan(num_inherited_);
  const auto found = std::ranges::find_if(
      own, [](const block_slot* slot) { return owner_of(*slot) == block_owner::nobody; });
  if (found != own.end()) {
    return **found;
  }
  slots_.push_back(&segment_->add_block());
  return *slots_.back();
}

void block_registry::require_segment() {
  if (segment_ != nullptr) {
    return;
  }
  if (shared_.refusal.empty()) {
    (void)reap_segments(shared_.folder);
  }
  segment_ = std::make_unique<segment>(shared_);
  closed_slot_ = &segment_->add_block();
  closed_slot_->held_by.store(block_owner::closed, std::memory_order_relaxed);
}

void block_registry::leave_to_parent() noexcept {
  if (segment_ == nullptr) {
    return;
  }
  segment_->become_private();
  inherited_.push_back(std::move(segment_));
  num_inherited_ = slots_.size();
}

block_registry& process_blocks() {
  // Never destroyed: threads may outlive statics.
  static block_registry* const registry = [] {
    static auto* const made = new block_registry(segment_options_from_environment());
    (void)::pthread_atfork([] { made->mutex_.lock(); },
                           [] { made->mutex_.unlock(); },
                           [] {
                             made->leave_to_parent();
                             made->mutex_.unlock();
                           });
    (void)std::atexit([] {
      const std::lock_guard lock(made->mutex_);
      if (made->segment_ != nullptr) {
        made->segment_->end();
      }
    });
    return made;
  }();
  return *registry;
}

}  // namespace weft::counters
