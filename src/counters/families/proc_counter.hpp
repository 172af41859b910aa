// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter of a number that the kernel keeps: in a file of /proc, or behind a system call.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/counters/counter.hpp"

#include "counters/core/unavailable.hpp"  // IWYU pragma: export

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

/// Files of /proc, each read at most once per evaluation.
class proc_files {
 public:
  /// `root` is the folder that contains proc/.
  explicit proc_files(std::filesystem::path root);
  proc_files(const proc_files&) = delete;
  proc_files& operator=(const proc_files&) = delete;
  ~proc_files() = default;

  /// Returns the file's lines; empty if it cannot be read.
  [[nodiscard]] std::shared_ptr<const std::vector<std::string>> lines(proc_file file,
                                                                      evaluation& now) const;
  /// Returns the path of the file on a machine: "/proc/self/io".
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
  std::array<char, paths.size()> keys_{};  // each one's address identifies a file's snapshot
};

/// A number as the kernel keeps it, or the reason why it cannot be read.
struct kept_number {
  std::optional<std::int64_t> value;
  std::string reason = {};
};

using number_reader = std::function<kept_number(evaluation&)>;

/// Counts the growth of a total. Has no value if the total decreased, because its source has
/// started again.
class proc_counter final : public counter {
 public:
  proc_counter(counter_kind kind, number_reader read);

  [[nodiscard]] counter_value evaluate(evaluation& now) override;
  void reset(evaluation& now) override;
  bool pause(evaluation& now) override;
  void resume(evaluation& now) override;

 private:
  counter_kind kind_;
  number_reader read_;
  kept_number baseline_{.value = 0};  // 0: counts from the beginning
  std::optional<kept_number> at_pause_;
};

}  // namespace weft::counters::detail
