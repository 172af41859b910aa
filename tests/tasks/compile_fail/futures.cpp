// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses of futures that do not compile, and what the compiler has to say of each.
#include "weft/tasks/futures.hpp"

#include "weft/tasks/async.hpp"  // IWYU pragma: keep

int plus_one(int x) { return x + 1; }

int go_on(const weft::shared_future<int>& shared) {
#if defined(MISTAKES)
  return weft::async(plus_one, 1).then(plus_one).get();
  // expect once: to take its value, pass weft::unwrapping(f)
  return weft::async(plus_one, 1).then(weft::launch::sync, [](int) {}).get(), 0;
  // expect once: to take its value, pass weft::unwrapping(f)
  return shared.then(plus_one).get();
  // expect once: to take its value, pass weft::unwrapping(f)
  return weft::dataflow(plus_one, shared).get();
  // expect once: to take their values, pass weft::unwrapping(f)
  return weft::dataflow(weft::launch::sync, plus_one, weft::async(plus_one, 1)).get();
  // expect once: to take their values, pass weft::unwrapping(f)
#else
  return weft::dataflow(weft::unwrapping(plus_one), shared).get() +
         shared.then(weft::unwrapping(plus_one)).get();
#endif
}
