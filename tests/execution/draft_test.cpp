// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the C++26 working draft, [exec], says of single names.
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "weft/execution.hpp"
#include "weft/tasks/runtime.hpp"

#include "execution/probe.hpp"

namespace weft::execution {
namespace draft_test {

struct get_answer_t {
  template <class Env>
  constexpr auto operator()(const Env& environment) const noexcept
      -> decltype(environment.query(*this)) {
    return environment.query(*this);
  }
};

TEST(Dependence, a_let_is_dependent_if_what_it_goes_on_with_is) {
  const auto first =
      read_env(get_scheduler) | let_value([](auto there) { return schedule(there); });
  const auto second = just(1) | let_value([](int& /*x*/) { return read_env(get_scheduler); });
  const auto neither = just(1) | let_value([](int& x) { return just(x); });
  using knows_one = decltype(prop(get_scheduler, inline_scheduler()));

  EXPECT_TRUE(dependent_sender<decltype(first)>);
  EXPECT_TRUE(dependent_sender<decltype(second)>);
  EXPECT_FALSE(dependent_sender<decltype(neither)>);
  EXPECT_FALSE((sender_in<decltype(second), env<>>));
  EXPECT_TRUE((sender_in<decltype(second), knows_one>));
}

}  // namespace draft_test
}  // namespace weft::execution
