// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels as bench programs: what is timed, refused, skipped, and told of errors.
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <weft/bench.hpp>

#include "lab/bench/algorithm_members.hpp"
#include "lab/bench/backends/variants.hpp"
#include "lab/harness/build_info.hpp"

namespace weft::lab {

build_info this_build() { return {.program = "kernel_test", .toolchain = "gcc"}; }

}  // namespace weft::lab

namespace weft::bench {
namespace kernel_test {

using testing::HasSubstr;
using numbers = std::vector<double>;

numbers make(std::size_t n) {
  numbers made(n - 1);  // empty at size 1
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i] = static_cast<double>((i * 7919) % 101);
  }
  return made;
}

/// seq by another name, without `sort`.
struct lame : seq {
  static constexpr std::string_view name = "lame";
  void sort(auto /*first*/, auto /*last*/) const { lacks(name, "sort"); }
};

struct told {
  int exit_code;
  std::string records;
};

/// Runs the program of a kernel with `Backend` and these arguments.
template <class Backend>
told run_with(std::vector<std::string> arguments, auto kernel, auto... extras) {
  const problem<decltype(&make), decltype(kernel), decltype(detail::check_in(extras...))> what{
      make, kernel, detail::check_in(extras...), detail::settings_in(extras...)};
  arguments.insert(arguments.begin(), "program");
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  testing::internal::CaptureStdout();
  const int code =
      detail::run_program<Backend>(static_cast<int>(argv.size()) - 1, argv.data(), what, extras...);
  std::cout.flush();
  return {code, testing::internal::GetCapturedStdout()};
}

const std::vector<std::string> quick{"--problem",
                                     "run",
                                     "--size",
                                     "100",
                                     "--min-samples",
                                     "2",
                                     "--max-samples",
                                     "2",
                                     "--probe",
                                     "no",
                                     "--json"};

std::vector<std::string> quick_of(const std::string& size) {
  std::vector<std::string> arguments = quick;
  arguments[3] = size;
  return arguments;
}

const auto sum = [](auto& on, const auto& in) { return on.reduce(in.begin(), in.end(), 0.0); };
const auto sorted = [](auto& on, auto& in) { on.sort(in.begin(), in.end()); };

TEST(Kernel, right_answer_is_timed) {
  const told found = run_with<seq>(quick, sum);

  EXPECT_EQ(found.exit_code, 0);
  EXPECT_THAT(found.records, HasSubstr(R"("status":"ok")"));
  EXPECT_THAT(found.records, HasSubstr(R"("suite":"bench","backend":"seq")"));
}

TEST(Kernel, settings_are_in_the_record) {
  const told found =
      run_with<seq>(quick, sum, settings{.bytes_per_element = 8, .operations_per_element = 1});

  EXPECT_THAT(found.records, HasSubstr(R"("bytes_min":800)"));
  EXPECT_THAT(found.records, HasSubstr(R"("operations":100.0)"));
}

TEST(Kernel, wrong_variant_is_refused_and_named) {
  const auto wrong = variant("one too many", [](const auto& in) {
    double found = 1;
    for (const double number : in) {
      found += number;
    }
    return found;
  });
  std::vector<std::string> arguments = quick;
  arguments.insert(arguments.begin(), {"--variant", "one too many"});

  const told found = run_with<variants>(arguments, sum, wrong);

  EXPECT_EQ(found.exit_code, 4);
  EXPECT_THAT(found.records, HasSubstr(R"("backend":"one too many")"));
  EXPECT_THAT(found.records, HasSubstr(R"("status":"wrong","samples_s":[])"));
  EXPECT_THAT(found.records, HasSubstr("expected"));
}

TEST(Kernel, right_variant_gets_its_number_of_threads) {
  const auto right = variant("by hand", [](const auto& in, int threads) {
    EXPECT_EQ(threads, 3);
    double found = 0;
    for (const double number : in) {
      found += number;
    }
    return found;
  });
  std::vector<std::string> arguments = quick;
  arguments.insert(arguments.begin(), {"--variant", "by hand", "--threads", "3"});

  EXPECT_EQ(run_with<variants>(arguments, sum, right).exit_code, 0);
  EXPECT_EQ(run_with<variants>({"--variants"}, sum, right).records, "by hand\n");
  EXPECT_EQ(run_with<variants>({"--variant", "another"}, sum, right).exit_code, 2);
}

TEST(Kernel, backend_that_lacks_an_operation_is_skipped_with_that_reason) {
  const told found = run_with<lame>(quick, sorted);

  EXPECT_THAT(found.records, HasSubstr(R"("status":"skipped")"));
  EXPECT_THAT(found.records, HasSubstr(R"("message":"lame has no sort","code":"not_offered")"));
  EXPECT_EQ(run_with<lame>(quick, sum).exit_code, 0);
}

TEST(Kernel, each_call_gets_its_own_copy_of_an_input_that_it_changes) {
  const auto fresh = check([](const auto& in, const auto& answer) {
    return std::is_permutation(in.begin(), in.end(), answer.begin(), answer.end()) &&
           !std::is_sorted(in.begin(), in.end());
  });

  EXPECT_EQ(run_with<seq>(quick, sorted, fresh).exit_code, 0);
  EXPECT_EQ(run_with<seq>(quick, sorted).exit_code, 0);
}

TEST(Kernel, own_check_decides) {
  const auto never = check([](const auto& /*in*/, const auto& /*answer*/) { return false; });

  EXPECT_EQ(run_with<seq>(quick, sum, never).exit_code, 4);
}

TEST(Kernel, empty_input_is_an_input) {
  EXPECT_EQ(run_with<seq>(quick_of("1"), sum).exit_code, 0);
  EXPECT_EQ(run_with<seq>(quick_of("1"), sorted).exit_code, 0);
}

TEST(Kernel, exception_is_told) {
  const auto throws = [](auto& /*on*/, const auto& in) {
    if (in.size() > 10) {
      throw std::runtime_error("eleven are too many");
    }
    return in.size();
  };

  const told found = run_with<seq>(quick, throws);

  EXPECT_NE(found.exit_code, 0);
  EXPECT_THAT(found.records, HasSubstr("eleven are too many"));
  EXPECT_EQ(run_with<seq>(quick_of("5"), throws).exit_code, 0);
}

}  // namespace kernel_test
}  // namespace weft::bench
