// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel with one backend, or one of the user's variants, as a suite of one problem.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"

namespace weft::bench {

/// The suite `bench`. `Make(cell)` returns an experiment for the size of a cell.
template <class Backend, class Make>
class kernel_suite final : public lab::suite {
 public:
  kernel_suite(std::string_view name, Make make) : name_(name), make_(std::move(make)) {}

  [[nodiscard]] std::string_view name() const override { return "bench"; }
  [[nodiscard]] std::string_view backend() const override { return name_; }
  [[nodiscard]] std::map<std::string, std::string> libraries() const override {
    return Backend::libraries();
  }
  [[nodiscard]] std::vector<std::string> problems() const override { return {"run"}; }
  [[nodiscard]] lab::size_words about_sizes() const override {
    return {.meaning = "n, which the inputs are made for", .example = "2^20"};
  }
  [[nodiscard]] bool is_serial() const override { return Backend::is_serial; }
  [[nodiscard]] std::span<const lab::sample_counter> sample_counters() const override {
    if constexpr (requires { Backend::sample_counters(); }) {
      return Backend::sample_counters();
    } else {
      return {};
    }
  }

  void check(const lab::cell& what) const override {
    if (!what.params.empty()) {
      throw lab::bad_cell("params", "a kernel has no parameter but its size");
    }
  }
  /// Not known before the inputs exist; running out of memory still skips the cell.
  [[nodiscard]] std::size_t memory_bytes(const lab::cell& /*what*/) const override { return 0; }
  std::variant<std::unique_ptr<lab::experiment>, lab::skip> make(
      const lab::cell& what) const override {
    return make_(what);
  }
  void with_threads(int threads, void (*body)(void* context), void* context) const override {
    Backend::with_threads(threads, body, context);
  }

 private:
  std::string name_;
  Make make_;
};

}  // namespace weft::bench
