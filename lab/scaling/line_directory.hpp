// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which thread holds which cache line, as a coherent machine with endless caches would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::lab::scaling {

/// How an access uses its cache line.
enum class access : std::uint8_t { read, write };

/// Cache lines that moved between threads.
struct line_counts {
  std::uint64_t reads = 0;        // lines read that another thread wrote last
  std::uint64_t writes = 0;       // lines written that another thread held
  std::uint64_t invalidated = 0;  // copies that these writes took from other threads

  [[nodiscard]] std::uint64_t moved() const noexcept { return reads + writes; }
};

/// How often an instruction moved a cache line.
struct line_site {
  const void* instruction = nullptr;
  std::uint64_t moved = 0;
};

/// Records an access of the calling thread to `size_bytes` at `place`.
///
/// Source:  the states of the MESI protocol, without evictions: a line's first access is free, a
///          read is free for a thread that has read the line since it was last written, and a
///          write is free for its only holder.
/// Cost:    about 100 ns, and a spin lock for each line.
/// Errors:  ends the process if it has touched more lines or has more threads than the directory
///          has room for.
void record_access(const void* place, std::size_t size_bytes, access kind, const void* instruction);

/// Starts to count, from zero. Lines keep their holders.
void begin_counting();
/// Stops counting, and returns what all threads counted.
line_counts end_counting();
/// Returns the instructions that moved lines while it was counted, most first.
std::vector<line_site> counted_sites();

}  // namespace weft::lab::scaling
