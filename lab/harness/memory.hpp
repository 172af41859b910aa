// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much memory there is, and how much this process uses.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

namespace weft::lab {

/// Returns the least of the machine's available memory and what each enclosing cgroup (v1 or v2)
/// has left.
///
/// Units:   bytes. Empty where /proc/meminfo cannot be read.
/// Shape:   `root` is "/" but in tests, which bring a tree of their own.
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

/// Gives memory that was freed, and that the C library's allocator keeps, back to the kernel: else
/// it would count as resident for whatever comes next. Other allocators keep theirs.
void give_back_freed_memory();

/// Starts a new peak; returns false where the kernel does not offer it (the peak is then the
/// process's).
bool reset_peak_resident();

}  // namespace weft::lab
