// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How often answers are checked between samples, on a clock that only the tests move.
#include "lab/harness/measure.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "harness/scripted_experiment.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/records.hpp"

namespace weft::lab {
namespace measure_test {

using testing::scripted_clock;
using testing::scripted_experiment;

constexpr std::int64_t ms = 1'000'000;

/// One problem whose calls take 1 ms.
class scripted_suite final : public suite {
 public:
  scripted_suite(scripted_clock& clock, std::int64_t check_ns)
      : clock_(clock), check_ns_(check_ns) {}

  [[nodiscard]] std::string_view name() const override { return "scripted"; }
  [[nodiscard]] std::string_view backend() const override { return "inline"; }
  [[nodiscard]] std::map<std::string, std::string> libraries() const override { return {}; }
  [[nodiscard]] std::vector<std::string> problems() const override { return {"calls"}; }
  [[nodiscard]] bool is_serial() const override { return true; }
  void check(const cell& /*what*/) const override {}
  [[nodiscard]] std::size_t memory_bytes(const cell& /*what*/) const override { return 8; }
  std::variant<std::unique_ptr<experiment>, skip> make(const cell& /*what*/) const override {
    auto made = std::make_unique<scripted_experiment>(clock_);
    made->call_ns = [](std::size_t) { return ms; };
    made->check_ns = check_ns_;
    made->num_checks = &num_checks;
    return made;
  }
  void with_threads(int /*threads*/, void (*body)(void*), void* context) const override {
    body(context);
  }

  mutable std::size_t num_checks = 0;

 private:
  scripted_clock& clock_;
  std::int64_t check_ns_;
};

struct run {
  std::size_t num_checks_between_samples = 0;
  double phase_s = 0;
};

run measured(std::int64_t check_ns) {
  scripted_clock clock;
  instruments with{
      .clock = clock, .timer = {.cost_s = 20e-9, .resolution_s = 1e-9}, .counters = {}};
  const scripted_suite from(clock, check_ns);
  cell what;
  what.problem = "calls";
  what.threads = 1;
  what.min_samples = 1000;
  what.probe = "no";

  const outcome answer = measure(what, from, 1, with);

  EXPECT_EQ(answer.how, status::ok) << answer.message;
  return {.num_checks_between_samples = from.num_checks - 1,  // the last is behind all samples
          .phase_s = answer.measured->phase_s};
}

TEST(Measure, checks_between_samples_take_a_fifth_of_the_time_at_most) {
  constexpr double check_s = 0.2;

  const run done = measured(200 * ms);

  // The last check begins while those before have taken a fifth of the time or less.
  EXPECT_GE(done.num_checks_between_samples, 1U);
  EXPECT_LE(static_cast<double>(done.num_checks_between_samples - 1) * check_s,
            0.2 * (done.phase_s - check_s));
}

TEST(Measure, checks_that_take_no_time_follow_each_doubling_of_the_samples) {
  const run done = measured(0);

  // 3 samples, then 6, 12, ... 384: the sum of the stretches is 1000 in the ninth.
  EXPECT_GE(done.num_checks_between_samples, 8U);
  EXPECT_LE(done.num_checks_between_samples, 9U);
}

}  // namespace measure_test
}  // namespace weft::lab
