// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands counter blocks out and takes them back; no sum ever goes down.
#include "weft/counters/block_registry.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "weft/base/error.hpp"
#include "weft/counters/block_reading.hpp"
#include "weft/counters/worker_block.hpp"

namespace weft::counters {

std::uint32_t block_registry::open_pool() {
  const std::lock_guard lock(mutex_);
  return next_pool_++;
}

void block_registry::close_pool(std::uint32_t pool) {
  const std::lock_guard lock(mutex_);
  for (const entry& e : entries_) {
    if (e.held_by == owner::present && e.block.pool == pool) {
      throw error("pool " + std::to_string(pool) + " cannot be closed: its worker " +
                  std::to_string(e.block.worker) +
                  " still counts; stop the workers and release their blocks first");
    }
  }
  for (entry& e : entries_) {
    if (e.held_by == owner::departed && e.block.pool == pool) {
      closed_ += read_block(e.block);
      std::destroy_at(&e.block);
      std::construct_at(&e.block);
      e.held_by = owner::nobody;
    }
  }
}

worker_block* block_registry::acquire(std::uint32_t pool, std::uint32_t worker) {
  const std::lock_guard lock(mutex_);
  entry* mine = find(pool, worker);
  if (mine != nullptr && mine->held_by == owner::present) {
    throw error("worker " + std::to_string(worker) + " of pool " + std::to_string(pool) +
                " has its counter block already; release it first, or number workers apart");
  }
  if (mine == nullptr) {
    mine = &unused();
    mine->block.pool = pool;
    mine->block.worker = worker;
  }
  mine->held_by = owner::present;
  return &mine->block;
}

void block_registry::release(worker_block* block) noexcept {
  const std::lock_guard lock(mutex_);
  const auto held = std::ranges::find_if(entries_, [&](entry& e) { return &e.block == block; });
  assert(held != entries_.end() && held->held_by == owner::present);
  held->held_by = owner::departed;
}

void block_registry::for_each(const std::function<void(const worker_block&)>& visit) const {
  const std::lock_guard lock(mutex_);
  for (const entry& e : entries_) {
    if (e.held_by == owner::present) {
      visit(e.block);
    }
  }
}

block_reading block_registry::reading() const {
  const std::lock_guard lock(mutex_);
  block_reading sum = closed_;
  for (const entry& e : entries_) {
    sum += read_block(e.block);  // that of nobody holds zeros
  }
  return sum;
}

block_reading block_registry::reading(std::uint32_t pool) const {
  const std::lock_guard lock(mutex_);
  block_reading sum;
  for (const entry& e : entries_) {
    if (e.held_by != owner::nobody && e.block.pool == pool) {
      sum += read_block(e.block);
    }
  }
  return sum;
}

block_registry::entry* block_registry::find(std::uint32_t pool, std::uint32_t worker) noexcept {
  const auto found = std::ranges::find_if(entries_, [&](const entry& e) {
    return e.held_by != owner::nobody && e.block.pool == pool && e.block.worker == worker;
  });
  return found == entries_.end() ? nullptr : &*found;
}

block_registry::entry& block_registry::unused() {
  const auto found = std::ranges::find(entries_, owner::nobody, &entry::held_by);
  return found == entries_.end() ? entries_.emplace_back() : *found;
}

block_registry& process_blocks() {
  static auto* const registry = new block_registry;  // never destroyed: threads may outlive statics
  return *registry;
}

}  // namespace weft::counters
