// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every test program runs: all of its tests, or with --file those of one source.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/selected_file.hpp"

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  weft::test::select_file(argc, argv);
  return RUN_ALL_TESTS();
}
