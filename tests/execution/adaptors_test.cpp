// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factories and adaptors: each one's values, errors and stops, and the completions that it tells
// of.
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/into_variant.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/let.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/read_env.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/stopped_as.hpp"
#include "weft/execution/then.hpp"
#include "weft/execution/write_env.hpp"

#include "execution/probe.hpp"

namespace weft::execution {
namespace adaptors_test {

using test::expect_error;
using test::expect_stopped;
using test::expect_value;
using test::fail_with;

template <class... Signatures>
using signatures = completion_signatures<Signatures...>;

/// The same signatures, in whatever order.
template <class... Have, class... Wanted>
constexpr bool same_signatures(signatures<Have...> /*have*/, signatures<Wanted...> wanted) {
  return sizeof...(Have) == sizeof...(Wanted) &&
         std::is_same_v<detail::joined_signatures<decltype(wanted), signatures<Have...>>,
                        decltype(wanted)>;
}
template <class... Wanted, class Sender>
constexpr bool completes_with(const Sender& /*sender*/) {
  return same_signatures(completion_signatures_of_t<Sender, env<>>(), signatures<Wanted...>());
}

TEST(Signatures, tell_what_a_sender_sends_and_fails_with) {
  const auto both = just(1, 'x') | let_value([](int&, char&) { return just_error(2); });
  using sends = decltype(just(1, 'x'));
  using fails = std::remove_const_t<decltype(both)>;

  EXPECT_TRUE((std::is_same_v<value_types_of_t<sends>, std::variant<std::tuple<int, char>>>));
  EXPECT_TRUE((std::is_same_v<value_types_of_t<sends, env<>, std::tuple, std::tuple>,
                              std::tuple<std::tuple<int, char>>>));
  EXPECT_FALSE(std::is_default_constructible_v<value_types_of_t<fails>>);
  EXPECT_TRUE((std::is_same_v<error_types_of_t<fails>, std::variant<int, std::exception_ptr>>));
  EXPECT_TRUE((std::is_same_v<error_types_of_t<sends, env<>, std::tuple>, std::tuple<>>));
  EXPECT_FALSE(sends_stopped<sends>);
  EXPECT_TRUE(sends_stopped<decltype(just_stopped())>);
}

TEST(Factories, just_sends_its_values) {
  expect_value(just(1, 2, 3), 6);
  expect_value(just(), 0);
  expect_error(just_error(7), "7");
  expect_stopped(just_stopped());
  EXPECT_TRUE(completes_with<set_value_t(int, char)>(just(1, 'x')));
  EXPECT_TRUE(completes_with<set_error_t(int)>(just_error(1)));
  EXPECT_TRUE(completes_with<set_stopped_t()>(just_stopped()));
}

TEST(Factories, just_is_connected_as_often_as_it_is_copied) {
  const auto twice = just(std::string("woven"));
  expect_value(twice | then([](const std::string& s) { return static_cast<int>(s.size()); }), 5);
  expect_value(twice | then([](const std::string& s) { return static_cast<int>(s.size()); }), 5);
  expect_value(just(std::make_unique<int>(4)) | then([](std::unique_ptr<int> p) { return *p; }), 4);
}

struct get_answer_t : forwarding_query_t {
  template <class Env>
    requires detail::answers<Env, get_answer_t>
  int operator()(const Env& env) const noexcept {
    return env.query(*this);
  }
};
struct get_secret_t {
  template <class Env>
    requires detail::answers<Env, get_secret_t>
  int operator()(const Env& env) const noexcept {
    return env.query(*this);
  }
};

TEST(Factories, read_env_sends_what_the_environment_answers) {
  test::outcome result;
  auto operation =
      connect(read_env(get_answer_t()), test::probe(&result, prop(get_answer_t(), 42)));
  operation.start();

  EXPECT_EQ(result.value, 42);
  EXPECT_TRUE(dependent_sender<decltype(read_env(get_answer_t()))>);
  EXPECT_FALSE((sender_in<decltype(read_env(get_answer_t())), env<>>));
}

TEST(Environments, only_forwarding_queries_pass_adaptors) {
  const auto both = env(prop(get_answer_t(), 42), prop(get_secret_t(), 1));
  using behind = detail::forwarding_env<std::remove_const_t<decltype(both)>>;
  EXPECT_TRUE((detail::answers<behind, get_answer_t>));
  EXPECT_FALSE((detail::answers<behind, get_secret_t>));
  EXPECT_EQ(get_secret_t()(both), 1);

  test::outcome result;
  auto operation =
      connect(read_env(get_answer_t()) | then([](int x) { return x; }), test::probe(&result, both));
  operation.start();
  EXPECT_EQ(result.value, 42);
}

TEST(Environments, the_first_that_answers_does) {
  const auto joined =
      env(prop(get_answer_t(), 1), prop(get_answer_t(), 2), prop(get_secret_t(), 3));
  EXPECT_EQ(get_answer_t()(joined), 1);
  EXPECT_EQ(get_secret_t()(joined), 3);
}

TEST(Then, sends_what_the_function_returns) {
  expect_value(just(20, 1) | then([](int a, int b) { return 2 * a + b; }), 41);
  expect_value(just(1) | then([](int) {}), 0);
  expect_error(just(1) | then([](int) { fail_with("torn"); }), "torn");
  expect_error(just_error(3) | then([] { return 1; }), "3");
  expect_stopped(just_stopped() | then([] { return 1; }));
}

TEST(Then, errors_are_added_only_for_functions_that_may_throw) {
  EXPECT_TRUE((completes_with<set_value_t(int), set_error_t(std::exception_ptr)>(
      just() | then([] { return 1; }))));
  EXPECT_TRUE((completes_with<set_value_t(int)>(just() | then([]() noexcept { return 1; }))));
  EXPECT_TRUE((completes_with<set_value_t()>(just_error(1) | upon_error([](int) noexcept {}))));
}

struct counter {
  int value = 3;
  [[nodiscard]] int twice() const { return 2 * value; }
};

TEST(Then, members_can_be_called) {
  expect_value(just(counter()) | then(&counter::value), 3);
  expect_value(just(counter()) | then(&counter::twice), 6);
}

TEST(Then, reference_results_stay_references) {
  int there = 5;
  auto sender = just() | then([&]() noexcept -> int& { return there; });
  EXPECT_TRUE(completes_with<set_value_t(int&)>(sender));
  expect_value(sender | then([&](int& x) { return &x == &there ? 1 : 0; }), 1);
}

TEST(Upon, errors_and_stops_become_values) {
  expect_value(just_error(5) | upon_error([](int e) { return e + 1; }), 6);
  expect_value(just_stopped() | upon_stopped([] { return 9; }), 9);
  expect_value(just(2) | upon_error([](int) { return 1; }), 2);
  expect_error(just_error(1) | upon_error([](int) { fail_with("again"); }), "again");
  expect_error(just_error(1) | upon_stopped([] { return 1; }), "1");
  expect_stopped(just_stopped() | upon_error([](int) { return 1; }));
}

TEST(Pipe, closures_are_put_together_and_used_again) {
  const auto twice = then([](int x) { return 2 * x; });
  const auto both = twice | then([](int x) { return x + 1; });
  expect_value(just(3) | both, 7);
  expect_value(just(4) | both, 9);
  expect_value(just(5) | twice | both, 21);
}

TEST(Let, values_live_as_long_as_the_second_sender) {
  expect_value(just(std::vector<int>{1, 2, 3}) | let_value([](std::vector<int>& v) {
                 return just() | then([&v] { return static_cast<int>(v.size()); });
               }),
               3);
}

TEST(Let, goes_on_with_what_completed) {
  expect_value(just(1) | let_value([](int& x) { return just(x + 1); }), 2);
  expect_value(just_error(1) | let_error([](int& e) { return just(e + 2); }), 3);
  expect_value(just_stopped() | let_stopped([] { return just(4); }), 4);
  expect_error(just(1) | let_value([](int&) { return just_error(8); }), "8");
  expect_stopped(just(1) | let_value([](int&) { return just_stopped(); }));
  expect_error(just_error(2) | let_value([] { return just(); }), "2");
  expect_stopped(just_stopped() | let_error([](int&) { return just(); }));
  expect_error(just(1) | let_value([](int&) {
                 fail_with("no second");
                 return just();
               }),
               "no second");
}

/// Copies of it may throw.
struct heavy {
  heavy() = default;
  heavy(const heavy& /*other*/) noexcept(false) {}
};

TEST(Let, errors_are_added_only_where_something_may_throw) {
  const auto quiet = [](auto&...) noexcept { return just() | then([]() noexcept {}); };
  EXPECT_TRUE((completes_with<set_value_t()>(just(1) | let_value(quiet))));
  EXPECT_TRUE((completes_with<set_value_t()>(just_error(1) | let_error(quiet))));
  EXPECT_TRUE((completes_with<set_value_t()>(just_stopped() | let_stopped(quiet))));
  EXPECT_TRUE((completes_with<set_error_t(int)>(just_error(1) | let_value(quiet))));
  EXPECT_TRUE((completes_with<set_value_t(), set_error_t(std::exception_ptr)>(
      just(1) | let_value([](int&) { return just(); }))));
  EXPECT_TRUE((completes_with<set_value_t(), set_error_t(std::exception_ptr)>(just(heavy()) |
                                                                              let_value(quiet))));
  // What the function returns is copied when it is connected.
  static const auto kept = just(heavy());
  EXPECT_TRUE((completes_with<set_value_t(heavy), set_error_t(std::exception_ptr)>(
      just() | let_value([]() noexcept -> const auto& { return kept; }))));
  EXPECT_TRUE((completes_with<set_error_t(int)>(just_stopped() | stopped_as_error(12))));
  expect_value(just(1) | let_value(quiet), 0);
}

TEST(Let, move_only_values_are_moved_in) {
  expect_value(just(std::make_unique<int>(6)) | let_value([](std::unique_ptr<int>& p) {
                 return just(std::move(p));
               }) | then([](std::unique_ptr<int> p) { return *p; }),
               6);
}

/// May complete with two kinds of values.
struct either {
  using sender_concept = sender_tag;
  using completion_signatures = signatures<set_value_t(int), set_value_t(std::string, int)>;
  template <class Receiver>
  struct operation {
    using operation_state_concept = operation_state_tag;
    void start() noexcept {
      if (is_int) {
        std::move(to).set_value(1);
      } else {
        std::move(to).set_value(std::string("two"), 2);
      }
    }
    Receiver to;
    bool is_int;
  };
  template <class Receiver>
  operation<Receiver> connect(Receiver to) const {
    return {std::move(to), is_int};
  }
  bool is_int;
};

TEST(IntoVariant, into_variant_sends_one_kind_of_value) {
  using sent = std::variant<std::tuple<int>, std::tuple<std::string, int>>;
  const auto index = [](const sent& v) { return static_cast<int>(v.index()); };
  expect_value(either{true} | into_variant() | then(index), 0);
  expect_value(either{false} | into_variant() | then(index), 1);
  EXPECT_TRUE((completes_with<set_value_t(sent)>(either{true} | into_variant())));
}

TEST(StoppedAs, stopped_as_optional_sends_nothing_after_a_stop) {
  const auto has = [](const std::optional<int>& o) { return o ? *o : -1; };
  expect_value(just(3) | stopped_as_optional() | then(has), 3);
  // Values and stops.
  auto maybe = just(true) | let_value([](bool& b) {
                 return just(b) | let_value([](bool&) { return just_stopped(); });
               });
  expect_stopped(maybe);
  expect_value(
      just_stopped() | let_stopped([] { return just(1); }) | stopped_as_optional() | then(has), 1);
}

TEST(StoppedAs, stopped_as_error_sends_the_error) {
  expect_error(just_stopped() | stopped_as_error(12), "12");
  expect_value(just(1) | stopped_as_error(12), 1);
}

TEST(WriteEnv, write_env_answers_first) {
  test::outcome result;
  auto operation = connect(read_env(get_answer_t()) | write_env(prop(get_answer_t(), 2)),
                           test::probe(&result, prop(get_answer_t(), 1)));
  operation.start();
  EXPECT_EQ(result.value, 2);
}

struct get_name_t : forwarding_query_t {
  template <class Env>
    requires detail::answers<Env, get_name_t>
  const std::string& operator()(const Env& env) const noexcept {
    return env.query(*this);
  }
};

TEST(WriteEnv, what_read_env_sends_lives_until_it_was_received) {
  const std::string name(40, 'w');  // too long to lie within the string itself
  expect_value(read_env(get_name_t()) | then([&name](const std::string& sent) {
                 return sent == name ? 1 : 0;
               }) | write_env(prop(get_name_t(), name)),
               1);
}

TEST(WriteEnv, unstoppable_hides_the_token) {
  inplace_stop_source source;
  source.request_stop();
  test::outcome result;
  auto operation = connect(read_env(get_stop_token) | then([](auto token) {
                             return token.stop_requested();
                           }) | unstoppable(),
                           test::probe(&result, prop(get_stop_token, source.get_token())));
  operation.start();
  EXPECT_EQ(result.value, 0);
  EXPECT_EQ(result.num_values, 1);
}

}  // namespace adaptors_test
}  // namespace weft::execution
