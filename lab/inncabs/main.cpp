// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bench program of the suite `inncabs` with the runtime it is linked with.
#include "lab/harness/experiment.hpp"
#include "lab/inncabs/backend.hpp"
#include "lab/inncabs/suite.hpp"

int main(int argc, char** argv) {
  const weft::lab::inncabs::inncabs_suite suite(weft::lab::inncabs::linked_backend());
  return weft::lab::bench_main(argc, argv, suite);
}
