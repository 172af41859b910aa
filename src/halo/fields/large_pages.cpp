// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds addresses that equal their offset in a file modulo a large page.
#include "halo/fields/large_pages.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <ios>
#include <optional>
#include <sstream>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace weft::halo::detail {
#if defined(__linux__)
namespace {

constexpr std::size_t large_bytes = std::size_t{2} << 20U;  // on x86-64, and mostly on AArch64
// contains at least one whole large page
constexpr std::size_t least_bytes = 2 * large_bytes;
constexpr int collapse_advice = 25;  // MADV_COLLAPSE, since Linux 6.1

std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);  // its pages are found by arithmetic
}

/// Returns the byte's offset in its file, if processes share the file and the file also holds all
/// bytes that follow.
std::optional<std::uint64_t> place_in_file(std::uintptr_t address, std::size_t bytes) {
  std::ifstream maps("/proc/self/maps");  // 7f00-7f10 rw-s 1000 00:19 5 /dev/shm/name
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;
    std::uint64_t place = 0;
    char dash = 0;
    std::string rights;
    words >> std::hex >> first >> dash >> last >> rights >> place;
    if (words && first <= address && address < last) {
      const bool is_shared = rights.size() == 4 && rights.back() == 's';
      return is_shared && bytes <= last - address ? std::optional(place + (address - first))
                                                  : std::nullopt;
    }
  }
  return std::nullopt;
}

/// Maps the pages, which other processes may share, at `wanted` as well. Returns false if the pages
/// were not mapped there.
///
/// Calls the kernel directly: UCX, which MPI may load, replaces `mremap` by its own function.
/// Before version 1.15, that function ignores the target address
/// (github.com/openucx/ucx/issues/8820).
bool is_mapped_at(std::byte* wanted, const std::byte* pages, std::size_t bytes) {
  return syscall(SYS_mremap,
                 pages,
                 std::size_t{0},
                 bytes,
                 static_cast<unsigned long>(MREMAP_MAYMOVE | MREMAP_FIXED),
                 wanted) == static_cast<std::intptr_t>(number_of(wanted));
}

std::size_t system_page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

large_pages::large_pages(const std::byte* memory, std::size_t bytes) {
  if (bytes < least_bytes) {
    return;
  }
  const std::size_t ahead = number_of(memory) % system_page_bytes();
  const std::size_t mapped_bytes = ahead + bytes;
  const auto place = place_in_file(number_of(memory) - ahead, mapped_bytes);
  if (!place.has_value()) {
    return;
  }
  reserved_bytes_ = mapped_bytes + large_bytes;
  void* const reserved =
      mmap(nullptr, reserved_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    return;
  }
  reserved_ = reserved;
  std::byte* const begin = static_cast<std::byte*>(reserved);
  std::byte* const wanted = begin + (*place - number_of(begin)) % large_bytes;
  if (is_mapped_at(wanted, memory - ahead, mapped_bytes)) {
    data_ = wanted + ahead;
    bytes_ = bytes;
    return;
  }
  // The kernel may have unmapped the target range, and another thread may have mapped it since.
  const std::size_t pages =
      (mapped_bytes + system_page_bytes() - 1) / system_page_bytes() * system_page_bytes();
  std::byte* const end = begin + reserved_bytes_;
  munmap(begin, static_cast<std::size_t>(wanted - begin));
  if (wanted + pages < end) {
    munmap(wanted + pages, static_cast<std::size_t>(end - (wanted + pages)));
  }
  reserved_ = nullptr;
}

large_pages::~large_pages() {
  if (reserved_ != nullptr) {
    munmap(reserved_, reserved_bytes_);
  }
}

void large_pages::collapse() const noexcept {
  if (data_ == nullptr) {
    return;
  }
  // A large page is placed on the NUMA node of its pages that exist already.
  for (std::size_t at = 0; at < bytes_; at += large_bytes) {
    data_[at] = std::byte{0};
  }
  const std::size_t ahead = number_of(data_) % system_page_bytes();
  // If there is no memory for large pages, pages stay small.
  static_cast<void>(madvise(data_ - ahead, bytes_ + ahead, collapse_advice));
}
#else
large_pages::large_pages(const std::byte* /*memory*/, std::size_t /*bytes*/) {}
large_pages::~large_pages() = default;
void large_pages::collapse() const noexcept {}
#endif

}  // namespace weft::halo::detail
