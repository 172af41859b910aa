// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the suite refuses and skips, the mistakes its checkers find, the allocations it counts.
#include "lab/approaches/suite.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/topology.hpp"

#include "approaches/small_cells.hpp"
#include "lab/approaches/allocations.hpp"
#include "lab/approaches/backend.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"
#include "lab/approaches/problem.hpp"
#include "lab/approaches/series.hpp"
#include "lab/harness/cells.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/harness/placement.hpp"

namespace weft::lab::approaches {
namespace suite_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::mismatch_of;
using testing::small_cell;

struct one_after_the_other {
  static double sum_of(std::size_t count, const auto& piece) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      sum += piece(i);
    }
    return sum;
  }
};

operations right_answers() {
  operations rows;
  bodies::offer_series<one_after_the_other>(rows);
  rows.chunked = [](const series& what, const chunking&, double* terms) {
    return bodies::over_vector<one_after_the_other>(what, terms);
  };
  rows.async_get = [](const request& what) { return what.size * (what.size - 1) / 2; };
  rows.dataflow = [](const request& what) { return what.size; };
  return rows;
}

backend backend_with(const operations& rows) {
  return {.name = "planted",
          .offered = rows,
          .libraries = [] { return std::map<std::string, std::string>{}; },
          .with_threads = [](int, void (*body)(void*), void* context) { body(context); }};
}

std::string refusal_of(const cell& what) {
  const backend with = backend_with(right_answers());
  try {
    approach_suite(with).check(what);
  } catch (const bad_cell& problem) {
    return problem.field() + ": " + problem.what();
  }
  return "";
}

TEST(ApproachSuite, has_the_series_in_all_layouts_and_the_units_of_every_api) {
  const backend with = backend_with(right_answers());
  EXPECT_THAT(approach_suite(with).problems(),
              ElementsAre("async_get",
                          "await_future",
                          "await_ready",
                          "await_task",
                          "bulk_chunk",
                          "dataflow",
                          "for_each_empty",
                          "grain",
                          "nested_wait",
                          "round_trip",
                          "schedule_from_outside",
                          "schedule_then_wait",
                          "taylor_auto",
                          "taylor_deterministic",
                          "taylor_dynamic",
                          "taylor_fused",
                          "taylor_guided",
                          "taylor_listing",
                          "taylor_setup_timed",
                          "taylor_static",
                          "taylor_vector",
                          "then_chain",
                          "when_all",
                          "when_all_join"));
}

TEST(ApproachSuite, names_the_terms_and_the_x_that_it_takes) {
  cell what = small_cell("taylor_fused");
  what.size = 1'000'000'000'001;
  EXPECT_THAT(refusal_of(what),
              HasSubstr("size: size is 1000000000001; taylor_fused takes a number"));
  what = small_cell("taylor_fused");
  what.params["x_ppb"] = 1'000'000'000;
  EXPECT_THAT(refusal_of(what), HasSubstr("x_ppb is 1000000000; it must be from 1 to 999999999"));
  what.params["x_ppb"] = -1;
  EXPECT_THAT(refusal_of(what), HasSubstr("x_ppb is -1"));
  what = small_cell("taylor_dynamic");
  what.params["chunk_size"] = 0;
  EXPECT_THAT(refusal_of(what), HasSubstr("chunk_size is 0; it must be from 1"));
  what = small_cell("async_get");
  what.size = 10'000'001;
  EXPECT_THAT(refusal_of(what), HasSubstr("async_get takes a number of operations from 1 to 10^7"));
}

TEST(ApproachSuite, refuses_numbers_that_are_none) {
  for (const auto& [field, text] :
       std::vector<std::pair<std::string, std::string>>{{"size", "0"},
                                                        {"size", "-5"},
                                                        {"size", "many"},
                                                        {"size", "99999999999999999999"},
                                                        {"threads", "0"},
                                                        {"threads", "-1"},
                                                        {"threads", "two"},
                                                        {"threads", "1000000"}}) {
    cell what = small_cell("taylor_fused");
    try {
      set_field(what, field, text);
      ADD_FAILURE() << field << " " << text << " was taken";
    } catch (const bad_cell& problem) {
      EXPECT_EQ(problem.field(), field);
      EXPECT_THAT(problem.what(), HasSubstr("\"" + text + "\" is not a number of"));
    }
  }
}

TEST(ApproachSuite, refuses_unknown_names_with_the_nearest) {
  cell what = small_cell("taylor_fusd");
  EXPECT_THAT(refusal_of(what), HasSubstr("did you mean \"taylor_fused\"?"));
  what = small_cell("taylor_static");
  what.params["chunk_siz"] = 10;
  EXPECT_THAT(refusal_of(what), HasSubstr("did you mean \"chunk_size\"?"));
  what = small_cell("taylor_listing");
  what.params["x_ppb"] = 1;
  EXPECT_THAT(refusal_of(what), HasSubstr("taylor_listing has no parameter"));
  what = small_cell("taylor_fused");
  what.type = "float";
  EXPECT_THAT(refusal_of(what), HasSubstr("knows type \"double\" only"));
}

TEST(ApproachSuite, counts_the_bytes_of_a_vector_and_none_without) {
  const backend with = backend_with(right_answers());
  EXPECT_EQ(approach_suite(with).memory_bytes(small_cell("taylor_vector")), 8000U);
  EXPECT_EQ(approach_suite(with).memory_bytes(small_cell("taylor_setup_timed")), 8000U);
  EXPECT_EQ(approach_suite(with).memory_bytes(small_cell("taylor_fused")), 0U);
}

TEST(ApproachSuite, skips_what_is_not_offered_and_more_tasks_than_an_approach_survives) {
  backend with = backend_with(right_answers());
  EXPECT_EQ(mismatch_of(small_cell("bulk_chunk"), with), "not_offered");
  with.limit = {.max_tasks = 49, .reason = "a reason"};
  EXPECT_EQ(mismatch_of(small_cell("async_get"), with), "unsupported");
  EXPECT_EQ(mismatch_of(small_cell("taylor_fused"), with), "");
}

/// Two cores of two hardware threads: core i has threads i and i + 2.
base::topology two_cores_with_smt(std::vector<int> affinity) {
  base::topology machine;
  machine.affinity = std::move(affinity);
  for (int i = 0; i < 2; ++i) {
    machine.cores.push_back({.hardware_threads = {i, i + 2}, .kind = {}});
    machine.hardware_threads.push_back({.id = i, .core = i});
    machine.hardware_threads.push_back({.id = i + 2, .core = i});
  }
  return machine;
}

std::string one_core_reason(const base::topology& machine) {
  const std::optional<skip> cannot = without_two_cores(machine);
  return cannot ? cannot->code + ": " + cannot->message : "";
}

TEST(RoundTrip, takes_two_cores) {
  EXPECT_EQ(one_core_reason(two_cores_with_smt({0, 1, 2, 3})), "");
  EXPECT_EQ(one_core_reason(two_cores_with_smt({})), "");
  EXPECT_EQ(one_core_reason(two_cores_with_smt({1, 2})), "");
  EXPECT_EQ(one_core_reason(two_cores_with_smt({3})),
            "too_few_cores: a round trip takes two cores; this process may use 1 hardware thread "
            "(affinity mask)");
  EXPECT_EQ(one_core_reason(two_cores_with_smt({1, 3})),
            "too_few_cores: a round trip takes two cores; this process may use 2 hardware threads "
            "of one core (affinity mask)");
  base::topology limited = two_cores_with_smt({0, 1, 2, 3});
  limited.quota_cpus = 0.5;
  EXPECT_THAT(one_core_reason(limited), HasSubstr("may use 1 hardware thread (cgroup quota 0.5"));
}

/// Restores what this thread may run on.
class held_to_one_cpu {
 public:
  explicit held_to_one_cpu(const base::topology& machine) : all_(machine.affinity) {
    hold_to({all_.front()});
  }
  held_to_one_cpu(const held_to_one_cpu&) = delete;
  held_to_one_cpu& operator=(const held_to_one_cpu&) = delete;
  ~held_to_one_cpu() { hold_to(all_); }

 private:
  std::vector<int> all_;
};

TEST(RoundTrip, is_skipped_while_the_process_is_held_to_one_cpu) {
  operations rows = right_answers();
  rows.round_trip = [](const request& what) { return what.size; };
  const backend with = backend_with(rows);
  const base::topology machine = base::read_topology({.reader = base::topology_reader::sysfs});
  const std::string before = without_two_cores(machine) ? "too_few_cores" : "";
  ASSERT_FALSE(machine.affinity.empty());

  EXPECT_EQ(mismatch_of(small_cell("round_trip"), with), before);
  const held_to_one_cpu held(machine);
  EXPECT_EQ(mismatch_of(small_cell("round_trip"), with), "too_few_cores");
  EXPECT_EQ(mismatch_of(small_cell("async_get"), with), "");
}

/// A mistake, and what the checker must say of it; `plant` gets right operations and spoils one.
struct mistake {
  std::string name;
  std::string problem;
  std::string message;
  void (*plant)(operations& rows);

  friend std::ostream& operator<<(std::ostream& out, const mistake& what) {
    return out << what.name;
  }
};

class WrongSum : public ::testing::TestWithParam<mistake> {};

TEST_P(WrongSum, is_reported) {
  cell what = small_cell(GetParam().problem);
  if (what.problem == "taylor_fused") {
    what.params["x_ppb"] = 999'999'999;
  }
  operations rows = right_answers();
  ASSERT_EQ(mismatch_of(what, backend_with(rows)), "");

  GetParam().plant(rows);

  EXPECT_THAT(mismatch_of(what, backend_with(rows)), HasSubstr(GetParam().message));
}

/// The paper's listing 5: every part also adds the first term of the next one.
double one_term_too_many(const series& what) {
  return one_after_the_other::sum_of(what.num_parts, [&what](std::size_t part) {
    term_range range = part_of(what, part);
    ++range.last;
    return sum_of_terms(range, what.x);
  });
}

/// What x = 0.5 does not show: at most `num_parts - 1` parts, of which the first has all that
/// counts.
double without_the_last_part(const series& what) {
  return sum_of_terms({.first = 1, .last = part_of(what, what.num_parts - 1).first}, what.x);
}

std::vector<mistake> mistakes_after_the_terms_that_count() {
  constexpr const char* found = "at x = -1, where every term counts, the sum is -";
  return {{"fused",
           "taylor_listing",
           found,
           [](operations& rows) { rows.fused = without_the_last_part; }},
          {"deterministic",
           "taylor_deterministic",
           found,
           [](operations& rows) { rows.deterministic = without_the_last_part; }},
          {"from_scratch",
           "taylor_setup_timed",
           found,
           [](operations& rows) { rows.from_scratch = without_the_last_part; }},
          {"over_vector",
           "taylor_vector",
           found,
           [](operations& rows) {
             rows.over_vector = [](const series& what, double*) {
               return without_the_last_part(what);
             };
           }},
          {"chunked", "taylor_static", found, [](operations& rows) {
             rows.chunked = [](const series& what, const chunking&, double* terms) {
               return bodies::over_vector<one_after_the_other>(
                   {.n = what.n - 1, .x = what.x, .num_parts = 1}, terms);
             };
           }}};
}

std::vector<mistake> mistakes_without_vectors() {
  return {{"parts_that_overlap",
           "taylor_fused",
           "the sum is 0.69",
           [](operations& rows) { rows.fused = one_term_too_many; }},
          {"the_last_term_is_missing",
           "taylor_fused",
           "expected 0.69",
           [](operations& rows) {
             rows.fused = [](const series& what) {
               return sum_of_terms({.first = 1, .last = what.n}, what.x);
             };
           }},
          {"not_a_number",
           "taylor_fused",
           "the sum is nan",
           [](operations& rows) {
             rows.fused = [](const series&) { return std::numeric_limits<double>::quiet_NaN(); };
           }},
          {"a_listing_that_ends_early", "taylor_listing", "expected 0.0953", [](operations& rows) {
             rows.fused = [](const series& what) {
               return sum_of_terms({.first = 1, .last = 10}, what.x);
             };
           }}};
}

std::vector<mistake> other_mistakes() {
  return {
      {"a_sum_that_changes",
       "taylor_deterministic",
       "one call gives 0.405",
       [](operations& rows) {
         rows.deterministic = [](const series& what) {
           static int num_calls = 0;
           const double sum = bodies::deterministic<one_after_the_other>(what);
           return ++num_calls % 2 == 0 ? sum * (1 + 0x1p-52) : sum;
         };
       }},
      {"numbers_that_are_no_terms_yet",
       "taylor_vector",
       "the sum is 500500",
       [](operations& rows) {
         rows.over_vector = [](const series& what, double* terms) {
           return std::accumulate(terms, terms + what.n, 0.0);
         };
       }},
      {"a_chunk_done_twice",
       "taylor_dynamic",
       "the sum is",
       [](operations& rows) {
         rows.chunked = [](const series& what, const chunking&, double* terms) {
           const double sum = bodies::over_vector<one_after_the_other>(what, terms);
           return sum + terms[0];
         };
       }},
      {"a_vector_of_zeros",
       "taylor_setup_timed",
       "the sum is 0, expected",
       [](operations& rows) { rows.from_scratch = [](const series&) { return 0.0; }; }},
      {"a_node_that_never_ran", "dataflow", "the answer is 49, expected 50", [](operations& rows) {
         rows.dataflow = [](const request& what) { return what.size - 1; };
       }}};
}

std::string name_of(const ::testing::TestParamInfo<mistake>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(without_vectors,
                         WrongSum,
                         ::testing::ValuesIn(mistakes_without_vectors()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(lost_terms,
                         WrongSum,
                         ::testing::ValuesIn(mistakes_after_the_terms_that_count()),
                         name_of);
INSTANTIATE_TEST_SUITE_P(others, WrongSum, ::testing::ValuesIn(other_mistakes()), name_of);

/// What is scheduled is called at once.
struct in_place {
  static std::uint64_t value_of(auto body) { return body(); }
};

TEST(ScheduleFromOutside, is_wrong_if_a_body_runs_on_the_thread_that_waits) {
  operations rows = right_answers();
  rows.schedule_from_outside = bodies::schedule_from_outside<in_place>;

  EXPECT_THAT(mismatch_of(small_cell("schedule_from_outside"), backend_with(rows)),
              HasSubstr("expected 1225"));
}

/// 0 + 1 + ... + (size - 1), or 0 where its input was not made or is used up.
class used_once final : public prepared_units {
 public:
  explicit used_once(std::uint64_t size) : size_(size) {}
  void prepare() override { is_ready_ = true; }
  std::uint64_t use() override {
    return std::exchange(is_ready_, false) ? size_ * (size_ - 1) / 2 : 0;
  }

 private:
  std::uint64_t size_;
  bool is_ready_ = false;
};

TEST(PreparedUnits, have_their_input_made_before_each_call_and_their_answer_checked) {
  operations rows = right_answers();
  rows.await_ready = [](const request& what) -> std::unique_ptr<prepared_units> {
    return std::make_unique<used_once>(what.size);
  };
  rows.when_all_join = [](const request& what) -> std::unique_ptr<prepared_units> {
    return std::make_unique<used_once>(what.size + 1);
  };

  EXPECT_EQ(mismatch_of(small_cell("await_ready"), backend_with(rows)), "");
  EXPECT_THAT(mismatch_of(small_cell("when_all_join"), backend_with(rows)),
              HasSubstr("the answer is 1275, expected 1225"));
}

TEST(AllocationCounter, counts_what_is_asked_for_while_it_lives) {
  const allocation_counter counter;
  const auto before = counter.counted();
  if (!before) {
    GTEST_SKIP() << "this program has no malloc of its own";
  }

  const std::vector<std::uint64_t> some(1000);
  keep(some.data());

  EXPECT_EQ(counter.counted().value_or(allocation_counts{}).calls, before->calls + 1);
  EXPECT_EQ(counter.counted().value_or(allocation_counts{}).bytes, before->bytes + 8000);
}

TEST(AllocationCounter, is_of_one_call_of_a_problem) {
  operations rows = right_answers();
  rows.async_get = [](const request& what) {
    for (std::uint64_t i = 0; i < what.size; ++i) {
      keep(std::make_unique<std::uint64_t>(i).get());
    }
    return what.size * (what.size - 1) / 2;
  };
  const backend with = backend_with(rows);
  auto made = approach_suite(with).make(small_cell("async_get"));
  experiment& subject = *std::get<std::unique_ptr<experiment>>(made);
  EXPECT_FALSE(subject.allocations().has_value());

  ASSERT_TRUE(subject.verify().is_right());

  const auto counted = subject.allocations();
  if (!counted) {
    GTEST_SKIP() << "this program has no malloc of its own";
  }
  EXPECT_EQ(counted->calls, 50U);
  EXPECT_EQ(counted->bytes, 400U);
}

}  // namespace suite_test
}  // namespace weft::lab::approaches
