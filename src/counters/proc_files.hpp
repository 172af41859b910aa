// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of /proc, each read at most once per evaluation.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weft/counters/counter.hpp"

namespace weft::counters::detail {

enum class proc_file : unsigned char {
  io,
  memory_pages,
  memory_info,
  network,
  pressure_cpu,
  pressure_io,
  pressure_memory
};

class proc_files {
 public:
  /// `root` is the folder that holds proc/.
  explicit proc_files(std::filesystem::path root);
  proc_files(const proc_files&) = delete;
  proc_files& operator=(const proc_files&) = delete;
  ~proc_files() = default;

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

  /// The file's lines; none if it cannot be read.
  [[nodiscard]] std::shared_ptr<const std::vector<std::string>> lines(proc_file file,
                                                                      evaluation& now) const;

  /// Where the file is on a machine: "/proc/self/io".
  [[nodiscard]] static std::string_view path_of(proc_file file);

 private:
  static constexpr std::array<std::string_view, 7> paths = {"/proc/self/io",
                                                            "/proc/self/statm",
                                                            "/proc/meminfo",
                                                            "/proc/self/net/dev",
                                                            "/proc/pressure/cpu",
                                                            "/proc/pressure/io",
                                                            "/proc/pressure/memory"};

  std::filesystem::path root_;
  std::array<char, paths.size()> keys_{};  // their addresses tell the snapshots apart
};

}  // namespace weft::counters::detail
