// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The suite refuses bad cells by field, skips what a backend lacks, and foresees its memory.
#include "lab/stl/suite.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/operations.hpp"
#include "stl/support/reference_backend.hpp"

namespace weft::lab::stl {
namespace suite_test {

using testing::cell_of;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::reference_backend;

/// Returns "field: message" of the refusal, or an empty text.
std::string refusal_of(const cell& what) {
  const backend reference = reference_backend();
  try {
    stl_suite(reference).check(what);
    return "";
  } catch (const bad_cell& refused) {
    return refused.field() + ": " + refused.what();
  }
}

TEST(Suite, lists_by_name_all_algorithms_that_take_an_execution_policy_and_five_more) {
  const backend reference = reference_backend();
  const auto names = stl_suite(reference).problems();

  EXPECT_EQ(names.size(), 91U);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 91U);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_THAT(names,
              IsSupersetOf({"adjacent_difference",
                            "find",
                            "histogram",
                            "shift_right",
                            "sort_by_key",
                            "sort_in_place",
                            "unique_copy",
                            "walked_scan"}));
}

TEST(Suite, accepts_every_field_in_range) {
  cell what = cell_of("for_each", "double", 1);
  what.allocator = "first_touch";
  what.params["k_it"] = 1000;

  EXPECT_EQ(refusal_of(what), "");
}

TEST(Suite, refuses_an_unknown_problem_and_offers_the_nearest) {
  EXPECT_THAT(refusal_of(cell_of("srot", "int", 8)),
              AllOf(HasSubstr("problem: "), HasSubstr("srot"), HasSubstr("\"sort\"")));
}

TEST(Suite, refuses_an_unknown_type) {
  EXPECT_THAT(refusal_of(cell_of("sort", "long", 8)),
              AllOf(HasSubstr("type: "), HasSubstr("int, float, double")));
}

TEST(Suite, refuses_sizes_it_cannot_number) {
  EXPECT_THAT(refusal_of(cell_of("sort", "int", 0)), HasSubstr("size: size is 0 elements"));
  EXPECT_THAT(refusal_of(cell_of("sort", "double", std::size_t{1} << 31U)),
              HasSubstr("from 1 to 2147483647"));
}

TEST(Suite, refuses_an_unknown_allocator) {
  cell what = cell_of("sort", "int", 8);
  what.allocator = "numa";

  EXPECT_THAT(refusal_of(what), AllOf(HasSubstr("allocator: "), HasSubstr("first_touch")));
}

TEST(Suite, refuses_parameters_that_do_not_exist_or_are_out_of_range) {
  cell unknown = cell_of("for_each", "int", 8);
  unknown.params["kit"] = 1;
  cell too_small = cell_of("for_each", "int", 8);
  too_small.params["k_it"] = 0;
  cell none = cell_of("sort", "int", 8);
  none.params["k_it"] = 1;

  EXPECT_THAT(refusal_of(unknown), AllOf(HasSubstr("params: "), HasSubstr("k_it")));
  EXPECT_EQ(refusal_of(too_small), "params: k_it is 0; it must be from 1 to 16777216");
  EXPECT_EQ(refusal_of(none), "params: problem sort has no parameter; leave out \"k_it\"");
}

TEST(Suite, skips_what_the_backend_does_not_offer_for_this_type_alone) {
  backend lacking = reference_backend();
  std::get<operations<float>>(lacking.typed_operations).merge = nullptr;
  const auto made = stl_suite(lacking).make(cell_of("merge", "float", 8));

  const skip& skipped = std::get<skip>(made);
  EXPECT_EQ(skipped.code, "not_offered");
  EXPECT_EQ(skipped.message, "backend reference has no parallel merge for float");
  EXPECT_NE(skipped.remedy, "");
  EXPECT_EQ(testing::mismatch_of(lacking, cell_of("merge", "double", 8)), "");
}

TEST(Suite, skips_first_touch_if_the_backend_cannot_touch) {
  backend lacking = reference_backend();
  std::get<operations<int>>(lacking.typed_operations).touch = nullptr;
  cell what = cell_of("copy", "int", 8);
  EXPECT_EQ(testing::mismatch_of(lacking, what), "");

  what.allocator = "first_touch";

  EXPECT_EQ(testing::mismatch_of(lacking, what), "skipped: not_offered");
}

TEST(Suite, foresees_arrays_and_the_backends_scratch) {
  backend hungry = reference_backend();
  hungry.scratch = {.sort = 2.5, .copy_if = 1.0, .others = 0.5};
  const std::size_t n = std::size_t{1} << 20U;
  const auto elements_needed = [&](const std::string& problem) {
    const auto bytes = stl_suite(hungry).memory_bytes(cell_of(problem, "double", n));
    return static_cast<double>(bytes) / static_cast<double>(n * sizeof(double));
  };

  EXPECT_NEAR(elements_needed("sort"), 4.5, 0.1);
  EXPECT_NEAR(elements_needed("copy_if"), 3.0, 0.1);
  EXPECT_NEAR(elements_needed("merge"), 2.5, 0.1);
  EXPECT_NEAR(elements_needed("reduce"), 1.5, 0.1);
}

TEST(Suite, foresees_more_memory_than_can_be_counted_as_the_largest_number) {
  const backend reference = reference_backend();
  const cell what = cell_of("sort", "double", std::numeric_limits<std::size_t>::max() / 2);

  EXPECT_EQ(stl_suite(reference).memory_bytes(what), std::numeric_limits<std::size_t>::max());
}

}  // namespace suite_test
}  // namespace weft::lab::stl
