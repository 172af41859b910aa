// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recording is 64-bit words: a mark, then per snapshot its clocks, what the kernel said, the
// symbols that were new, and the numbers and values of words that changed.
#include "top/recording.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"

#include "base/output_file.hpp"
#include "counters/core/untrusted_file.hpp"
#include "top/process_facts.hpp"
#include "top/snapshot.hpp"

namespace weft::top {

namespace {

constexpr std::uint64_t mark = 0x3143455254464557;  // "WEFTREC1" in the file
constexpr std::uint64_t unknown = ~std::uint64_t{0};
// More than any of them has: a damaged file must not ask for all memory.
constexpr std::uint64_t most_words = std::uint64_t{1} << 26U;
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 20U;

/// Thrown where the file ends within a snapshot.
struct cut_off {};

error cannot_write(const std::filesystem::path& path, const std::string& why) {
  return error("cannot write " + path.string() + ": " + why + "; give --record another file");
}

counters::detail::untrusted_file open_recording(const std::filesystem::path& path) {
  using counters::detail::last_link;
  counters::detail::opened_file opened =
      counters::detail::open_untrusted(path, {.link = last_link::followed});
  if (!opened.file) {
    throw error("cannot read " + path.string() + ": " + opened.refusal +
                "; make one with: weft top --record FILE");
  }
  return *std::move(opened.file);
}

std::uint64_t bits_of(std::int64_t number) { return static_cast<std::uint64_t>(number); }

}  // namespace

recording_writer::recording_writer(const std::filesystem::path& path) : path_(path) {
  const weft::detail::opened_file opened = weft::detail::open_named_file(path);
  if (!opened.is_open()) {
    throw cannot_write(path, opened.problem);
  }
  file_ = weft::detail::stream_of(opened);
  if (file_ == nullptr) {
    throw cannot_write(path, std::generic_category().message(errno));
  }
  put(mark);
  check();
}

/// What cannot be written, `check` tells.
void recording_writer::put(const void* bytes, std::size_t num_bytes) {
  (void)std::fwrite(bytes, 1, num_bytes, file_.get());
}

void recording_writer::check() {
  if (std::fflush(file_.get()) != 0 || std::ferror(file_.get()) != 0) {
    throw cannot_write(path_, std::generic_category().message(errno));
  }
}

void recording_writer::put_process(const process_facts& process) {
  put(process.is_alive ? 1 : 0);
  put(static_cast<unsigned char>(process.state));
  put(process.rss_bytes.value_or(unknown));
  put(process.num_threads.value_or(unknown));
  put(process.run_delay_ns.size());
  for (const auto& [thread, delay_ns] : process.run_delay_ns) {
    put(thread);
    put(delay_ns);
  }
}

void recording_writer::write(const snapshot& taken) {
  put(taken.now.ticks);
  put(bits_of(taken.now.monotonic_ns));
  put(bits_of(taken.realtime_ns));
  put_process(taken.process);
  put(taken.symbols.size());
  for (const auto& [address, name] : taken.symbols) {
    put(address);
    put(name.size());
    put(name.data(), name.size());
  }
  last_.resize(taken.words.size());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> changed;
  for (std::size_t i = 0; i < last_.size(); ++i) {
    if (last_[i] != taken.words[i]) {
      last_[i] = taken.words[i];
      changed.emplace_back(i, last_[i]);
    }
  }
  put(last_.size());
  put(changed.size());
  for (const auto& [number, value] : changed) {
    put(number);
    put(value);
  }
  check();
}

recording_reader::recording_reader(const std::filesystem::path& path)
    : path_(path), file_(open_recording(path)) {
  const auto first = file_.at<std::uint64_t>(0);
  offset_bytes_ = sizeof mark;
  if (first != mark) {
    throw error(path.string() + " is not a recording; make one with: weft top --record FILE");
  }
}

void recording_reader::get_bytes(std::span<std::byte> to) {
  constexpr std::size_t piece_bytes = std::size_t{1} << 16U;
  while (!to.empty()) {
    if (next_in_piece_ == piece_.size()) {
      piece_.resize(piece_bytes);
      piece_.resize(file_.read(offset_bytes_, piece_));
      next_in_piece_ = 0;
      offset_bytes_ += piece_.size();
    }
    const std::span rest = std::span(piece_).subspan(next_in_piece_);
    const std::size_t num = std::min(rest.size(), to.size());
    if (num == 0) {
      throw cut_off();
    }
    std::ranges::copy(rest.first(num), to.begin());
    next_in_piece_ += num;
    to = to.subspan(num);
  }
}

std::uint64_t recording_reader::get() {
  std::uint64_t word = 0;
  get_bytes(std::as_writable_bytes(std::span(&word, 1)));
  return word;
}

std::string recording_reader::get_text() {
  const std::uint64_t size = get();
  if (size > most_text_bytes) {
    throw error(path_.string() + " is a damaged recording");
  }
  std::string text(size, '\0');
  get_bytes(std::as_writable_bytes(std::span(text)));
  return text;
}

process_facts recording_reader::get_process() {
  const auto known = [](std::uint64_t word) {
    return word == unknown ? std::nullopt : std::optional(word);
  };
  process_facts process;
  process.is_alive = get() != 0;
  process.state = static_cast<char>(get());
  process.rss_bytes = known(get());
  process.num_threads = known(get());
  for (std::uint64_t left = get(); left > 0; --left) {
    const std::uint64_t thread = get();
    process.run_delay_ns[thread] = get();
  }
  return process;
}

void recording_reader::get_words() {
  const std::uint64_t size = get();
  if (size > most_words) {
    throw error(path_.string() + " is a damaged recording");
  }
  last_.resize(size);
  for (std::uint64_t left = get(); left > 0; --left) {
    const std::uint64_t number = get();
    const std::uint64_t value = get();
    if (number >= size) {
      throw error(path_.string() + " is a damaged recording");
    }
    last_[number] = value;
  }
}

std::optional<snapshot> recording_reader::read() {
  try {
    snapshot taken;
    taken.now.ticks = get();
    taken.now.monotonic_ns = static_cast<std::int64_t>(get());
    taken.realtime_ns = static_cast<std::int64_t>(get());
    taken.process = get_process();
    for (std::uint64_t left = get(); left > 0; --left) {
      const std::uint64_t address = get();
      taken.symbols[address] = get_text();
    }
    get_words();
    taken.words = last_;
    return taken;
  } catch (const cut_off&) {
    return std::nullopt;
  }
}

}  // namespace weft::top
