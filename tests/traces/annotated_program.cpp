// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tasks with names: by a scope, by an executor, around a wait.
#include <exception>
#include <iostream>
#include <numeric>
#include <vector>

#include "weft/algorithms/for_each.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/execution/annotating_executor.hpp"
#include "weft/execution/async.hpp"
#include "weft/execution/parallel_executor.hpp"
#include "weft/tasks/annotation.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/event.hpp"
#include "weft/tasks/runtime.hpp"

namespace {

void wait_under_a_name() {
  weft::event may_go_on;
  auto waits = weft::async([&] {
    const weft::scoped_annotation named("around a wait");
    may_go_on.wait();
  });
  auto ends_the_wait = weft::async([&] { may_go_on.set(); });
  waits.get();
  ends_the_wait.get();
}

int run(int argc, char** argv) {
  weft::init(argc, argv);
  const weft::execution::annotating_executor where(weft::execution::parallel_executor(),
                                                   "by \"executor\"");
  weft::async([&] {
    const weft::scoped_annotation outer("outer");
    const weft::scoped_annotation inner("inner");
  }).get();
  weft::async(where, [] {}).get();
  std::vector<int> values(100'000, 0);
  weft::async([&] {
    weft::for_each(weft::par.on(where).with(weft::static_chunk_size{1000}),
                   values.begin(),
                   values.end(),
                   [](int& each) { ++each; });
  }).get();
  weft::async(wait_under_a_name).get();
  return std::accumulate(values.begin(), values.end(), 0) == 100'000 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& failure) {
    std::cerr << failure.what() << '\n';
    return 1;
  }
}
