// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process's file of counter blocks, which other processes read while it runs and after it died.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "weft/counters/segment_format.hpp"
#include "weft/counters/worker_block.hpp"

namespace weft::counters {

/// A block and its owner, as they lie in the file.
struct alignas(128) block_slot {
  worker_block block;
  std::atomic<block_owner> held_by{block_owner::nobody};
};

/// Where the segment of this process is.
struct segment_options {
  std::filesystem::path folder = "/dev/shm";
  std::string refusal = {};  // why there is to be no file; empty: there is
};

/// The settings of WEFT_STATS ("off": no file) and WEFT_STATS_DIR (the folder).
[[nodiscard]] segment_options segment_options_from_environment();

/// The names, units and places of all numbers in a `block_slot`.
[[nodiscard]] std::span<const segment_field> segment_schema();

/// Holds blocks in a file, or in private memory if no file can be made.
///
/// The file grows block by block and its content never moves. It uses real memory only for existing
/// blocks, allocated at once. So a full file system is an error here, and not a signal in a worker.
/// `end` removes the file; a killed process leaves it behind.
/// Threads: one at a time.
class segment {
 public:
  /// Errors: none; `reason()` says what went wrong, and blocks are in private memory.
  explicit segment(const segment_options& options);
  segment(const segment&) = delete;
  segment& operator=(const segment&) = delete;
  /// Ends it; the blocks are gone.
  ~segment();

  /// Adds a block of zeros, which never moves.
  /// Errors: std::bad_alloc.
  [[nodiscard]] block_slot& add_block();

  /// True if others can see all blocks so far.
  [[nodiscard]] bool is_shared() const noexcept { return reason_.empty(); }
  /// Why others cannot see all blocks; empty if they can.
  [[nodiscard]] const std::string& reason() const noexcept { return reason_; }
  /// Of the file; empty if there is none.
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// Encloses every change of a block's owner.
  void begin_change() noexcept;
  void end_change() noexcept;

  /// Writes down which files hold the program's code now.
  void note_modules();

  /// In the child of a fork: gives every block private memory in place, with its present content.
  void become_private() noexcept;
  /// Says in the file that the process ended, and removes it. The blocks stay.
  void end() noexcept;

 private:
  struct mapping {
    std::byte* address;
    std::size_t size_bytes;
    std::size_t used_bytes;
  };

  void create(const segment_options& options);
  void fill_header();
  [[nodiscard]] std::byte* next_place();
  void give_up(std::string reason);

  std::filesystem::path path_;
  std::string reason_;
  int descriptor_ = -1;
  std::vector<mapping> mappings_;  // the header's, then those of the blocks
  std::size_t num_in_file_ = 0;
  segment_header private_header_;
  segment_header* header_ = &private_header_;
  std::deque<block_slot> private_blocks_;
};

}  // namespace weft::counters
