// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks the dynamic linker which files it has loaded.
#include "counters/segment/module_lines.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include <elf.h>
#include <link.h>

namespace weft::counters {

namespace {

std::string path_of(const dl_phdr_info& loaded) {
  const std::string_view name = loaded.dlpi_name == nullptr ? "" : loaded.dlpi_name;
  std::error_code failed;
  return name.empty() ? std::filesystem::read_symlink("/proc/self/exe", failed).string()
                      : std::string(name);
}

int add_line(dl_phdr_info* loaded, std::size_t /*size*/, void* text) {
  std::uint64_t low = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t high = 0;
  for (std::size_t i = 0; i < loaded->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = loaded->dlpi_phdr[i];
    if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
      low = std::min<std::uint64_t>(low, loaded->dlpi_addr + part.p_vaddr);
      high = std::max<std::uint64_t>(high, loaded->dlpi_addr + part.p_vaddr + part.p_memsz);
    }
  }
  if (low < high) {
    std::array<char, 64> numbers{};
    (void)std::snprintf(numbers.data(),
                        numbers.size(),
                        "%" PRIx64 " %" PRIx64 " %" PRIx64 " ",
                        std::uint64_t{loaded->dlpi_addr},
                        low,
                        high);
    static_cast<std::string*>(text)->append(numbers.data()).append(path_of(*loaded)).append("\n");
  }
  return 0;
}

}  // namespace

std::string module_lines() {
  std::string text;
  dl_iterate_phdr(add_line, &text);
  return text;
}

}  // namespace weft::counters
