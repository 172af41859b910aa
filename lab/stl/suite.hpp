// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The STL suite as the harness sees it: the table of problems joined with one backend.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"

namespace weft::lab::stl {

/// Every problem of this program with one backend, which must outlive the suite.
class stl_suite final : public suite {
 public:
  explicit stl_suite(const stl::backend& with) : backend_(with) {}

  [[nodiscard]] std::string_view name() const override { return "stl"; }
  [[nodiscard]] std::string_view backend() const override { return backend_.name; }
  [[nodiscard]] std::map<std::string, std::string> libraries() const override;
  [[nodiscard]] std::vector<std::string> problems() const override;
  [[nodiscard]] bool is_serial() const override { return backend_.is_serial; }
  [[nodiscard]] bool times_cold_calls() const override { return true; }

  void check(const cell& what) const override;
  [[nodiscard]] std::size_t memory_bytes(const cell& what) const override;
  std::variant<std::unique_ptr<experiment>, skip> make(const cell& what) const override;
  void with_threads(int threads, void (*body)(void* context), void* context) const override;

 private:
  const stl::backend& backend_;
};

}  // namespace weft::lab::stl
