// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The streaming (non-temporal) stores themselves, and the size of the cache that they bypass.
#include "weft/algorithms/detail/memory/streaming.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <unistd.h>

#include "weft/algorithms/detail/loops/wide.hpp"
#include "weft/base/profile.hpp"

#if WEFT_CHOOSES_VECTORS || defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace weft::algorithms::detail {
namespace {

struct close_file {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

/// Returns the bytes that "32768K" stands for; 0 if the file is missing.
std::size_t read_cache_size(const char* path) noexcept {
  const std::unique_ptr<std::FILE, close_file> file(std::fopen(path, "re"));
  std::array<char, 32> text{};
  if (!file || std::fgets(text.data(), static_cast<int>(text.size()), file.get()) == nullptr) {
    return 0;
  }
  std::size_t value = 0;
  const char* p = text.data();
  for (; *p >= '0' && *p <= '9'; ++p) {
    value = value * 10 + static_cast<std::size_t>(*p - '0');
  }
  return *p == 'K' ? value << 10U : *p == 'M' ? value << 20U : value;
}

std::size_t find_last_level_cache_bytes() noexcept {
  std::size_t largest = 0;
  for (const char* path : {"/sys/devices/system/cpu/cpu0/cache/index4/size",
                           "/sys/devices/system/cpu/cpu0/cache/index3/size",
                           "/sys/devices/system/cpu/cpu0/cache/index2/size"}) {
    largest = read_cache_size(path);
    if (largest != 0) {
      // the other caches are smaller, and reading their files would slow the first call
      return largest;
    }
  }
#if defined(_SC_LEVEL3_CACHE_SIZE)
  if (largest == 0) {
    const long size = ::sysconf(_SC_LEVEL3_CACHE_SIZE);
    largest = size > 0 ? static_cast<std::size_t>(size) : 0;
  }
#endif
  constexpr std::size_t guess = std::size_t{32} << 20U;
  return largest == 0 ? guess : largest;
}

}  // namespace

std::size_t last_level_cache_bytes() noexcept {
  static const std::size_t size = find_last_level_cache_bytes();
  return size;
}

namespace {

/// Plain stores are kept only if their time is below this fraction of the time of streamed stores.
///
/// Some data of a short run of plain stores is still in the last-level cache when the run ends.
/// That data is written to memory during the next run, unmeasured. For loops that read as much as
/// they write, and so move each element three times, the unmeasured part is a third.
constexpr float clearly_faster(stream_kind kind) noexcept {
  switch (kind) {
    case stream_kind::copy:
    case stream_kind::map:
    case stream_kind::scan:
      return 0.7F;
    case stream_kind::fill:
    case stream_kind::clear:
    case stream_kind::compact:
      break;
  }
  return 0.9F;
}

}  // namespace

float stream_trial::best_rate(bool streamed) const noexcept {
  float best = std::numeric_limits<float>::max();
  for (std::size_t turn = streamed ? 0 : 1; turn < num_turns; turn += 2) {
    const auto bytes = static_cast<float>(turns_[turn].bytes.load(std::memory_order_relaxed));
    const auto ticks = static_cast<float>(turns_[turn].ticks.load(std::memory_order_relaxed));
    best = bytes > 0 ? std::min(best, ticks / bytes) : best;
  }
  return best;
}

void stream_trial::note(std::size_t turn, std::size_t bytes, std::uint64_t ticks) noexcept {
  if (turn < num_turns) {
    turns_[turn].ticks.fetch_add(ticks, std::memory_order_relaxed);
    turns_[turn].bytes.fetch_add(bytes, std::memory_order_relaxed);
  }
  const std::size_t more = counted(bytes);
  const std::size_t ended = num_ended_.fetch_add(more, std::memory_order_relaxed) + more;
  if (ended < num_turns * turn_bytes) {
    return;
  }
  const bool is_plain_faster = best_rate(false) < clearly_faster(kind_) * best_rate(true);
  verdict_.store(is_plain_faster ? choice::plain : choice::streamed, std::memory_order_relaxed);
}

namespace {

constinit std::array<stream_trial, base::num_store_kinds> trials{stream_trial(stream_kind::fill),
                                                                 stream_trial(stream_kind::copy),
                                                                 stream_trial(stream_kind::map),
                                                                 stream_trial(stream_kind::scan),
                                                                 stream_trial(stream_kind::compact),
                                                                 stream_trial(stream_kind::clear)};

/// Ends the trials whose result the machine profile names.
bool use_known_verdicts() noexcept {
  const auto& known = base::profile().stores;
  for (std::size_t kind = 0; kind != trials.size(); ++kind) {
    if (const std::optional<base::large_stores>& way = known[kind]) {
      trials[kind].end(*way == base::large_stores::plain ? stream_trial::choice::plain
                                                         : stream_trial::choice::streamed);
    }
  }
  return true;
}

}  // namespace

stream_trial& trial_of(stream_kind kind) noexcept {
  [[maybe_unused]] static const bool are_used = use_known_verdicts();
  return trials[static_cast<std::size_t>(kind)];
}

#if defined(__x86_64__)

namespace {

bool has_clzero() noexcept {
  constexpr unsigned leaf = 0x80000008;  // of AMD's manual, volume 3: bit 0 of EBX
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) != 0 && (ebx & 1U) != 0;
}

/// Clears whole cache lines; `to` is the start of a line.
void clear_lines(char* to, std::size_t bytes) noexcept {
  for (const char* const end = to + bytes; to != end; to += cache_line_bytes) {
    asm volatile("clzero" : : "a"(to) : "memory");
  }
}

}  // namespace

bool clears_lines() noexcept {
  static const bool is_there = has_clzero();
  return is_there;
}

#else

namespace {

void clear_lines(char* to, std::size_t bytes) noexcept { std::memset(to, 0, bytes); }

}  // namespace

bool clears_lines() noexcept { return false; }

#endif

void stream_clear(void* to, std::size_t bytes) noexcept {
  if (!clears_lines()) {
    stream_fill(to, {}, bytes);
    return;
  }
  constexpr std::size_t line = cache_line_bytes;
  auto* target = static_cast<char*>(to);
  const std::size_t past = std::bit_cast<std::uintptr_t>(target) % line;
  const std::size_t head = std::min(past == 0 ? 0 : line - past, bytes);
  const std::size_t whole = (bytes - head) / line * line;
  std::memset(target, 0, head);
  clear_lines(target + head, whole);
  std::memset(target + head + whole, 0, bytes - head - whole);
}

#if defined(__SSE2__)

std::size_t stream_threshold_bytes() noexcept {
  static const std::size_t bytes = static_cast<std::size_t>(
      base::profile().stream_from_bytes.value_or(static_cast<double>(last_level_cache_bytes())));
  return bytes;
}

namespace {

/// Copies whole lines to an address at which a line begins.
[[maybe_unused]] void stream_lines(char* to, const char* from, std::size_t bytes) noexcept {
  for (const char* const end = from + bytes; from != end;
       from += cache_line_bytes, to += cache_line_bytes) {
    const auto* in = reinterpret_cast<const __m128i*>(from);
    auto* out = reinterpret_cast<__m128i*>(to);
    const __m128i a = _mm_loadu_si128(in);
    const __m128i b = _mm_loadu_si128(in + 1);
    const __m128i c = _mm_loadu_si128(in + 2);
    const __m128i d = _mm_loadu_si128(in + 3);
    _mm_stream_si128(out, a);
    _mm_stream_si128(out + 1, b);
    _mm_stream_si128(out + 2, c);
    _mm_stream_si128(out + 3, d);
  }
}

#if WEFT_CHOOSES_VECTORS || defined(__AVX__)
/// As above, with half as many stores: 6 % faster from memory to memory.
#if WEFT_CHOOSES_VECTORS
[[gnu::target("avx")]]
#endif
void stream_lines_wide(char* to, const char* from, std::size_t bytes) noexcept {
  for (const char* const end = from + bytes; from != end;
       from += cache_line_bytes, to += cache_line_bytes) {
    const auto* in = reinterpret_cast<const __m256i*>(from);
    auto* out = reinterpret_cast<__m256i*>(to);
    const __m256i a = _mm256_loadu_si256(in);
    const __m256i b = _mm256_loadu_si256(in + 1);
    _mm256_stream_si256(out, a);
    _mm256_stream_si256(out + 1, b);
  }
}
#endif

}  // namespace

void stream_copy(void* to, const void* from, std::size_t bytes) noexcept {
  constexpr std::size_t line = cache_line_bytes;
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  // The address as a number: only the distance to the next line is needed.
  const std::size_t past = std::bit_cast<std::uintptr_t>(target) % line;
  const std::size_t head = past == 0 ? 0 : line - past;
  if (bytes < line + head) {
    std::memcpy(target, source, bytes);
    return;
  }
  std::memcpy(target, source, head);
  const std::size_t whole = (bytes - head) / line * line;
#if WEFT_CHOOSES_VECTORS
  if (__builtin_cpu_supports("avx")) {
    stream_lines_wide(target + head, source + head, whole);
  } else {
    stream_lines(target + head, source + head, whole);
  }
#elif defined(__AVX__)
  stream_lines_wide(target + head, source + head, whole);
#else
  stream_lines(target + head, source + head, whole);
#endif
  std::memcpy(target + head + whole, source + head + whole, bytes - head - whole);
}

void stream_fill(void* to,
                 const std::array<std::byte, cache_line_bytes>& line,
                 std::size_t bytes) noexcept {
  auto* target = static_cast<char*>(to);
  const std::size_t past = std::bit_cast<std::uintptr_t>(target) % line.size();
  const std::size_t head = std::min(past == 0 ? 0 : line.size() - past, bytes);
  std::memcpy(target, line.data(), head);
  target += head;
  bytes -= head;
  alignas(cache_line_bytes) std::array<std::byte, cache_line_bytes> turned{};
  std::rotate_copy(line.begin(),
                   line.begin() + static_cast<std::ptrdiff_t>(head % line.size()),
                   line.end(),
                   turned.begin());
  const auto* in = reinterpret_cast<const __m128i*>(turned.data());
  const __m128i a = _mm_load_si128(in);
  const __m128i b = _mm_load_si128(in + 1);
  const __m128i c = _mm_load_si128(in + 2);
  const __m128i d = _mm_load_si128(in + 3);
  for (; bytes >= line.size(); bytes -= line.size(), target += line.size()) {
    auto* out = reinterpret_cast<__m128i*>(target);
    _mm_stream_si128(out, a);
    _mm_stream_si128(out + 1, b);
    _mm_stream_si128(out + 2, c);
    _mm_stream_si128(out + 3, d);
  }
  std::memcpy(target, turned.data(), bytes);
}

void stream_fence() noexcept { _mm_sfence(); }

#else  // other processors themselves turn a stream of full lines into stores without reads

std::size_t stream_threshold_bytes() noexcept { return std::numeric_limits<std::size_t>::max(); }

void stream_copy(void* to, const void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}

void stream_fill(void* to,
                 const std::array<std::byte, cache_line_bytes>& line,
                 std::size_t bytes) noexcept {
  auto* target = static_cast<char*>(to);
  for (; bytes >= line.size(); bytes -= line.size(), target += line.size()) {
    std::memcpy(target, line.data(), line.size());
  }
  std::memcpy(target, line.data(), bytes);
}

void stream_fence() noexcept {}

#endif

}  // namespace weft::algorithms::detail
