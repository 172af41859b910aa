// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dinner made by tasks that start others and wait for them: what docs/tracing.md shows a trace
// of.
#include <chrono>
#include <iostream>

#include "weft/tasks/async.hpp"
#include "weft/tasks/fork_join.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/runtime.hpp"

namespace {

/// Keeps the processor busy.
void work_for(std::chrono::microseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
  }
}

int bake(int num_loaves) {
  if (num_loaves == 1) {
    work_for(std::chrono::microseconds(400));
    return 1;
  }
  const auto [first, second] = weft::fork_join([=] { return bake(num_loaves / 2); },
                                               [=] { return bake(num_loaves - num_loaves / 2); });
  return first + second;
}

int cook_soup() {
  work_for(std::chrono::milliseconds(3));
  return 1;
}

/// Waits for the bread; meanwhile its worker does something else.
int serve(int num_guests) {
  auto bread = weft::async([=] { return bake(num_guests); });
  auto soup = weft::async([] { return cook_soup(); });
  return bread.get() + soup.get();
}

}  // namespace

int main(int argc, char** argv) {
  weft::init(argc, argv);
  constexpr int num_guests = 24;
  const int num_dishes = weft::async([] { return serve(num_guests); }).get();
  std::cout << num_dishes << " dishes\n";
  return num_dishes == num_guests + 1 ? 0 : 1;
}
