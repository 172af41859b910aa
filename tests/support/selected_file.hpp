// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--file=mutex_test.cpp`: runs the tests of one source of a program that holds those of many.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace weft::test {

/// The names of all tests of a source file, as `--gtest_filter` takes them; "" if there are none.
inline std::string tests_of(std::string_view file) {
  std::string names;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const testing::TestInfo& info = *suite.GetTestInfo(j);
      const std::string_view path = info.file();
      if (path == file || path.ends_with("/" + std::string(file))) {
        names += (names.empty() ? "" : ":") + std::string(suite.name()) + "." + info.name();
      }
    }
  }
  return names;
}

/// Reads `--file=...` from a command line that GoogleTest has read before. A given
/// `--gtest_filter` goes first: a death test starts its own program again with both.
/// Errors: a file without tests ends the program with exit code 2.
inline void select_file(int argc, char** argv) {
  constexpr std::string_view option = "--file=";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (!argument.starts_with(option) || testing::GTEST_FLAG(filter) != "*") {
      continue;
    }
    testing::GTEST_FLAG(filter) = tests_of(argument.substr(option.size()));
    if (testing::GTEST_FLAG(filter).empty()) {
      std::fprintf(stderr, "this program has no test in the file of %s\n", argv[i]);
      std::exit(2);
    }
  }
}

}  // namespace weft::test
