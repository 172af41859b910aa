// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses that a host must not read: those of a GPU's memory.
#pragma once

#include <cstddef>
#include <span>

namespace weft::halo::detail {

/// True if the CUDA driver, which this process uses for something else, says that only a device
/// can read there. Without such a driver in the process nothing is.
/// Cost: a look-up of the driver where none is loaded, else one of the address: about 1 us.
/// Source: CUDA driver API, cuPointerGetAttribute.
[[nodiscard]] bool is_device_memory(const std::byte* address);

/// Errors: `halo::error` (`bad_field`) that says which field it is.
void refuse_device_memory(std::span<std::byte* const> fields);

}  // namespace weft::halo::detail
