// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads an event without a system call, on the thread that it counts.
#include "counters/families/perf/perf_page.hpp"

#include <atomic>
#include <cstdint>
#include <optional>

#include <linux/perf_event.h>

#include "weft/counters/ticks.hpp"

#include "counters/families/perf/perf_kernel.hpp"

namespace weft::counters::detail {
namespace {

#if defined(__x86_64__)
std::uint64_t read_counter(std::uint32_t index) {
  return __builtin_ia32_rdpmc(static_cast<int>(index));
}
#endif

/// Returns the counter's bits as a signed number, because the kernel starts it below zero.
std::int64_t sign_extend(std::uint64_t value, unsigned width_bits) {
  const unsigned shift = 64 - width_bits;
  return static_cast<std::int64_t>(value << shift) >> shift;
}

/// Returns the time since the kernel wrote the page's times.
std::uint64_t elapsed_ns(const volatile perf_event_mmap_page& page, std::uint64_t cycles) {
  const std::uint64_t mult = page.time_mult;
  const unsigned shift = page.time_shift;
  const std::uint64_t quotient = cycles >> shift;
  const std::uint64_t remainder = cycles & ((std::uint64_t{1} << shift) - 1);
  return page.time_offset + (quotient * mult) + ((remainder * mult) >> shift);
}

/// Reads the page once. The kernel may be writing it.
std::optional<raw_count> read_once(const volatile perf_event_mmap_page& page,
                                   const processor_registers& processor) {
  const std::uint32_t index = page.index;
  const unsigned width_bits = page.pmc_width;
  if (page.cap_user_rdpmc == 0 || page.cap_user_time == 0 || index == 0 || width_bits == 0 ||
      width_bits > 64) {
    return std::nullopt;
  }
  const std::uint64_t more_ns = elapsed_ns(page, processor.clock());
  const std::int64_t counted = page.offset + sign_extend(processor.counter(index - 1), width_bits);
  return raw_count{.count = static_cast<std::uint64_t>(counted),
                   .enabled_ns = page.time_enabled + more_ns,
                   .running_ns = page.time_running + more_ns};
}

}  // namespace

processor_registers running_processor() noexcept {
#if defined(__x86_64__)
  return {.counter = read_counter, .clock = ticks_now};
#else
  return {.counter = nullptr, .clock = ticks_now};
#endif
}

std::optional<raw_count> read_page(const perf_event_mmap_page& page,
                                   const processor_registers& processor) noexcept {
  if (processor.counter == nullptr) {
    return std::nullopt;
  }
  constexpr int most_tries = 10;  // the kernel writes it only when the thread is switched
  const volatile perf_event_mmap_page& shown = page;
  for (int i = 0; i < most_tries; ++i) {
    const std::uint32_t before = shown.lock;
    // The kernel writes on this very processor, so only the compiler could reorder the loads.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const std::optional<raw_count> result = read_once(shown, processor);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (shown.lock == before) {
      return result;
    }
  }
  return std::nullopt;
}

}  // namespace weft::counters::detail
