// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about the counters of samples: batches add up, pauses do not count, gaps have a reason.
#include "lab/harness/counted_samples.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/counters/registry.hpp"

#include "counters/fake_family.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/records.hpp"

namespace weft::lab {
namespace counted_samples_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::array done_in_s{
    sample_counter{"done", "s", "/jobs{locality#0/total}/done", .5},
};

class CountedSamples : public ::testing::Test {
 protected:
  /// A batch in which the counter grows by `growth`, and a pause in which it does, too.
  void batch(std::int64_t growth) {
    counted.begin();
    work.numbers[0] += growth;
    counted.end();
    work.numbers[0] += 1000;
  }

  counter_value value() { return counted.values().at(0); }

  weft_test::fake_family work{"/jobs/done", {"locality#0/total"}};
  counters::registry from;
  counters::registration kept = from.add(work.family());
  counted_samples counted{done_in_s, from};
};

TEST_F(CountedSamples, batches_add_up_to_samples_and_are_shared_out_over_calls) {
  batch(40);
  batch(60);
  counted.finish_sample(2);
  batch(8);
  counted.finish_sample(2);
  batch(2000);
  counted.finish_sample(1);

  EXPECT_EQ(value().name, "done");
  EXPECT_EQ(value().unit, "s");
  EXPECT_EQ(value().per, "sample");
  EXPECT_THAT(value().per_sample, ElementsAre(25, 2, 1000));
  EXPECT_EQ(value().value, 25) << "the median";
}

TEST_F(CountedSamples, one_sample_without_a_value_leaves_none_and_says_why) {
  batch(1);
  counted.finish_sample(1);
  work.on_read = [] { throw std::runtime_error("the sensor is gone"); };
  batch(1);
  counted.finish_sample(1);
  work.on_read = [] {};
  batch(1);
  counted.finish_sample(1);

  EXPECT_EQ(value().value, std::nullopt);
  EXPECT_THAT(value().per_sample, IsEmpty());
  EXPECT_THAT(value().reason, HasSubstr("known of 2 of 3 samples only: "));
  EXPECT_THAT(value().reason, HasSubstr("the sensor is gone"));
}

TEST_F(CountedSamples, what_vanishes_has_no_value) {
  kept = {};
  batch(1);
  counted.finish_sample(1);

  EXPECT_EQ(value().value, std::nullopt);
  EXPECT_THAT(value().reason, HasSubstr("/jobs{locality#0/total}/done has no value"));
}

TEST_F(CountedSamples, without_samples_nothing_is_known) {
  EXPECT_EQ(value().value, std::nullopt);
  EXPECT_EQ(value().reason, "no sample was taken");
}

TEST_F(CountedSamples, without_counters_there_are_no_values) {
  counted_samples nothing({}, from);
  nothing.begin();
  nothing.end();
  nothing.finish_sample(1);

  EXPECT_THAT(nothing.values(), IsEmpty());
}

TEST_F(CountedSamples, unknown_names_are_errors) {
  constexpr std::array misspelt{sample_counter{"done", "s", "/jobs{locality#0/total}/dome"}};

  EXPECT_THROW(counted_samples(misspelt, from), error);
}

}  // namespace counted_samples_test
}  // namespace weft::lab
