// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about readable names, with names as GCC and Clang write them.
#include "counters/trace/task_names.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <unistd.h>

namespace task_names_test {

using weft::counters::detail::task_name;
using weft::counters::detail::task_name_of_symbol;

struct naming {
  std::string_view function;
  std::string_view name;
};

class TaskName : public testing::TestWithParam<naming> {};

TEST_P(TaskName, is_what_the_author_would_recognise) {
  EXPECT_EQ(task_name(GetParam().function), GetParam().name);
}

const naming namings[] = {
    {"bake_bread()", "bake_bread"},
    {"(anonymous namespace)::bake_bread()", "bake_bread"},
    {"kitchen::oven::bake(int, std::vector<int, std::allocator<int> > const&)", "oven::bake"},
    {"void kitchen::run<kitchen::oven>(int)", "kitchen::run"},
    {"main::{lambda()#1}::operator()() const", "main lambda#1"},
    {"weft::tasks::detail::forked<fib(int)::{lambda()#2} const>::run_stolen(weft::tasks::detail::"
     "task&)",
     "fib lambda#2"},
    {"weft::tasks::detail::forked<fib(int)::$_1>::run_stolen(weft::tasks::detail::task&)",
     "fib lambda#2"},
    {"weft::tasks::detail::forked<fib(int)::'lambda'()>::run_stolen(weft::tasks::detail::task&)",
     "fib lambda#1"},
    {"weft::tasks::detail::forked<fib(int)::'lambda0'()>::run_stolen(weft::tasks::detail::task&)",
     "fib lambda#2"},
    {"weft::tasks::detail::forked<lab::bodies::fib<lab::(anonymous namespace)::weft_runtime>"
     "(unsigned long)::{lambda()#2} const>::run_stolen(weft::tasks::detail::task&)",
     "bodies::fib lambda#2"},
    {"weft::tasks::detail::task_block<unsigned long, weft::tasks::detail::bound_call<main::{lambda("
     ")#1}> >::run(weft::tasks::detail::task&)",
     "main lambda#1"},
    {"weft::tasks::detail::task_block<int, weft::tasks::detail::deferred_continuation<int, "
     "weft::future<int>, kitchen::taste> >::run(weft::tasks::detail::task&)",
     "kitchen::taste"},
    {"weft::tasks::detail::forked<weft::tasks::detail::fork_all<kitchen::cook()::{lambda()#1}, "
     "kitchen::cook()::{lambda()#2}>(kitchen::cook()::{lambda()#1}&)::{lambda()#1}>::run_stolen("
     "weft::tasks::detail::task&)",
     "kitchen::cook lambda#1"},
    {"weft::tasks::detail::task_block<int, weft::tasks::detail::bound_call<int (*)()> >::run("
     "weft::tasks::detail::task&)",
     "int (*)()"},
    {"weft::task_group::member_of<main::{lambda()#4}::operator()() const::{lambda()#1}>::member_of<"
     "main::{lambda()#4}::operator()() const::{lambda()#1}>(weft::task_group&, main::{lambda()#4}::"
     "operator()() const::{lambda()#1}&&)::{lambda(weft::task_group::member&)#1}::_FUN("
     "weft::task_group::member&)",
     "main lambda#4"},
    {"weft::tasks::detail::waiter::as_waiter(weft::tasks::detail::task&)", "waiter::as_waiter"},
};

INSTANTIATE_TEST_SUITE_P(Compilers, TaskName, testing::ValuesIn(namings));

TEST(TaskNameOfSymbol, is_demangled_first) {
  EXPECT_EQ(task_name_of_symbol("_ZN7kitchen4oven4bakeEi"), "oven::bake");
}

// Each template has the one before it as both arguments, so that its text is twice as long.
TEST(TaskNameOfSymbol, long_ones_of_another_user_cannot_fill_the_memory) {
  const std::string start = "_Z1f1AIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_E";
  const std::string longest =
      start + "S_IS5_S5_ES_IS6_S6_ES_IS7_S7_ES_IS8_S8_ES_IS9_S9_ES_ISA_SA_E" + "S_ISB_SB_E";
  const std::uint64_t other = geteuid() + 1;

  EXPECT_EQ(task_name_of_symbol(longest, other), longest);
  EXPECT_EQ(task_name_of_symbol("_ZN7kitchen4oven4bakeEi", other), "oven::bake");
  EXPECT_EQ(task_name_of_symbol(start, geteuid()), "f");
  EXPECT_EQ(task_name_of_symbol(longest, geteuid()), "f");
}

TEST(TaskNameOfSymbol, is_left_alone_if_it_is_not_mangled) {
  EXPECT_EQ(task_name_of_symbol("bake_in_c"), "bake_in_c");
}

TEST(TaskNameOfSymbol, survives_any_text) {
  const naming odd[] = {{"", ""},
                        {"<", "<"},
                        {">>", ">>"},
                        {"weft::tasks::detail::", ""},
                        {"weft::tasks::detail::x<", "x"},
                        {"weft::tasks::detail::x<>", ""},
                        {"{lambda(", "lambda#1"},
                        {"a::$_", "a lambda#1"},
                        {"operator()", "operator()"}};
  for (const auto& [text, name] : odd) {
    EXPECT_EQ(task_name(text), name) << text;
  }
}

}  // namespace task_names_test
