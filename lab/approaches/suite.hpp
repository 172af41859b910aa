// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite `approaches` as the harness sees it: the table of problems joined with one approach.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/approaches/backend.hpp"
#include "lab/harness/experiment.hpp"

namespace weft::lab::approaches {

/// Every problem of this program with one approach, which must outlive the suite.
class approach_suite final : public suite {
 public:
  explicit approach_suite(const approaches::backend& with) : backend_(with) {}

  [[nodiscard]] std::string_view name() const override { return "approaches"; }
  [[nodiscard]] std::string_view backend() const override { return backend_.name; }
  [[nodiscard]] std::map<std::string, std::string> libraries() const override;
  [[nodiscard]] std::vector<std::string> problems() const override;
  [[nodiscard]] bool is_serial() const override { return backend_.is_serial; }

  void check(const cell& what) const override;
  [[nodiscard]] std::size_t memory_bytes(const cell& what) const override;
  std::variant<std::unique_ptr<experiment>, skip> make(const cell& what) const override;
  void with_threads(int threads, void (*body)(void* context), void* context) const override;

 private:
  const approaches::backend& backend_;
};

}  // namespace weft::lab::approaches
