// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bench program of the STL suite with the backend it is linked with.
#include "lab/harness/experiment.hpp"
#include "lab/stl/backend.hpp"
#include "lab/stl/suite.hpp"

int main(int argc, char** argv) {
  const weft::lab::stl::stl_suite suite(weft::lab::stl::linked_backend());
  return weft::lab::bench_main(argc, argv, suite);
}
