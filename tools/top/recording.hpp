// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Snapshots in a file, to be looked at later or elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "counters/core/untrusted_file.hpp"
#include "top/snapshot.hpp"

namespace weft::top {

/// Writes snapshots one behind the other; of each only the words that changed.
///
/// Errors: `weft::error` if the file cannot be written.
class recording_writer {
 public:
  explicit recording_writer(const std::filesystem::path& path);
  void write(const snapshot& taken);

 private:
  void put(std::uint64_t word) { put(&word, sizeof word); }
  void put(const void* bytes, std::size_t num_bytes);
  void put_process(const process_facts& process);
  void check();

  std::filesystem::path path_;
  weft::detail::output_stream file_;
  std::vector<std::uint64_t> last_;
};

/// Reads them again.
///
/// The file may be a link, but no pipe, which could keep the reader waiting: save what comes out of
/// a pipe to a file first.
/// Errors: `weft::error` if the file cannot be read or is no recording. One that was cut off ends
///         with its last whole snapshot.
class recording_reader {
 public:
  explicit recording_reader(const std::filesystem::path& path);
  /// Nothing at the end.
  [[nodiscard]] std::optional<snapshot> read();

 private:
  /// Reads the next bytes; throws if the file ends before the last of them.
  void get_bytes(std::span<std::byte> to);
  [[nodiscard]] std::uint64_t get();
  [[nodiscard]] std::string get_text();
  void get_words();
  [[nodiscard]] process_facts get_process();

  std::filesystem::path path_;
  counters::detail::untrusted_file file_;
  std::vector<std::byte> piece_;  // of the file, read ahead
  std::size_t next_in_piece_ = 0;
  std::uint64_t offset_bytes_ = 0;  // behind the piece
  std::vector<std::uint64_t> last_;
};

}  // namespace weft::top
