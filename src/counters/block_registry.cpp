// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hands counter blocks out and takes them back; no sum ever goes down.
#include "weft/counters/block_registry.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "weft/base/error.hpp"
#include "weft/counters/worker_block.hpp"

namespace weft::counters {

namespace {

void add(worker_totals& sum, const worker_block& block) noexcept {
  for (std::size_t i = 0; i < worker_count_members<cell>.size(); ++i) {
    sum.*worker_count_members<std::uint64_t>[i] += (block.*worker_count_members<cell>[i]).value();
  }
}

void clear(worker_block& block) noexcept {
  for (cell worker_counts<cell>::* const count : worker_count_members<cell>) {
    (block.*count).set(0);
  }
}

}  // namespace

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
      add(closed_, e.block);
      clear(e.block);
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

worker_totals block_registry::totals() const {
  const std::lock_guard lock(mutex_);
  worker_totals sum = closed_;
  for (const entry& e : entries_) {
    add(sum, e.block);  // that of nobody holds zeros
  }
  return sum;
}

worker_totals block_registry::totals(std::uint32_t pool) const {
  const std::lock_guard lock(mutex_);
  worker_totals sum;
  for (const entry& e : entries_) {
    if (e.held_by != owner::nobody && e.block.pool == pool) {
      add(sum, e.block);
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
