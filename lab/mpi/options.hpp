// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The command line of the MPI bench program: a problem, then `--name value` pairs.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::lab::mpi {

/// How long and how often a case is sampled. Units: seconds.
struct sampling {
  std::size_t min_samples = 10;
  std::size_t max_samples = 200;
  double min_time_s = 0.02;
  double max_time_s = 0.5;
  double batch_s = 5e-6;  // of one sample, at least: a hundred times the cost of reading the clock
  std::size_t calls = 0;  // of one sample, however long they take; 0: as many as `batch_s` needs
};

/// Values by name; the code that reads a value defines what is allowed.
class options {
 public:
  /// Errors: `bad_request` for an argument without `--`, one without a value, or one given twice.
  explicit options(std::span<const std::string> arguments);

  /// Returns one of `allowed`; the first is the default.
  [[nodiscard]] std::string word(const std::string& name,
                                 std::span<const std::string_view> allowed);
  /// Returns a whole number of at least `least`.
  [[nodiscard]] long long number(const std::string& name, long long standard, long long least);
  /// Returns `count` numbers separated by commas (0: any number of them).
  [[nodiscard]] std::vector<long long> numbers(const std::string& name,
                                               const std::vector<long long>& standard,
                                               std::size_t count);
  [[nodiscard]] bool yes(const std::string& name, bool standard);
  [[nodiscard]] sampling samples();
  /// Errors: `bad_request` for an option that no code has read; the message lists the valid ones.
  void refuse_rest() const;

 private:
  [[nodiscard]] const std::string* find(const std::string& name);

  std::map<std::string, std::string> values_;
  std::vector<std::string> read_;
};

}  // namespace weft::lab::mpi
