// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies a process's file of counter blocks while the process goes on, or after it died.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "weft/counters/segment_format.hpp"

#include "top/process_facts.hpp"
#include "top/snapshot.hpp"

namespace weft::top {

/// False while a process that is starting has not yet laid out its file: it cannot be read then.
/// True of a file that the caller may not open, whose `segment_reader` says why.
[[nodiscard]] bool is_laid_out(const std::filesystem::path& path);

/// Reads one file, again and again. The process that writes it does not notice.
///
/// The file may be removed meanwhile: what it held last stays readable.
/// Errors: `weft::error` if the file cannot be read, is of another version, or contradicts itself.
class segment_reader {
 public:
  /// What is asked of the process with a pid and a start: `read_process`.
  using question = std::function<process_facts(std::uint64_t pid, std::uint64_t start_clock_ticks)>;

  explicit segment_reader(std::filesystem::path path, question ask = read_process);
  segment_reader(const segment_reader&) = delete;
  segment_reader& operator=(const segment_reader&) = delete;
  ~segment_reader();

  /// What the file and the kernel say now, without symbols.
  [[nodiscard]] snapshot read();

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  void map();
  void unmap() noexcept;
  void check_version() const;
  void copy(std::vector<std::uint64_t>& words);
  /// Maps all blocks that there are now, and counts them.
  [[nodiscard]] std::uint64_t map_blocks();
  void copy_blocks(std::vector<std::uint64_t>& words, std::uint64_t num) const;
  void read_run_delays(snapshot& into) const;
  [[nodiscard]] std::span<const std::uint64_t> mapped_words() const noexcept;
  [[nodiscard]] const counters::segment_header& mapped_header() const noexcept;

  std::filesystem::path path_;
  question ask_;
  int descriptor_ = -1;
  const std::byte* address_ = nullptr;
  std::size_t size_bytes_ = 0;
};

}  // namespace weft::top
