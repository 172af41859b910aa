// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What looks to a process as the CUDA driver, for tests without one: it calls `device_cells` the
// memory of a GPU and `managed_cells` memory that it manages.
#include "halo/fake_cuda_driver.hpp"

#include <cstdint>

namespace {

bool lies_in(const weft_fake_cells& cells, std::uintptr_t address) {
  const auto first = reinterpret_cast<std::uintptr_t>(cells.data());
  return address >= first && address < first + sizeof(cells);
}

}  // namespace

weft_fake_cells device_cells{};
weft_fake_cells managed_cells{};

// NOLINTNEXTLINE(readability-identifier-naming): named as the driver's
extern "C" int cuPointerGetAttribute(void* data, int attribute, std::uintptr_t address) {
  constexpr int invalid_value = 1;
  const bool is_managed = lies_in(managed_cells, address);
  if (!is_managed && !lies_in(device_cells, address)) {
    return invalid_value;
  }
  if (attribute == 2) {  // CU_POINTER_ATTRIBUTE_MEMORY_TYPE: a device's
    *static_cast<unsigned*>(data) = 2;
  } else if (attribute == 8) {  // CU_POINTER_ATTRIBUTE_IS_MANAGED
    *static_cast<unsigned*>(data) = is_managed ? 1 : 0;
  } else {
    return invalid_value;
  }
  return 0;
}
