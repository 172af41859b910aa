// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that links weft::policies: a tuner finds the cheaper of two values.
#include <weft/policies.hpp>

int main() {
  weft::policies::tuner<int> tuned("cheaper", {1, 2}, 1);
  while (tuned.report().outcome == weft::policies::verdict::tuning) {
    tuned.note(1.0 / tuned.value());
  }
  return tuned.value() == 2 ? 0 : 1;
}
