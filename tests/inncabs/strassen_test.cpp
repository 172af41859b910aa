// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problem strassen: against the definition of the product, and its checker.
#include "lab/inncabs/strassen/strassen.hpp"

#include <cstddef>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/strassen/strassen_futures.hpp"
#include "lab/inncabs/strassen/strassen_groups.hpp"
#include "tests/inncabs/counting_runtime.hpp"
#include "tests/inncabs/inline_runtime.hpp"

namespace weft::lab::inncabs::strassen {
namespace strassen_test {

using testing::counting_runtime;
using testing::inline_runtime;

result product_by_definition(const input& in) {
  result made(in.n * in.n, 0.0);
  for (std::size_t i = 0; i < in.n; ++i) {
    for (std::size_t j = 0; j < in.n; ++j) {
      for (std::size_t k = 0; k < in.n; ++k) {
        made[i * in.n + j] += in.a[i * in.n + k] * in.b[k * in.n + j];
      }
    }
  }
  return made;
}

TEST(Strassen, the_serial_form_is_the_product_exactly) {
  input in = make_input(input_class::tiny, 42);
  const result expected = product_by_definition(in);

  for (const std::size_t leaf : {4U, 16U, 64U, 128U}) {
    in.leaf = leaf;
    EXPECT_EQ(run_serial(in), expected) << "leaves of " << leaf;
  }
}

TEST(Strassen, bodies_find_the_product_exactly) {
  const input in = make_input(input_class::tiny, 7);
  const result expected = product_by_definition(in);

  EXPECT_EQ(run_futures<inline_runtime>(in, inline_runtime::launch::at_once), expected);
  EXPECT_EQ(run_groups<inline_runtime>(in), expected);
  EXPECT_EQ(mismatch(in, expected), "");
}

TEST(Strassen, bodies_make_as_many_tasks_as_stated) {
  const input in = make_input(input_class::tiny, 7);
  counting_runtime::tasks = 0;
  run_futures<counting_runtime>(in, counting_runtime::launch::at_once);
  const auto by_futures = counting_runtime::tasks;
  run_groups<counting_runtime>(in);

  EXPECT_EQ(by_futures, 7U + 49U + 343U);
  EXPECT_EQ(num_tasks(in), by_futures);
  EXPECT_EQ(counting_runtime::tasks, 2 * by_futures);
}

TEST(Strassen, the_input_of_the_study_makes_as_many_tasks_as_the_study_counts) {
  const input sizes_only{.n = 4096, .leaf = 64, .a = {}, .b = {}};

  EXPECT_EQ(num_tasks(sizes_only), 137'256U);
}

TEST(Strassen, the_input_of_the_study_needs_as_much_memory_as_stated) {
  EXPECT_NEAR(static_cast<double>(memory_bytes(input_class::paper)) / 1e6, 403 + 224, 1);
}

TEST(Strassen, every_planted_error_is_found) {
  const input in = make_input(input_class::tiny, 42);
  const result right = run_serial(in);
  result one_wrong = right;
  one_wrong[5 * in.n + 17] += 1;
  result two_that_cancel = right;
  two_that_cancel[9 * in.n + 1] += 1;
  two_that_cancel[9 * in.n + 2] -= 1;
  result not_a_number = right;
  not_a_number.back() = std::numeric_limits<double>::quiet_NaN();

  EXPECT_EQ(mismatch(in, one_wrong).find("times a vector: element 5 is "), 0U);
  EXPECT_EQ(mismatch(in, two_that_cancel).find("times a vector: element 9 is "), 0U);
  EXPECT_EQ(mismatch(in, not_a_number).find("times a vector: element 127 is nan"), 0U);
  EXPECT_EQ(mismatch(in, {}), "0 elements, expected 16384");
}

}  // namespace strassen_test
}  // namespace weft::lab::inncabs::strassen
