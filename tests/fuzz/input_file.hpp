// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file that holds the bytes that a fuzzer made up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <ios>
#include <span>
#include <string>
#include <utility>

#include <unistd.h>

namespace weft::fuzz {

/// A path in the folder for temporary files that no other process uses.
inline std::filesystem::path own_path(const std::string& name) {
  return std::filesystem::temp_directory_path() /
         ("weft_fuzz." + std::to_string(::getpid()) + "." + name);
}

/// Writes a file, and removes it.
class input_file {
 public:
  input_file(std::filesystem::path path, std::span<const std::uint8_t> bytes)
      : path_(std::move(path)) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;
  ~input_file() { std::filesystem::remove(path_); }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Ends the fuzzer's run, with the input that did it kept, if a promise is broken.
inline void require(bool is_kept) {
  if (!is_kept) {
    __builtin_trap();
  }
}

}  // namespace weft::fuzz
