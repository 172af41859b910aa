// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inline runtime, with a count of the tasks that were made.
#pragma once

#include <cstdint>
#include <utility>

#include "tests/inncabs/inline_runtime.hpp"

namespace weft::lab::inncabs::testing {

struct counting_runtime : inline_runtime {
  /// Of one thread, as all its tasks are.
  static inline std::uint64_t tasks = 0;

  template <class Call>
  static auto async(launch how, Call call) {
    ++tasks;
    return inline_runtime::async(how, std::move(call));
  }

  class group : public inline_runtime::group {
   public:
    void run(auto call) {
      ++tasks;
      inline_runtime::group::run(std::move(call));
    }
  };
};

static_assert(futures_runtime<counting_runtime>);
static_assert(groups_runtime<counting_runtime>);

}  // namespace weft::lab::inncabs::testing
