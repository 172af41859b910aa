// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages within one process: letters in queues, one queue for each pair of ranks.
#include "distributed/transport/memory_transport.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/message.hpp"
#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/message.hpp"

#include "distributed/transport/frames.hpp"

namespace weft::distributed::detail {
namespace {

template <class T>
void reduce_into(reduction operation, void* to, const void* from, std::size_t count) {
  auto* const sums = static_cast<T*>(to);
  const auto* const more = static_cast<const T*>(from);
  for (std::size_t i = 0; i < count; ++i) {
    switch (operation) {
      case reduction::sum:
        sums[i] = static_cast<T>(sums[i] + more[i]);
        break;
      case reduction::product:
        sums[i] = static_cast<T>(sums[i] * more[i]);
        break;
      case reduction::minimum:
        sums[i] = std::min(sums[i], more[i]);
        break;
      case reduction::maximum:
        sums[i] = std::max(sums[i], more[i]);
        break;
    }
  }
}

struct element_kind {
  std::size_t size;
  void (*reduce)(reduction, void*, const void*, std::size_t);
};
template <class T>
constexpr element_kind kind_for{sizeof(T), reduce_into<T>};

/// In the order of `element`.
constexpr element_kind element_kinds[] = {kind_for<std::int8_t>,
                                          kind_for<std::uint8_t>,
                                          kind_for<std::int16_t>,
                                          kind_for<std::uint16_t>,
                                          kind_for<std::int32_t>,
                                          kind_for<std::uint32_t>,
                                          kind_for<std::int64_t>,
                                          kind_for<std::uint64_t>,
                                          kind_for<float>,
                                          kind_for<double>};

void all_reduce(std::span<collective* const> all) {
  const collective& first = *all.front();
  const element_kind& kind = element_kinds[static_cast<std::size_t>(first.type)];
  std::vector<std::byte> result(first.count * kind.size);
  std::memcpy(result.data(), first.input, result.size());
  for (const collective* const each : all.subspan(1)) {
    kind.reduce(first.operation, result.data(), each->input, first.count);
  }
  for (const collective* const each : all) {
    std::memcpy(each->output, result.data(), result.size());
  }
}

void all_gather(std::span<collective* const> all) {
  for (const collective* const to : all) {
    auto* place = static_cast<std::byte*>(to->output);
    for (const collective* const from : all) {
      std::memcpy(place, from->input, from->count);
      place += from->count;
    }
  }
}

void broadcast(std::span<collective* const> all) {
  const collective& root = *all[static_cast<std::size_t>(all.front()->root)];
  for (const collective* const to : all) {
    if (to != &root) {
      std::memcpy(to->output, root.output, root.count);
    }
  }
}

std::size_t size_of(const memory_world::letter& sent) noexcept {
  std::size_t sum = sent.frame.size();
  for (const part& each : sent.parts.parts) {
    sum += each.size;
  }
  return sum;
}

}  // namespace

memory_world::memory_world(const memory_world_options& options)
    : options_(options),
      random_(options.seed),
      links_(static_cast<std::size_t>(options.size) * static_cast<std::size_t>(options.size)),
      done_(static_cast<std::size_t>(options.size)) {
  for (channel& each : channels_) {
    each.num_joined.resize(static_cast<std::size_t>(options.size));
  }
}

memory_world::clock::time_point memory_world::delayed() {
  if (options_.longest_delay.count() == 0) {
    return {};
  }
  const std::lock_guard guard(mutex_);
  std::uniform_int_distribution<std::int64_t> delays(0, options_.longest_delay.count());
  return clock::now() + std::chrono::microseconds(delays(random_));
}

void memory_world::put(int from, int to, letter&& sent) {
  sent.due = delayed();
  const std::lock_guard guard(mutex_);
  link& used = link_of(from, to);
  used.last_due = std::max(used.last_due, sent.due);
  sent.due = used.last_due;  // so that no message overtakes another one of the same pair
  used.bytes += size_of(sent);
  used.letters.push_back(std::move(sent));
}

std::optional<memory_world::letter> memory_world::take(int rank) {
  const std::lock_guard guard(mutex_);
  const auto first = static_cast<int>(random_() % static_cast<std::uint64_t>(options_.size));
  for (int i = 0; i < options_.size; ++i) {
    link& used = link_of((first + i) % options_.size, rank);
    if (!used.letters.empty() &&
        (options_.longest_delay.count() == 0 || used.letters.front().due <= clock::now())) {
      letter found = std::move(used.letters.front());
      used.letters.pop_front();
      used.bytes -= size_of(found);
      return found;
    }
  }
  return std::nullopt;
}

std::size_t memory_world::queued_bytes(int from, int to) {
  const std::lock_guard guard(mutex_);
  return link_of(from, to).bytes;
}

void memory_world::join(int rank, collective& operation) {
  const std::lock_guard guard(mutex_);
  channel& used = channels_[static_cast<std::size_t>(operation.channel)];
  const std::size_t index = used.num_joined[static_cast<std::size_t>(rank)]++ - used.first;
  if (index == used.pending.size()) {
    used.pending.emplace_back(static_cast<std::size_t>(options_.size));
  }
  used.pending[index][static_cast<std::size_t>(rank)] = &operation;
  while (!used.pending.empty() &&
         std::ranges::find(used.pending.front(), nullptr) == used.pending.front().end()) {
    const std::vector<collective*> all = std::move(used.pending.front());
    used.pending.pop_front();
    ++used.first;
    perform(all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      done_[i].push_back(all[i]);
    }
  }
}

void memory_world::perform(std::span<collective* const> operations) {
  switch (operations.front()->kind) {
    case collective_kind::barrier:
      break;
    case collective_kind::all_gather:
      all_gather(operations);
      break;
    case collective_kind::all_reduce:
      all_reduce(operations);
      break;
    case collective_kind::broadcast:
      broadcast(operations);
      break;
  }
}

collective* memory_world::take_done(int rank) {
  const std::lock_guard guard(mutex_);
  std::deque<collective*>& mine = done_[static_cast<std::size_t>(rank)];
  if (mine.empty()) {
    return nullptr;
  }
  collective* const found = mine.front();
  mine.pop_front();
  return found;
}

std::size_t memory_transport::send(int to, const outgoing& message) {
  memory_world::letter sent{.due = {}, .source = rank_, .frame = {}, .parts = {}};
  append_frame(sent.frame, message, 0);
  sent.parts = {.parts = {message.parts.begin(), message.parts.end()}, .owner = message.owner};
  transfers_.sent(size_of(sent));
  world_->put(rank_, to, std::move(sent));
  return queued_bytes(to);
}

std::size_t memory_transport::queued_bytes(int to) const noexcept {
  return world_->queued_bytes(rank_, to);
}

bool memory_transport::finish_transfers() noexcept {
  bool has_finished = false;
  for (std::size_t i = 0; i < arriving_.size();) {
    if (arriving_[i].due > memory_world::clock::now()) {
      ++i;
      continue;
    }
    transfer due = std::move(arriving_[i]);
    arriving_.erase(arriving_.begin() + static_cast<std::ptrdiff_t>(i));
    for (std::size_t part = 0; part < due.to.size(); ++part) {
      std::memcpy(due.to[part].data, due.from.parts[part].data, due.to[part].size);
    }
    due.from = {};
    due.whole->arrived();
    has_finished = true;
  }
  return has_finished;
}

bool memory_transport::poll(engine& to) noexcept {
  const std::unique_lock guard(polling_, std::try_to_lock);
  if (!guard.owns_lock()) {
    return false;
  }
  bool has_happened = finish_transfers();
  has_happened = finish_collective() || has_happened;
  constexpr int most_letters = 64;
  for (int i = 0; i < most_letters; ++i) {
    auto next = world_->take(rank_);
    if (!next) {
      break;
    }
    taken_ = &*next;
    transfers_.received(size_of(*next));
    try {
      frame_reader frames(next->source, next->frame);
      to.take(frames.next());
    } catch (const std::exception& why) {
      abort(why.what());
    }
    taken_ = nullptr;
    has_happened = true;
  }
  return has_happened;
}

void memory_transport::receive_parts(const incoming& /*message*/,
                                     std::span<const part_to_fill> parts,
                                     part_arrival& whole) noexcept {
  arriving_.push_back({.due = world_->delayed(),
                       .from = std::move(taken_->parts),
                       .to = {parts.begin(), parts.end()},
                       .whole = &whole});
}

void memory_transport::start(collective& operation) noexcept {
  world_->join(rank_, operation);
  if (size() == 1) {
    finish_collective();
  }
}

bool memory_transport::finish_collective() noexcept {
  collective* const operation = world_->take_done(rank_);
  if (operation == nullptr) {
    return false;
  }
  operation->done();
  return true;
}

void memory_transport::abort(std::string_view why) noexcept {
  send_message("weft: the job ends: " + std::string(why) + '\n');
  std::abort();
}

}  // namespace weft::distributed::detail
