// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A clock that tests move, and an experiment whose calls take exactly as long as told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "lab/harness/clock.hpp"
#include "lab/harness/experiment.hpp"

namespace weft::lab::testing {

/// Stands still unless told to advance; reading it costs `reading_ns`.
class scripted_clock final : public clock_source {
 public:
  [[nodiscard]] std::int64_t now_ns() noexcept override {
    now_ns_ += reading_ns;
    return now_ns_;
  }
  void advance_ns(std::int64_t duration_ns) { now_ns_ += duration_ns; }

  std::int64_t reading_ns = 0;

 private:
  std::int64_t now_ns_ = 1'000'000'000'000;
};

/// Each call takes `call_ns(number of the call)`, each preparation `prepare_ns` and each check after
/// the first `check_ns`, on the scripted clock.
class scripted_experiment final : public experiment {
 public:
  explicit scripted_experiment(scripted_clock& clock) : clock_(clock) {}

  verdict verify() override { return {}; }
  verdict verify_again() override {
    if (num_checks != nullptr) {
      ++*num_checks;
    }
    clock_.advance_ns(check_ns);
    return {};
  }
  void prepare(std::size_t count) override {
    prepared_calls = count;
    clock_.advance_ns(prepare_ns);
  }
  void run(std::size_t count) override {
    is_always_prepared = is_always_prepared && count == prepared_calls;
    prepared_calls = 0;
    for (std::size_t i = 0; i < count; ++i) {
      clock_.advance_ns(call_ns(num_calls++));
    }
  }
  [[nodiscard]] std::size_t max_calls() const override { return most_calls; }
  [[nodiscard]] std::size_t bytes_min() const override { return 1; }

  std::function<std::int64_t(std::size_t)> call_ns = [](std::size_t) { return 1000; };
  std::int64_t prepare_ns = 0;
  std::int64_t check_ns = 0;
  std::size_t most_calls = std::size_t{1} << 30;
  std::size_t num_calls = 0;
  std::size_t* num_checks = nullptr;  // of calls of `verify_again()`; outlives this
  std::size_t prepared_calls = 0;
  bool is_always_prepared = true;

 private:
  scripted_clock& clock_;
};

}  // namespace weft::lab::testing
