// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies a process's file of counter blocks while the process goes on, or after it died.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "weft/counters/segment_files.hpp"

#include "counters/core/untrusted_file.hpp"
#include "top/layout.hpp"
#include "top/process_facts.hpp"
#include "top/snapshot.hpp"

namespace weft::top {

/// False while a process that is starting has not yet laid out its file: it cannot be read then.
/// True of a file that the caller may not open, whose `segment_reader` says why.
[[nodiscard]] bool is_laid_out(const std::filesystem::path& path);

/// "FILE is not trusted: REASON; ..."
[[nodiscard]] std::string why_not_trusted(const std::filesystem::path& path,
                                          const std::string& reason);

/// Reads one file, again and again. The process that writes it does not notice.
///
/// The file may be removed meanwhile: what it held last stays readable. Whatever another user wrote
/// into the file, or cut off it, ends in an error at worst.
/// Cost:   three system calls per block, and copying.
/// Errors: `weft::error` if the file cannot be read, is not trusted, is of another version, or
///         contradicts itself.
class segment_reader {
 public:
  /// What is asked of the process with a pid and a start: `read_process`.
  using question = std::function<process_facts(std::uint64_t pid, std::uint64_t start_clock_ticks)>;

  explicit segment_reader(std::filesystem::path path, question ask = read_process);
  segment_reader(const segment_reader&) = delete;
  segment_reader& operator=(const segment_reader&) = delete;
  ~segment_reader() = default;

  /// What the file and the kernel say now, without symbols.
  [[nodiscard]] snapshot read();

  /// What the header says now: less work than to copy the blocks, too.
  [[nodiscard]] header_facts header() const;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  using clock = std::chrono::steady_clock;

  void check_version() const;
  void check_origin(const header_facts& header) const;
  [[nodiscard]] header_facts copy_header(std::vector<std::uint64_t>& words) const;
  void copy(std::vector<std::uint64_t>& words) const;
  void copy_once(std::vector<std::uint64_t>& words, clock::time_point deadline) const;
  void read_run_delays(snapshot& into) const;
  void fill(std::uint64_t offset, std::span<std::uint64_t> words) const;
  /// Copies until the word at `version` is even and the same before and after, or it is too late.
  template <class Copy>
  void copy_consistently(std::uint64_t version, clock::time_point deadline, Copy copy) const;

  std::filesystem::path path_;
  question ask_;
  counters::segment_name name_;
  counters::detail::untrusted_file file_;
};

}  // namespace weft::top
