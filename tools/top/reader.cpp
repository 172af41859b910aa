// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Maps the file for reading and copies it word by word.
#include "top/reader.hpp"

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/counters/segment_format.hpp"
#include "weft/counters/ticks.hpp"

#include "top/layout.hpp"
#include "top/process_facts.hpp"
#include "top/snapshot.hpp"

namespace weft::top {

namespace {

using counters::segment_header;

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
// A writer that lost its CPU in the middle of a change gets some time to end it; one that died
// there never does.
constexpr int most_attempts = 1000;

std::uint64_t load(const std::uint64_t& word) noexcept {
  return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

void copy_words(std::span<const std::uint64_t> from, std::uint64_t* to) noexcept {
  for (std::size_t i = 0; i < from.size(); ++i) {
    to[i] = load(from[i]);
  }
}

/// Copies until what `version()` refers to is even and the same before and after; `copy` may move
/// it.
template <class Version, class Copy>
void copy_consistently(Version version, Copy copy) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    const std::uint64_t before = __atomic_load_n(&version(), __ATOMIC_ACQUIRE);
    copy();
    // acquire: pairs with the release of who changes the words
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 == 0 && load(version()) == before) {
      return;
    }
    ::sched_yield();
  }
}

counters::clock_pair clocks_now() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return {.ticks = counters::ticks_now(),
          .monotonic_ns = (std::int64_t{now.tv_sec} * 1'000'000'000) + now.tv_nsec};
}

std::string why_unreadable(const std::filesystem::path& path, int code) {
  std::string text =
      "weft top: cannot read " + path.string() + ": " + std::generic_category().message(code);
  if (code == EACCES) {
    struct stat status{};
    const bool is_known = ::stat(path.c_str(), &status) == 0;
    text += is_known ? "; it belongs to user " + std::to_string(status.st_uid) : "";
    text += ": look as that user, or as root: sudo weft-top";
  }
  return text;
}

}  // namespace

bool is_laid_out(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) {
    return true;
  }
  std::uint64_t magic = 0;
  const ssize_t num = ::pread(descriptor, &magic, sizeof magic, offsetof(segment_header, magic));
  (void)::close(descriptor);
  return num == ssize_t{sizeof magic} && magic != 0;
}

segment_reader::segment_reader(std::filesystem::path path, question ask)
    : path_(std::move(path)), ask_(std::move(ask)) {
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor_ < 0) {
    throw error(why_unreadable(path_, errno));
  }
  try {
    map();
    check_version();
  } catch (...) {
    unmap();
    (void)::close(descriptor_);
    throw;
  }
}

segment_reader::~segment_reader() {
  unmap();
  (void)::close(descriptor_);
}

void segment_reader::map() {
  unmap();
  struct stat status{};
  if (::fstat(descriptor_, &status) != 0) {
    throw error(why_unreadable(path_, errno));
  }
  const auto size_bytes = static_cast<std::size_t>(status.st_size) / word_bytes * word_bytes;
  if (size_bytes < sizeof(segment_header)) {
    throw error("weft top: " + path_.string() +
                " is too short to be a file of counters: its process is just starting, or died "
                "while it did; try again, or remove it with: weft top --reap");
  }
  void* const place = ::mmap(nullptr, size_bytes, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (place == MAP_FAILED) {
    throw error(why_unreadable(path_, errno));
  }
  address_ = static_cast<const std::byte*>(place);
  size_bytes_ = size_bytes;
}

void segment_reader::unmap() noexcept {
  if (address_ != nullptr) {
    (void)::munmap(const_cast<std::byte*>(std::exchange(address_, nullptr)), size_bytes_);
  }
}

std::span<const std::uint64_t> segment_reader::mapped_words() const noexcept {
  return {reinterpret_cast<const std::uint64_t*>(address_), size_bytes_ / word_bytes};
}

const segment_header& segment_reader::mapped_header() const noexcept {
  return *reinterpret_cast<const segment_header*>(address_);
}

void segment_reader::check_version() const {
  const segment_header& header = mapped_header();
  // acquire: pairs with the release of the process, which writes it last
  if (header.magic.load(std::memory_order_acquire) != segment_header::expected_magic) {
    throw error("weft top: " + path_.string() +
                " is no file of counters, or its process is just starting: try again");
  }
  if (header.byte_order != segment_header::expected_byte_order) {
    throw error("weft top: " + path_.string() + " is from a machine with another byte order");
  }
  if (header.version != segment_header::current_version) {
    throw error("weft top: " + path_.string() + " has layout version " +
                std::to_string(header.version) + " and this weft-top reads version " +
                std::to_string(segment_header::current_version) +
                ": use the weft-top that was installed with the weft of that program");
  }
}

snapshot segment_reader::read() {
  snapshot taken;
  copy(taken.words);
  taken.now = clocks_now();
  taken.realtime_ns =
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  const header_facts header = read_header(taken.words);
  taken.process = ask_(header.pid, header.start_clock_ticks);
  if (taken.process.is_alive) {
    read_run_delays(taken);
  } else {
    copy(taken.words);  // again: it may have said that it ends, and ended, since the first copy
  }
  return taken;
}

void segment_reader::copy(std::vector<std::uint64_t>& words) {
  const auto version = [this]() -> const std::uint64_t& {
    return reinterpret_cast<const std::uint64_t&>(mapped_header().changes);
  };
  copy_consistently(version, [&] { copy_blocks(words, map_blocks()); });
}

std::uint64_t segment_reader::map_blocks() {
  const std::uint64_t first = mapped_header().blocks;
  const std::uint64_t each = mapped_header().block_bytes;
  // acquire: pairs with the release in add_block(); a block that is counted is whole
  const std::uint64_t num = mapped_header().num_blocks.load(std::memory_order_acquire);
  const auto are_mapped = [&] {
    return first >= sizeof(segment_header) && first <= size_bytes_ &&
           (each == 0 || num <= (size_bytes_ - first) / each);
  };
  if (!are_mapped()) {
    map();  // the file has grown
  }
  if (!are_mapped()) {
    throw error("weft top: " + path_.string() + " is damaged: it names blocks that it has not");
  }
  return num;
}

void segment_reader::copy_blocks(std::vector<std::uint64_t>& words, std::uint64_t num) const {
  const std::span<const std::uint64_t> mapped = mapped_words();
  const std::uint64_t blocks = mapped_header().blocks / word_bytes;
  const std::uint64_t each = mapped_header().block_bytes / word_bytes;
  words.assign(blocks + (num * each), 0);
  copy_words(mapped.first(blocks), words.data());
  // The process may have added blocks since they were counted.
  words[offsetof(segment_header, num_blocks) / word_bytes] = num;
  const layout fields(words, read_header(words));
  const counters::segment_field* const change = fields.find("change");
  for (std::uint64_t i = 0; i < num; ++i) {
    const std::span block = mapped.subspan(blocks + (i * each), each);
    const auto copy_block = [&] { copy_words(block, words.data() + blocks + (i * each)); };
    if (change != nullptr && change->element_bytes == word_bytes) {
      const std::uint64_t& version = block[change->offset_bytes / word_bytes];
      copy_consistently([&]() -> const std::uint64_t& { return version; }, copy_block);
    } else {
      copy_block();
    }
  }
}

void segment_reader::read_run_delays(snapshot& into) const {
  const header_facts header = read_header(into.words);
  const layout fields(into.words, header);
  const counters::segment_field* const thread = fields.find("thread_id");
  if (thread == nullptr || thread->element_bytes != word_bytes) {
    return;
  }
  const std::span bytes = std::as_bytes(std::span(into.words));
  for (std::uint64_t i = 0; i < header.num_blocks; ++i) {
    std::uint64_t id = 0;
    std::memcpy(
        &id,
        bytes.subspan(header.blocks + (i * header.block_bytes) + thread->offset_bytes).data(),
        sizeof id);
    if (const auto delay_ns = id == 0 ? std::nullopt : thread_run_delay_ns(header.pid, id)) {
      into.process.run_delay_ns[id] = *delay_ns;
    }
  }
}

}  // namespace weft::top
