// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads blocks of a snapshot through its schema, and says how its process is.
#include "top/process_state.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/counters/block_reading.hpp"
#include "weft/counters/segment.hpp"
#include "weft/counters/segment_format.hpp"
#include "weft/counters/worker_block.hpp"

#include "top/layout.hpp"
#include "top/process_facts.hpp"
#include "top/snapshot.hpp"

namespace weft::top {

namespace {

using counters::block_owner;
using counters::block_slot;

process_status status_of(const header_facts& header, const process_facts& process) {
  if (process.is_alive) {
    return process_status::running;
  }
  return header.has_ended ? process_status::ended : process_status::killed;
}

/// 0 if the clocks of a damaged file tell nothing.
double seconds_per_tick(const counters::clock_pair& start, const counters::clock_pair& now) {
  const std::int64_t passed_ns = difference_ns(now.monotonic_ns, start.monotonic_ns);
  return now.ticks > start.ticks && passed_ns > 0
             ? static_cast<double>(passed_ns) * 1e-9 / static_cast<double>(now.ticks - start.ticks)
             : 0;
}

std::vector<label_time> labels_of(const counters::worker_block& block) {
  std::vector<label_time> labels;
  for (const counters::label_slot& slot : block.labels) {
    if (slot.function.value() != 0) {
      labels.push_back({.address = slot.function.value(),
                        .num = slot.weight.value(),
                        .ticks = slot.ticks.value()});
    }
  }
  return labels;
}

worker_state_now worker_of(const block_slot& slot, std::uint64_t now_ticks) {
  const counters::worker_block& block = slot.block;
  return {.owner = slot.held_by.load(std::memory_order_relaxed),
          .pool = block.pool,
          .worker = block.worker,
          .thread_id = block.thread_id.value(),
          .state = block.state(),
          .state_since_ticks = block.state_since_ticks.value(),
          .queue_length = block.queue_length.value(),
          .sample_period = block.sample_period.value(),
          .current_label = block.current_label.value(),
          .reading = counters::read_foreign_block(block, now_ticks),
          .labels = labels_of(block)};
}

std::vector<std::unique_ptr<block_slot>> slots_of(std::span<const std::uint64_t> words,
                                                  const header_facts& header,
                                                  const layout& fields) {
  std::vector<std::unique_ptr<block_slot>> slots;
  const std::span blocks = std::as_bytes(words).subspan(header.blocks);
  for (std::uint64_t i = 0; i < header.num_blocks; ++i) {
    slots.push_back(std::make_unique<block_slot>());
    fields.translate(blocks.subspan(i * header.block_bytes, header.block_bytes), *slots.back());
    // The copy is whole, or its worker died within a change that nobody will end.
    slots.back()->block.change.store(0, std::memory_order_relaxed);
  }
  return slots;
}

/// The moment up to which stays count: now, or when the process last did something.
std::uint64_t end_of_stays(const process_state& state,
                           std::span<const std::unique_ptr<block_slot>> slots) {
  if (state.status == process_status::running) {
    return state.now.ticks;
  }
  std::uint64_t last = state.header.start.ticks;
  for (const auto& slot : slots) {
    last = std::max(last, slot->block.state_since_ticks.value());
  }
  return last;
}

}  // namespace

bool process_state::has(std::string_view field) const {
  return std::ranges::find(missing, field) == missing.end();
}

process_state decode(const snapshot& taken, std::uint64_t alive_ticks) {
  process_state state;
  state.header = read_header(taken.words);
  const layout fields(taken.words, state.header);
  state.process = taken.process;
  state.now = taken.now;
  state.realtime_ns = taken.realtime_ns;
  state.missing = fields.missing();
  state.status = status_of(state.header, taken.process);
  state.seconds_per_tick = seconds_per_tick(state.header.start, taken.now);
  const auto slots = slots_of(taken.words, state.header, fields);
  state.last_sign_ticks = std::max(alive_ticks, end_of_stays(state, slots));
  for (const auto& slot : slots) {
    const worker_state_now worker = worker_of(*slot, state.last_sign_ticks);
    if (worker.owner == block_owner::present) {
      state.workers.push_back(worker);
    } else {
      state.gone += worker.reading;
    }
  }
  std::ranges::sort(state.workers, [](const worker_state_now& a, const worker_state_now& b) {
    return std::pair(a.pool, a.worker) < std::pair(b.pool, b.worker);
  });
  return state;
}

}  // namespace weft::top
