// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the calling process, for tests that bound it.
#pragma once

#include <fstream>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#define WEFT_TEST_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_TEST_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(WEFT_TEST_ADDRESS_SANITIZER)
#include <sanitizer/allocator_interface.h>
#else
#include <malloc.h>
#endif

namespace weft::test {

/// Whether freed memory still occupies the process: AddressSanitizer keeps it to find its use.
#if defined(WEFT_TEST_ADDRESS_SANITIZER)
inline constexpr bool keeps_freed_memory = true;
#else
inline constexpr bool keeps_freed_memory = false;
#endif

/// The most memory that the process has occupied.
inline long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::stol(line.substr(6));
    }
  }
  return 0;
}

/// The memory that is allocated now. Memory that was freed does not count, even if it is kept for
/// later allocations.
inline long heap_kib() {
#if defined(WEFT_TEST_ADDRESS_SANITIZER)
  return static_cast<long>(__sanitizer_get_current_allocated_bytes() / 1024);
#else
  const struct mallinfo2 now = mallinfo2();
  return static_cast<long>((now.uordblks + now.hblkhd) / 1024);
#endif
}

}  // namespace weft::test
