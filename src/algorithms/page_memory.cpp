// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pages from the system, bound to NUMA nodes by mbind(2) where there are several nodes.
#include "weft/algorithms/detail/memory/page_memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <vector>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "weft/algorithms/detail/sharing/engine.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/base/topology.hpp"

namespace weft::algorithms::detail {
namespace {

constexpr std::size_t small_page_bytes = 4096;
constexpr std::size_t huge_page_bytes = std::size_t{2} << 20U;

std::size_t whole_pages(std::size_t bytes) noexcept {
  return (bytes + small_page_bytes - 1) / small_page_bytes * small_page_bytes;
}

/// Empty if the machine does not say.
const std::vector<int>& nodes_here() {
  static const std::vector<int> nodes = [] {
    try {
      return computing_nodes(base::read_topology());
    } catch (const std::exception&) {
      return std::vector<int>{};
    }
  }();
  return nodes;
}

class node_mask {
 public:
  void add(int node) noexcept {
    const auto bit = static_cast<unsigned>(node);
    if (node >= 0 && bit / word_bits < words_.size()) {
      words_[bit / word_bits] |= 1UL << (bit % word_bits);
    }
  }

  /// Only a hint: if the kernel refuses, nothing changes.
  void bind(void* first, std::size_t bytes, int mode) const noexcept {
#if defined(SYS_mbind)
    constexpr unsigned long max_node = words * word_bits + 1;  // the kernel subtracts one
    static_cast<void>(::syscall(SYS_mbind, first, bytes, mode, words_.data(), max_node, 0U));
#else
    static_cast<void>(first), static_cast<void>(bytes), static_cast<void>(mode);
#endif
  }

 private:
  static constexpr std::size_t word_bits = sizeof(unsigned long) * CHAR_BIT;
  static constexpr std::size_t words = 16;
  std::array<unsigned long, words> words_{};
};

// linux/mempolicy.h
constexpr int policy_preferred = 1;
constexpr int policy_interleave = 3;

void place(std::byte* memory, std::size_t bytes, page_placement placement) {
  const std::vector<int>& nodes = nodes_here();
  if (nodes.size() < 2) {
    return;
  }
  if (placement == page_placement::interleaved) {
    node_mask all;
    for (const int node : nodes) {
      all.add(node);
    }
    all.bind(memory, bytes, policy_interleave);
    return;
  }
  for (const page_block& block : plan_blocks(bytes, huge_page_bytes, nodes)) {
    node_mask one;
    one.add(block.node);
    one.bind(memory + block.first, block.last - block.first, policy_preferred);
  }
}

/// Writes to every page, so that the system provides the pages now and on all workers.
void touch(std::byte* memory, std::size_t bytes) {
  static constinit cost_record costs;
  for_chunks(par,
             loop_shape{.n = bytes / small_page_bytes, .bytes_per_element = small_page_bytes},
             costs,
             [memory](std::size_t first, std::size_t last) {
               for (; first < last; ++first) {
                 memory[first * small_page_bytes] = std::byte{0};
               }
             });
}

/// Begins on a huge page, so that the kernel can use huge pages throughout.
std::byte* map_aligned(std::size_t bytes) noexcept {
  const std::size_t mapped = bytes + huge_page_bytes;
  void* const memory =
      ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {  // NOLINT: a macro of the system's
    return nullptr;
  }
  auto* const first = static_cast<std::byte*>(memory);
  const std::size_t past = std::bit_cast<std::uintptr_t>(first) % huge_page_bytes;
  const std::size_t before = past == 0 ? 0 : huge_page_bytes - past;
  if (before != 0) {
    ::munmap(first, before);
  }
  if (before != huge_page_bytes) {
    ::munmap(first + before + bytes, huge_page_bytes - before);
  }
  return first + before;
}

}  // namespace

std::vector<int> computing_nodes(const base::topology& machine) {
  std::vector<int> nodes;
  for (const base::numa_node& node : machine.numa_nodes) {
    if (!node.hardware_threads.empty()) {
      nodes.push_back(node.id);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

std::vector<page_block> plan_blocks(std::size_t bytes,
                                    std::size_t page_bytes,
                                    const std::vector<int>& nodes) {
  std::vector<page_block> blocks;
  const std::size_t num_pages = (bytes + page_bytes - 1) / page_bytes;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t first = num_pages * i / nodes.size() * page_bytes;
    const std::size_t last = std::min(num_pages * (i + 1) / nodes.size() * page_bytes, bytes);
    if (first < last) {
      blocks.push_back({first, last, nodes[i]});
    }
  }
  return blocks;
}

void* allocate_pages(std::size_t bytes, page_placement placement) {
  const std::size_t size = whole_pages(bytes);
  std::byte* const memory = map_aligned(size);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  ::madvise(memory, size, MADV_HUGEPAGE);
  try {
    place(memory, size, placement);
    if (placement == page_placement::blocked) {
      touch(memory, size);
    }
  } catch (...) {
    release_pages(memory, bytes);
    throw;
  }
  return memory;
}

void release_pages(void* memory, std::size_t bytes) noexcept {
  ::munmap(memory, whole_pages(bytes));
}

}  // namespace weft::algorithms::detail
