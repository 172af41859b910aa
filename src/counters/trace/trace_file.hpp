// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of rings: a header, then one slot per worker. It is written through mappings, so it is
// complete whenever the process stops.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/counters/trace_ring.hpp"

#include "counters/core/mapped_file.hpp"
#include "counters/core/untrusted_file.hpp"

namespace weft::counters::detail {

/// The pool of the ring of policies' decisions, which no runtime has.
inline constexpr std::uint32_t decisions_pool = ~std::uint32_t{0};

/// The addresses of the program's parts, to find names of functions: lines as in /proc/self/maps,
/// of executable parts only.
using module_text = std::array<char, std::size_t{48} * 1024>;

/// Names that the program gave to parts of its tasks, each with a zero at its end.
using name_text = std::array<char, std::size_t{32} * 1024>;

struct trace_file_header {
  static constexpr std::uint64_t expected_magic = 0x53474e4954464557;  // "WEFTINGS" in memory
  static constexpr std::uint32_t current_version = 2;

  std::uint64_t magic = expected_magic;
  std::uint32_t version = current_version;
  std::uint32_t record_bytes = sizeof(trace_cell);
  std::uint64_t slot_offset_bytes = 0;  // of the first slot
  std::uint64_t slot_bytes = 0;
  std::uint64_t records_per_ring = 0;
  std::int64_t process_id = 0;
  std::uint64_t start_ticks = 0;  // these four describe the moment when recording began
  std::int64_t start_steady_ns = 0;
  std::int64_t start_realtime_ns = 0;
  std::int64_t start_boottime_ns = 0;
  double ns_per_tick = 0;    // as accurate as known
  std::int64_t last_ns = 0;  // write only this much of the end; 0: all
  std::atomic<std::uint32_t> num_rings = 0;
  std::atomic<std::uint32_t> fatal_signal = 0;
  std::array<char, 64> boot_id{};
  std::array<char, 256> program{};
  std::uint64_t num_module_bytes = 0;
  module_text modules{};
  std::atomic<std::uint64_t> num_name_bytes = 0;
  name_text names{};
};

/// Identifies the boot whose clocks are comparable; empty: unknown.
[[nodiscard]] std::string current_boot_id();

/// The header of a slot, before the records.
struct alignas(128) trace_slot_header {
  std::uint32_t pool = 0;
  std::uint32_t worker = 0;
  alignas(128) std::atomic<std::uint64_t> num_written = 0;
};

/// The file of a recording process.
///
/// Threads: one at a time.
class trace_recording {
 public:
  struct layout {
    std::filesystem::path file;
    std::size_t bytes_per_ring = 0;
    std::optional<std::chrono::nanoseconds> last;
  };

  /// Creates the file, or empties it; nothing if another process records into it.
  ///
  /// Errors: `weft::error` if it cannot be written.
  [[nodiscard]] static std::optional<trace_recording> create(const layout& wanted);

  /// Adds a slot. The ring is valid as long as the recording.
  /// Errors: `weft::error` if the file cannot grow.
  [[nodiscard]] trace_ring add_ring(std::uint32_t pool, std::uint32_t worker);
  /// Updates the length of a tick and the addresses of the program's parts.
  void refresh();
  /// Adds a name and returns its number; 0: there is no room.
  [[nodiscard]] std::uint64_t add_name(std::string_view name) noexcept;

  [[nodiscard]] trace_file_header& header() noexcept {
    return *reinterpret_cast<trace_file_header*>(head_.bytes().data());
  }
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  /// Deletes the file. The rings may still be written.
  void remove() noexcept;

 private:
  trace_recording(std::filesystem::path path, file_descriptor file, mapping head);

  std::filesystem::path path_;
  file_descriptor file_;
  mapping head_;
  std::vector<mapping> slots_;
};

/// One worker's records for a reader. They are copied from the file, which may be written or
/// truncated meanwhile.
class ring_view {
 public:
  /// Views the slot that begins at `offset_bytes`. `file` must outlive the view.
  ring_view(const untrusted_file& file,
            std::uint64_t offset_bytes,
            std::uint64_t num_records) noexcept;

  [[nodiscard]] std::uint32_t pool() const noexcept { return pool_; }
  [[nodiscard]] std::uint32_t worker() const noexcept { return worker_; }
  /// Returns how many records the ring keeps: a power of two.
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  /// Returns how many records were written since the start.
  [[nodiscard]] std::uint64_t num_written() const noexcept;
  /// Replaces `to` by the records from number `first` on. `num` is their number, at most `size()`.
  /// Copies fewer if the file ends before.
  void copy(std::uint64_t first, std::uint64_t num, std::vector<trace_record>& to) const;

 private:
  const untrusted_file* file_;
  std::uint64_t offset_bytes_;
  std::uint64_t size_;
  std::uint32_t pool_;
  std::uint32_t worker_;
};

/// A file of rings, of this or another process, running or not.
class trace_file_view {
 public:
  /// Opens the file that the user named, which may be a link but not a pipe.
  ///
  /// Errors:  `weft::error` if the file cannot be read, or has another version. Other damage shows
  ///          as lost records.
  [[nodiscard]] static trace_file_view open(const std::filesystem::path& file);

  /// Returns a copy of the header, made and checked by `open`.
  [[nodiscard]] const trace_file_header& header() const noexcept { return *header_; }
  /// Returns the user who owns the file.
  [[nodiscard]] std::uint64_t owner() const noexcept { return file_->owner(); }
  /// Returns at most 65536 rings, valid as long as this view.
  [[nodiscard]] std::vector<ring_view> rings() const;
  /// Returns the name with the number that `add_name` returned, even if it was added after `open`;
  /// "annotation" if no name has the number.
  [[nodiscard]] std::string name_of(std::uint64_t number) const;

 private:
  explicit trace_file_view(untrusted_file file);

  void copy_names() const;

  std::unique_ptr<untrusted_file> file_;  // the rings refer to it
  std::unique_ptr<trace_file_header> header_;
};

}  // namespace weft::counters::detail
