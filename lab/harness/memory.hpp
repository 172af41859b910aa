// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The available memory, and the memory that this process uses.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace weft::lab {

/// Returns the least of the machine's available memory and what each enclosing cgroup (v1 or v2)
/// has left.
///
/// Units:   bytes. Empty if /proc/meminfo cannot be read.
/// Shape:   `root` is "/" except in tests, which pass their own tree.
[[nodiscard]] std::optional<std::size_t> available_memory_bytes(
    const std::filesystem::path& root = "/");

/// Returns the memory resident now.
///
/// Units:   bytes.
[[nodiscard]] std::optional<std::size_t> resident_bytes();

/// Returns the peak of resident memory since the last reset.
///
/// Units:   bytes.
[[nodiscard]] std::optional<std::size_t> peak_resident_bytes();

/// Returns freed memory that the C library's allocator keeps to the kernel. Otherwise that memory
/// would count as resident in later measurements. Other allocators keep theirs.
void give_back_freed_memory();

/// Starts a new peak. Returns false if the kernel does not offer it; the peak is then the
/// process's.
bool reset_peak_resident();

}  // namespace weft::lab
