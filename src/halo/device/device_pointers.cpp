// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks the CUDA driver if this process has loaded it; neither its headers nor its library are
// needed.
#include "halo/device/device_pointers.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <dlfcn.h>
#include <link.h>

#include "weft/halo/error.hpp"

namespace weft::halo::detail {
namespace {

// Of the driver's binary interface, which does not change.
constexpr int success = 0;
constexpr int attribute_memory_type = 2;
constexpr int attribute_is_managed = 8;
constexpr unsigned memory_of_a_device = 2;

using get_attribute = int (*)(void* data, int attribute, std::uintptr_t address);

/// Returns how many libraries this process has loaded so far.
unsigned long long num_loads() {
  unsigned long long found = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* program, std::size_t /*bytes*/, void* into) {
        *static_cast<unsigned long long*>(into) = program->dlpi_adds;
        return 1;  // the count is the same in every entry, so the first is enough
      },
      &found);
  return found;
}

/// Returns null if this process has not loaded the driver.
get_attribute driver() {
  static std::atomic<get_attribute> found = nullptr;  // relaxed: all threads find the same value
  static std::atomic<unsigned long long> looked_at = 0;
  get_attribute known = found.load(std::memory_order_relaxed);
  if (known != nullptr) {
    return known;
  }
  // dlopen searches folders for a library that is not loaded, so it is called only when libraries
  // were loaded.
  const unsigned long long now = num_loads();
  if (looked_at.load(std::memory_order_relaxed) == now) {
    return nullptr;
  }
  // RTLD_NOLOAD: finds only a loaded library; the handle keeps it loaded.
  if (void* const library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD); library != nullptr) {
    known = reinterpret_cast<get_attribute>(dlsym(library, "cuPointerGetAttribute"));
    found.store(known, std::memory_order_relaxed);
  }
  if (known == nullptr) {
    looked_at.store(now, std::memory_order_relaxed);
  }
  return known;
}

}  // namespace

bool is_device_memory(const std::byte* address) {
  const get_attribute ask = driver();
  if (ask == nullptr) {
    return false;
  }
  // the driver's own name for the address
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  unsigned type = 0;
  int is_managed = 0;  // hosts may read such memory
  return ask(&type, attribute_memory_type, number) == success && type == memory_of_a_device &&
         (ask(&is_managed, attribute_is_managed, number) != success || is_managed == 0);
}

void refuse_device_memory(std::span<std::byte* const> fields) {
  const auto found = std::ranges::find_if(fields, is_device_memory);
  if (found != fields.end()) {
    throw error(errc::bad_field,
                "field " + std::to_string(found - fields.begin()) +
                    " lies in the memory of a GPU, which hosts cannot read; use "
                    "exchange<Value, Layout, halo::cuda>, or pass memory of the host");
  }
}

}  // namespace weft::halo::detail
