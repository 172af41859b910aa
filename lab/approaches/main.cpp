// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bench program of the suite `approaches` with the approach it is linked with.
#include "lab/approaches/backend.hpp"
#include "lab/approaches/suite.hpp"
#include "lab/harness/experiment.hpp"

int main(int argc, char** argv) {
  const weft::lab::approaches::approach_suite suite(weft::lab::approaches::linked_backend());
  return weft::lab::bench_main(argc, argv, suite);
}
