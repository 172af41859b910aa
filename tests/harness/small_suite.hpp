// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A suite small enough to run inside a test: right, wrong, throwing, unavailable and too large
// problems.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"

namespace weft::lab::testing {

class small_experiment final : public experiment {
 public:
  small_experiment(std::string problem, int* num_runs, int* num_checks)
      : problem_(std::move(problem)), num_runs_(num_runs), num_checks_(num_checks) {}

  verdict verify() override {
    ++*num_checks_;
    return {.mismatch = problem_ == "wrong" ? "element 17 is 3, expected 4" : ""};
  }
  void prepare(std::size_t /*count*/) override {}
  void run(std::size_t count) override {
    ++*num_runs_;
    if (problem_ == "throws") {
      throw std::runtime_error("planted exception");
    }
    if (problem_ == "exhausts") {
      throw std::bad_alloc();
    }
    for (std::size_t i = 0; i < count; ++i) {
      keep(i);
    }
  }
  [[nodiscard]] std::size_t max_calls() const override { return std::size_t{1} << 20; }
  [[nodiscard]] std::size_t bytes_min() const override { return 24; }

 private:
  std::string problem_;
  int* num_runs_;
  int* num_checks_;
};

/// Writes its answer in its first calls and then returns at once; an old answer still lies there.
class tiring_experiment final : public experiment {
 public:
  explicit tiring_experiment(int* num_checks) : num_checks_(num_checks) {}

  verdict verify() override {
    ++*num_checks_;
    answer_ = 0;
    call();
    return {.mismatch = answer_ == 1 ? "" : "the answer is 0, expected 1"};
  }
  void prepare(std::size_t /*count*/) override {}
  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      call();
      keep(answer_);
    }
  }
  [[nodiscard]] std::size_t max_calls() const override { return std::size_t{1} << 20; }
  [[nodiscard]] std::size_t bytes_min() const override { return 8; }

 private:
  void call() {
    constexpr std::size_t num_honest = 3;
    if (num_calls_++ < num_honest) {
      answer_ = 1;
    }
  }

  std::size_t num_calls_ = 0;
  int answer_ = 0;
  int* num_checks_;
};

class small_suite final : public suite {
 public:
  [[nodiscard]] std::string_view name() const override { return "small"; }
  [[nodiscard]] std::string_view backend() const override { return "inline"; }
  [[nodiscard]] std::map<std::string, std::string> libraries() const override {
    return {{"libsmall", "1.2"}};
  }
  [[nodiscard]] std::vector<std::string> problems() const override {
    return {"exhausts", "good", "huge", "throws", "tires", "unavailable", "wrong"};
  }
  [[nodiscard]] bool is_serial() const override { return true; }
  void check(const cell& what) const override {
    if (!what.params.empty()) {
      throw bad_cell("params", "good takes no parameters");
    }
  }
  [[nodiscard]] std::size_t memory_bytes(const cell& what) const override {
    return what.problem == "huge" ? std::size_t{1} << 60 : 8;
  }
  std::variant<std::unique_ptr<experiment>, skip> make(const cell& what) const override {
    if (what.problem == "unavailable") {
      return skip{"missing_library", "libsmall is not here", "install libsmall"};
    }
    if (what.problem == "tires") {
      return std::make_unique<tiring_experiment>(&num_checks);
    }
    return std::make_unique<small_experiment>(what.problem, &num_runs, &num_checks);
  }
  void with_threads(int threads, void (*body)(void*), void* context) const override {
    if (threads == refused_threads) {
      throw cannot_run({"unsupported", "libsmall refuses 77 threads", "ask for fewer"});
    }
    body(context);
  }

  [[nodiscard]] bool times_cold_calls() const override { return is_cold_timed; }

  bool is_cold_timed = false;
  static constexpr int refused_threads = 77;
  mutable int num_runs = 0;
  mutable int num_checks = 0;
};

}  // namespace weft::lab::testing
