// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keeps the holders of every cache line, and counts what moves.
#include "lab/scaling/line_directory.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace weft::lab::scaling {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr std::size_t most_lines = std::size_t{1} << 20;
constexpr std::size_t most_sites = std::size_t{1} << 14;
constexpr std::size_t most_threads = 1152;
constexpr std::size_t word_bits = 64;

[[noreturn]] void end_without_room(const char* what, std::size_t limit) {
  static_cast<void>(std::fprintf(
      stderr, "weft_lines: more than %zu %s; count fewer workers or smaller work\n", limit, what));
  std::abort();
}

/// An array in static storage whose pages cost memory only once they are touched. Zero bytes are an
/// empty slot. A constructor would touch all of them.
template <class Slot, std::size_t size>
class zeroed {
 public:
  Slot& operator[](std::size_t index) { return begin()[index]; }
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): see above
  Slot* begin() { return reinterpret_cast<Slot*>(bytes_); }
  Slot* end() { return begin() + size; }

 private:
  alignas(Slot) std::byte bytes_[sizeof(Slot) * size];
};

/// Finds the slot of `key` in an open-addressed table of slots that begin with an atomic `key`.
template <class Slot, std::size_t size>
Slot& slot_of(zeroed<Slot, size>& table, std::uintptr_t key, const char* what) {
  const auto begin = static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> 20);  // Fibonacci hash
  for (std::size_t i = 0; i < size; ++i) {
    Slot& slot = table[(begin + i) % size];
    std::uintptr_t found = slot.key.load(std::memory_order_acquire);
    if (found == 0) {
      slot.key.compare_exchange_strong(found, key, std::memory_order_acq_rel);
      found = slot.key.load(std::memory_order_acquire);
    }
    if (found == key) {
      return slot;
    }
  }
  end_without_room(what, size);
}

using thread_set = std::array<std::uint64_t, most_threads / word_bits>;

struct line {
  std::atomic<std::uintptr_t> key{0};  // the address divided by line_bytes
  std::atomic<bool> is_locked{false};
  thread_set holders{};
};

struct site {
  std::atomic<std::uintptr_t> key{0};  // the instruction's address
  std::atomic<std::uint64_t> moved{0};
};

struct alignas(128) thread_counts {
  std::atomic<std::uint64_t> reads{0};
  std::atomic<std::uint64_t> writes{0};
  std::atomic<std::uint64_t> invalidated{0};
};

zeroed<line, most_lines> lines;
zeroed<site, most_sites> sites;
zeroed<thread_counts, most_threads> counts;
constinit std::atomic<std::size_t> num_threads{0};
constinit std::atomic<bool> is_counting{false};

std::size_t number_of_thread() {
  static thread_local const std::size_t number = num_threads.fetch_add(1);
  if (number >= most_threads) {
    end_without_room("threads", most_threads);
  }
  return number;
}

void add(std::atomic<std::uint64_t>& counter, std::uint64_t more) {
  counter.fetch_add(more, std::memory_order_relaxed);
}

/// The lines that one access moved.
struct movement {
  bool is_moved = false;
  std::uint64_t num_invalidated = 0;
};

/// Makes `thread` a holder. The caller holds the line's lock.
movement pass_to(thread_set& holders, std::size_t thread, access kind) {
  const std::uint64_t me = std::uint64_t{1} << (thread % word_bits);
  std::uint64_t& mine = holders[thread / word_bits];
  std::uint64_t num_holders = 0;
  for (const std::uint64_t word : holders) {
    num_holders += static_cast<std::uint64_t>(std::popcount(word));
  }
  const bool is_held = (mine & me) != 0;
  const std::uint64_t num_others = num_holders - (is_held ? 1 : 0);
  movement result;
  if (kind == access::write) {
    result = {.is_moved = num_others != 0, .num_invalidated = num_others};
    holders = {};
  } else {
    result.is_moved = !is_held && num_others != 0;
  }
  mine |= me;
  return result;
}

void record_line(std::uintptr_t number, access kind, const void* instruction) {
  line& at = slot_of(lines, number, "cache lines");
  const std::size_t thread = number_of_thread();
  while (at.is_locked.exchange(true, std::memory_order_acquire)) {
  }
  const movement moved = pass_to(at.holders, thread, kind);
  at.is_locked.store(false, std::memory_order_release);
  if (!moved.is_moved || !is_counting.load(std::memory_order_relaxed)) {
    return;
  }
  thread_counts& mine = counts[thread];
  add(kind == access::read ? mine.reads : mine.writes, 1);
  add(mine.invalidated, moved.num_invalidated);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): an address as a key
  add(slot_of(sites, reinterpret_cast<std::uintptr_t>(instruction), "instructions").moved, 1);
}

}  // namespace

void record_access(const void* place,
                   std::size_t size_bytes,
                   access kind,
                   const void* instruction) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): an address as a number
  const auto first = reinterpret_cast<std::uintptr_t>(place);
  const std::uintptr_t last = first + (size_bytes == 0 ? 0 : size_bytes - 1);
  for (std::uintptr_t number = first / line_bytes; number <= last / line_bytes; ++number) {
    record_line(number, kind, instruction);
  }
}

void begin_counting() {
  for (thread_counts& each : counts) {
    each.reads = 0;
    each.writes = 0;
    each.invalidated = 0;
  }
  for (site& each : sites) {
    each.moved = 0;
  }
  is_counting = true;
}

line_counts end_counting() {
  is_counting = false;
  line_counts sum;
  for (thread_counts& each : counts) {
    sum.reads += each.reads;
    sum.writes += each.writes;
    sum.invalidated += each.invalidated;
  }
  return sum;
}

std::vector<line_site> counted_sites() {
  std::vector<line_site> result;
  for (site& each : sites) {
    if (const std::uint64_t moved = each.moved; moved != 0) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr,*-reinterpret-cast): the key is an address
      result.push_back({reinterpret_cast<const void*>(each.key.load()), moved});
    }
  }
  std::ranges::sort(result, std::ranges::greater{}, &line_site::moved);
  return result;
}

}  // namespace weft::lab::scaling
