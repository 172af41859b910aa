// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::base alone; its headers say which version they are.
#include <cstdio>

#include <weft/base/topology.hpp>
#include <weft/version.hpp>

static_assert(WEFT_VERSION >= WEFT_VERSION_NUMBER(0, 1, 0));

int main() {
  const int num_cpus = weft::base::read_topology().usable_cpus().cpus;
  std::printf("weft %s on %d CPUs\n", WEFT_VERSION_STRING, num_cpus);
  return num_cpus > 0 ? 0 : 1;
}
