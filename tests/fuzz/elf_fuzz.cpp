// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions are looked up in files of any bytes, at addresses of any module lines.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "counters/trace/symbols.hpp"
#include "counters/trace/task_names.hpp"
#include "tests/fuzz/input_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const weft::fuzz::input_file file(weft::fuzz::own_path("elf"), std::span(data, size));
  struct stat status{};
  weft::fuzz::require(::stat(file.path().c_str(), &status) == 0);
  // "1000-9000 r-xp 0 00:00 1234 /tmp/file", and lines that the fuzzer wrote.
  const std::string maps =
      "1000-9000 r-xp 0 00:00 " + std::to_string(status.st_ino) + " " + file.path().string() + "\n";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)weft::counters::detail::parse_code_parts(text);
  weft::counters::detail::symbol_finder symbols(maps);
  for (const std::uint64_t address : {0x1400U, 0x1800U, 0x8fffU, 0x9000U}) {
    const auto place = symbols.find(address);
    (void)weft::counters::detail::task_name_of_symbol(place.function);
  }
  return 0;
}
