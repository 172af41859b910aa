// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Detects addresses that a host must not read: those of a GPU's memory.
#pragma once

#include <cstddef>
#include <span>

namespace weft::halo::detail {

/// Returns true if the CUDA driver of this process says that only a device can read the address.
/// Without the driver in the process: always false.
/// Cost: a look-up of the driver if it is not loaded; else a look-up of the address, about 1 us.
/// Source: CUDA driver API, cuPointerGetAttribute.
[[nodiscard]] bool is_device_memory(const std::byte* address);

/// Errors: `halo::error` (`bad_field`) that names the field.
void refuse_device_memory(std::span<std::byte* const> fields);

}  // namespace weft::halo::detail
