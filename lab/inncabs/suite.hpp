// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite `inncabs` as the harness sees it: the table of problems joined with one runtime.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/inncabs/backend.hpp"

namespace weft::lab::inncabs {

/// Every problem with one runtime, which must outlive the suite.
class inncabs_suite final : public suite {
 public:
  explicit inncabs_suite(const inncabs::backend& with) : backend_(with) {}

  [[nodiscard]] std::string_view name() const override { return "inncabs"; }
  [[nodiscard]] std::string_view backend() const override { return backend_.name; }
  [[nodiscard]] std::map<std::string, std::string> libraries() const override;
  [[nodiscard]] std::vector<std::string> problems() const override;
  [[nodiscard]] size_words about_sizes() const override {
    return {.meaning = "class of the input: 1 (tiny), 2 (small), 3 (paper)", .example = "2"};
  }
  [[nodiscard]] bool is_serial() const override { return backend_.is_serial; }
  [[nodiscard]] std::span<const sample_counter> sample_counters() const override {
    return backend_.sample_counters;
  }

  void check(const cell& what) const override;
  [[nodiscard]] std::size_t memory_bytes(const cell& what) const override;
  /// A runtime that counts its tasks and may not survive this call is first tried in a separate
  /// process. If it fails there, the failure is the reason of the skip.
  std::variant<std::unique_ptr<experiment>, skip> make(const cell& what) const override;
  void with_threads(int threads, void (*body)(void* context), void* context) const override;

 private:
  const inncabs::backend& backend_;
};

}  // namespace weft::lab::inncabs
