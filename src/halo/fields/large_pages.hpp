// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that processes share, seen from an address at which the kernel can map it by large pages:
// halos across rows touch every small page of a field, each with a walk of the page table.
#pragma once

#include <cstddef>

namespace weft::halo::detail {

/// A second view of such memory, or none where it cannot be had.
/// Source: mremap(2), with an old size of 0; madvise(2), MADV_COLLAPSE.
class large_pages {
 public:
  /// Of `bytes` bytes at `memory`. Few bytes have none: there is no whole large page among them.
  large_pages(const std::byte* memory, std::size_t bytes);
  large_pages(const large_pages&) = delete;
  large_pages& operator=(const large_pages&) = delete;
  ~large_pages();

  /// Null: there is none.
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  /// Makes the pages of the view large ones, for all processes that have such a view.
  /// Threads: the owner's, before anybody uses the memory: a byte of each page becomes 0.
  void collapse() const noexcept;

 private:
  void* reserved_ = nullptr;
  std::size_t reserved_bytes_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace weft::halo::detail
