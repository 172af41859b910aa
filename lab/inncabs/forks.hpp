// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to run two or four calls and wait for them: the only difference between the forking bodies.
#pragma once

#include <utility>

#include "lab/inncabs/runtime_concepts.hpp"
#include "lab/inncabs/waited_future.hpp"

namespace weft::lab::inncabs {

/// Each call is a task; tasks are awaited in order.
template <futures_runtime Runtime>
class fork_by_futures {
 public:
  explicit fork_by_futures(typename Runtime::launch how) : how_(how) {}

  void operator()(auto first, auto second) const {
    task one(Runtime::async(how_, std::move(first)));
    task two(Runtime::async(how_, std::move(second)));
    one.get();
    two.get();
  }

  void operator()(auto first, auto second, auto third, auto fourth) const {
    task one(Runtime::async(how_, std::move(first)));
    task two(Runtime::async(how_, std::move(second)));
    task three(Runtime::async(how_, std::move(third)));
    task four(Runtime::async(how_, std::move(fourth)));
    one.get();
    two.get();
    three.get();
    four.get();
  }

 private:
  using task = waited_future<typename Runtime::template future<void>>;

  typename Runtime::launch how_;
};

/// Calls may run in the calling task; four calls are two pairs.
template <groups_runtime Runtime>
class fork_by_groups {
 public:
  void operator()(auto first, auto second) const {
    Runtime::fork2(std::move(first), std::move(second));
  }

  void operator()(auto first, auto second, auto third, auto fourth) const {
    Runtime::fork2([&] { Runtime::fork2(std::move(first), std::move(second)); },
                   [&] { Runtime::fork2(std::move(third), std::move(fourth)); });
  }
};

}  // namespace weft::lab::inncabs
