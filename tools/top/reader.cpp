// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies the file into memory of its own, and only then looks at it.
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
#include <utility>
#include <vector>

#include <sched.h>
#include <time.h>

#include "weft/base/error.hpp"
#include "weft/counters/segment_files.hpp"
#include "weft/counters/segment_format.hpp"
#include "weft/counters/ticks.hpp"

#include "counters/core/untrusted_file.hpp"
#include "counters/segment/segment_trust.hpp"
#include "top/layout.hpp"
#include "top/process_facts.hpp"
#include "top/snapshot.hpp"

namespace weft::top {

namespace {

using counters::segment_file;
using counters::segment_header;
using counters::detail::opened_file;
using counters::detail::untrusted_file;

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::size_t header_words = sizeof(segment_header) / word_bytes;
static_assert(sizeof(segment_header) % word_bytes == 0);
// A writer that lost its CPU in the middle of a change gets some time to end it; one that died
// there never does, and a file that is a trap says so of every block.
constexpr std::chrono::milliseconds most_time_for_changes(20);

counters::clock_pair clocks_now() {
  timespec now{};
  (void)::clock_gettime(CLOCK_MONOTONIC, &now);
  return {.ticks = counters::ticks_now(),
          .monotonic_ns = (std::int64_t{now.tv_sec} * 1'000'000'000) + now.tv_nsec};
}

segment_file named(const std::filesystem::path& path) {
  const auto name = counters::parse_segment_name(path.filename().string());
  if (!name) {
    throw error(path.string() +
                " is no file of counters: those are called weft.USER.PROCESS.START.stat");
  }
  return {.path = path, .name = *name};
}

untrusted_file open_trusted(const std::filesystem::path& path) {
  const segment_file named_file = named(path);
  opened_file opened = counters::detail::open_segment(named_file);
  if (!opened.file) {
    std::string text = "cannot read " + path.string() + ": " + opened.refusal;
    if (opened.code == EACCES) {
      text += "; it belongs to user " + std::to_string(named_file.name.uid) +
              ": look as that user, or as root: sudo weft-top";
    }
    throw error(text);
  }
  const auto check = counters::detail::check_segment(*opened.file, named_file.name);
  if (check.standing == counters::segment_standing::not_trusted) {
    throw error(why_not_trusted(path, check.reason));
  }
  return *std::move(opened.file);
}

}  // namespace

std::string why_not_trusted(const std::filesystem::path& path, const std::string& reason) {
  return path.string() + " is not trusted: " + reason + "; ask the owner of the file what it is";
}

bool is_laid_out(const std::filesystem::path& path) {
  const opened_file opened = counters::detail::open_untrusted(path);
  const auto magic = opened.file ? opened.file->at<std::uint64_t>(offsetof(segment_header, magic))
                                 : std::optional<std::uint64_t>(segment_header::expected_magic);
  return magic.value_or(0) != 0;
}

segment_reader::segment_reader(std::filesystem::path path, question ask)
    : path_(std::move(path)),
      ask_(std::move(ask)),
      name_(named(path_).name),
      file_(open_trusted(path_)) {
  check_version();
}

void segment_reader::check_version() const {
  if (file_.size_bytes() < sizeof(segment_header)) {
    throw error(path_.string() +
                " is too short to be a file of counters: its process is just starting, or died "
                "while it did; try again, or remove it with: weft top --reap");
  }
  const auto magic = file_.at<std::uint64_t>(offsetof(segment_header, magic));
  const auto version = file_.at<std::uint32_t>(offsetof(segment_header, version));
  const auto byte_order = file_.at<std::uint32_t>(offsetof(segment_header, byte_order));
  if (magic != segment_header::expected_magic) {
    throw error(path_.string() +
                " is no file of counters, or its process is just starting: try again");
  }
  if (byte_order != segment_header::expected_byte_order) {
    throw error(path_.string() + " is from a machine with another byte order");
  }
  if (version != segment_header::current_version) {
    throw error(path_.string() + " has layout version " + std::to_string(version.value_or(0)) +
                " and this weft-top reads version " +
                std::to_string(segment_header::current_version) +
                ": use the weft-top that was installed with the weft of that program");
  }
}

/// The process may write another origin at any time.
void segment_reader::check_origin(const header_facts& header) const {
  const counters::segment_name now{
      .uid = header.uid, .pid = header.pid, .start_clock_ticks = header.start_clock_ticks};
  if (now != name_) {
    throw error(why_not_trusted(path_, "its header no longer names the process of its name"));
  }
}

snapshot segment_reader::read() {
  snapshot taken;
  copy(taken.words);
  taken.now = clocks_now();
  taken.realtime_ns =
      std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  taken.process = ask_(name_.pid, name_.start_clock_ticks);
  if (taken.process.is_alive) {
    read_run_delays(taken);
  } else {
    copy(taken.words);  // again: it may have said that it ends, and ended, since the first copy
  }
  return taken;
}

void segment_reader::fill(std::uint64_t offset, std::span<std::uint64_t> words) const {
  if (!file_.fill(offset, words)) {
    throw error(path_.string() +
                " was cut off: it ends within what its header describes; remove it with: weft top "
                "--reap");
  }
}

template <class Copy>
void segment_reader::copy_consistently(std::uint64_t version,
                                       clock::time_point deadline,
                                       Copy copy) const {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  for (;;) {
    fill(version, {&before, 1});
    // acquire, as below: pairs with the release of whoever changes the words
    std::atomic_thread_fence(std::memory_order_acquire);
    copy();
    std::atomic_thread_fence(std::memory_order_acquire);
    fill(version, {&after, 1});
    if ((before % 2 == 0 && before == after) || clock::now() > deadline) {
      return;
    }
    ::sched_yield();
  }
}

void segment_reader::copy(std::vector<std::uint64_t>& words) const {
  const auto deadline = clock::now() + most_time_for_changes;
  copy_consistently(
      offsetof(segment_header, changes), deadline, [&] { copy_once(words, deadline); });
}

header_facts segment_reader::header() const {
  std::vector<std::uint64_t> words;
  return copy_header(words);
}

header_facts segment_reader::copy_header(std::vector<std::uint64_t>& words) const {
  words.assign(header_words, 0);
  fill(0, words);
  // acquire: pairs with the release in add_block(); a block that is counted is whole
  std::atomic_thread_fence(std::memory_order_acquire);
  const header_facts header = read_header(words, file_.size_bytes());
  check_origin(header);
  return header;
}

/// Reads the header once, and checks the copy that it then uses.
void segment_reader::copy_once(std::vector<std::uint64_t>& words,
                               clock::time_point deadline) const {
  const header_facts header = copy_header(words);
  const std::uint64_t blocks = header.blocks / word_bytes;
  const std::uint64_t each = header.block_bytes / word_bytes;
  words.resize(blocks + (header.num_blocks * each), 0);
  const std::span all(words);
  fill(sizeof(segment_header), all.subspan(header_words, blocks - header_words));
  const layout fields(words, header);
  const counters::segment_field* const change = fields.find("change");
  const bool has_version = change != nullptr && change->element_bytes == word_bytes;
  for (std::uint64_t i = 0; i < header.num_blocks; ++i) {
    const std::uint64_t place = header.blocks + (i * header.block_bytes);
    const auto copy_block = [&] { fill(place, all.subspan(blocks + (i * each), each)); };
    if (has_version) {
      copy_consistently(place + change->offset_bytes, deadline, copy_block);
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
