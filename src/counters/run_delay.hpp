// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the process's threads were ready to run, but waited for a CPU.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace weft::counters::detail {

/// Seconds, or why they are not known.
struct delay_result {
  std::optional<double> seconds;
  std::string reason;
};

/// Sums the run delay of every thread from `begin()` to `elapsed()`.
///
/// A thread that starts and ends in between takes its delay with it, unseen.
/// Cost: about 10 us per thread and call.
class run_delay_window {
 public:
  explicit run_delay_window(std::filesystem::path root);

  void begin();
  [[nodiscard]] delay_result elapsed() const;

 private:
  struct sample {
    std::map<int, double> delay_s;  // by thread id
    double num_timeslices = 0;
  };
  [[nodiscard]] sample take() const;

  std::filesystem::path root_;
  sample begin_;
};

}  // namespace weft::counters::detail
