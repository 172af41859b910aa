// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `weft top` of a counter segment of any bytes ends with a view or with `weft::error`.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <vector>

#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/counters/segment_files.hpp"
#include "weft/counters/segment_format.hpp"

#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/shown.hpp"
#include "tools/top/watched.hpp"

namespace {

using weft::counters::segment_header;
using weft::counters::segment_name;

const segment_name& own_name() {
  static const auto pid = static_cast<std::uint64_t>(::getpid());
  static const segment_name name{
      .uid = ::geteuid(),
      .pid = pid,
      .start_clock_ticks = weft::counters::process_start(pid).value_or(0)};
  return name;
}

void put(std::vector<std::uint8_t>& bytes, std::size_t offset, std::uint64_t word) {
  if (offset + sizeof word <= bytes.size()) {
    std::memcpy(bytes.data() + offset, &word, sizeof word);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const segment_name& name = own_name();
  std::vector<std::uint8_t> bytes(data, data + size);
  // A reader compares these with the name of the file, and looks no further if they differ.
  put(bytes, offsetof(segment_header, uid), name.uid);
  put(bytes, offsetof(segment_header, pid), name.pid);
  put(bytes, offsetof(segment_header, start_clock_ticks), name.start_clock_ticks);
  const weft::fuzz::input_file file(
      std::filesystem::temp_directory_path() / weft::counters::to_string(name), bytes);
  try {
    constexpr int num_looks = 2;
    weft::fuzz::show(weft::top::read_process_file(file.path()), num_looks, size);
  } catch (const weft::error&) {
    return 0;
  }
  return 0;
}
