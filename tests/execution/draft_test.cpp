// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the C++26 working draft, [exec], says of single names.
#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
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

TEST(Dependence, senders_together_are_dependent_if_one_is) {
  EXPECT_FALSE(dependent_sender<decltype(when_all(just(1), just()))>);
  EXPECT_FALSE(dependent_sender<decltype(when_all(std::vector{just(1)}))>);
  EXPECT_FALSE(dependent_sender<decltype(when_all_with_variant(just(1)))>);
  EXPECT_FALSE(dependent_sender<decltype(when_any(just(1), just_stopped()))>);
  EXPECT_TRUE(dependent_sender<decltype(when_all(just(1), read_env(get_scheduler)))>);
  EXPECT_TRUE(dependent_sender<decltype(when_any(just(1), read_env(get_scheduler)))>);
  using joined = completion_signatures_of_t<decltype(when_all(just(1), just('x')))>;
  EXPECT_TRUE((std::same_as<joined, completion_signatures<set_value_t(int, char)>>));
}

struct not_said_to_be_a_sender {
  using completion_signatures = execution::completion_signatures<set_value_t()>;
};
struct withdrawn {
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t()>;
};

}  // namespace draft_test

template <>
inline constexpr bool enable_sender<draft_test::not_said_to_be_a_sender> = true;
template <>
inline constexpr bool enable_sender<draft_test::withdrawn> = false;

namespace draft_test {

TEST(Concepts, programs_say_what_is_a_sender) {
  EXPECT_TRUE(sender<not_said_to_be_a_sender> && sender<const not_said_to_be_a_sender&>);
  EXPECT_FALSE(sender<withdrawn>);
  EXPECT_TRUE((sender_in<not_said_to_be_a_sender, env<>>));
  EXPECT_FALSE((sender_in<not_said_to_be_a_sender, env<>, env<>>));
}

struct child_operation;
struct made_from_its_child {
  using receiver_concept = receiver_tag;
  static made_from_its_child make_receiver_for(child_operation* /*child*/) noexcept { return {}; }
};

TEST(Concepts, a_receiver_may_be_made_of_its_child) {
  EXPECT_TRUE((inlinable_receiver<made_from_its_child, child_operation>));
  EXPECT_FALSE((inlinable_receiver<made_from_its_child, int>));
  EXPECT_FALSE((inlinable_receiver<test::probe<>, child_operation>));
}

TEST(CountingScope, join_completes_where_it_was_started) {
  counting_scope scope;
  run_loop loop;
  auto inside = scope.get_token().try_associate();
  test::outcome result;
  auto joining =
      connect(scope.join(), test::probe(&result, prop(get_start_scheduler, loop.get_scheduler())));

  start(joining);
  inside = {};
  EXPECT_EQ(result.num_completions(), 0);
  loop.finish();
  loop.run();

  EXPECT_EQ(result.num_values, 1);
}

TEST(Environments, props_and_envs_are_copied_and_never_assigned) {
  using one = decltype(prop(get_answer_t(), 1));
  using both = decltype(env(one(), prop(get_scheduler, inline_scheduler())));
  using movable = decltype(prop(get_answer_t(), std::unique_ptr<int>()));

  EXPECT_TRUE(std::copy_constructible<one> && std::copy_constructible<both>);
  EXPECT_TRUE(std::move_constructible<movable>);
  EXPECT_FALSE((std::is_assignable_v<one&, one> || std::is_assignable_v<one&, const one&>));
  EXPECT_FALSE((std::is_assignable_v<both&, both> || std::is_assignable_v<env<>&, env<>>));
  EXPECT_EQ(sizeof(one), sizeof(int));
}

TEST(Environments, a_prop_answers_whatever_the_arguments) {
  const prop answer(get_answer_t(), 42);

  EXPECT_EQ(answer.query(get_answer_t(), 'x', env<>()), 42);
  EXPECT_EQ(env(env<>(), answer).query(get_answer_t(), 'x'), 42);
}

struct asked_as_rvalue {
  constexpr bool query(forwarding_query_t /*key*/) && noexcept { return true; }
  constexpr bool query(forwarding_query_t /*key*/) & noexcept { return false; }
};

TEST(ForwardingQuery, asks_the_query_as_it_is_given) {
  asked_as_rvalue named;

  EXPECT_TRUE(forwarding_query(asked_as_rvalue()));
  EXPECT_FALSE(forwarding_query(named));
  EXPECT_TRUE(forwarding_query(get_await_completion_adaptor));
}

struct const_operation {
  using operation_state_concept = operation_state_tag;
  void start() const noexcept {}
};

template <class Operation>
concept can_be_started =
    requires(Operation&& operation) { start(std::forward<Operation>(operation)); };

TEST(Start, takes_no_rvalues) {
  EXPECT_TRUE(can_be_started<const_operation&> && can_be_started<const const_operation&>);
  EXPECT_FALSE(can_be_started<const_operation> || can_be_started<const const_operation>);
}

TEST(ScheduleFrom, of_a_sender_sends_what_that_sends) {
  test::expect_value(schedule_from(just(3)), 3);
  test::expect_stopped(schedule_from(just_stopped()));
}

/// A scheduler too large to be kept in place.
struct large_scheduler : inline_scheduler {
  friend bool operator==(const large_scheduler& a, const large_scheduler& b) noexcept {
    return a.number == b.number;
  }
  long number = 0;
  long padding[4] = {};  // NOLINT(*-avoid-c-arrays): size is all it is for
};

/// Counts what is allocated with it.
template <class T>
struct counting_allocator {
  using value_type = T;
  explicit counting_allocator(int* allocations) noexcept : num_allocations(allocations) {}
  template <class Other>
  // NOLINTNEXTLINE(google-explicit-constructor): as allocators are converted
  counting_allocator(const counting_allocator<Other>& other) noexcept
      : num_allocations(other.num_allocations) {}
  T* allocate(std::size_t n) {
    ++*num_allocations;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* memory, std::size_t n) noexcept { std::allocator<T>().deallocate(memory, n); }
  template <class Other>
  bool operator==(const counting_allocator<Other>& other) const noexcept {
    return num_allocations == other.num_allocations;
  }
  int* num_allocations;
};

TEST(TaskScheduler, compares_with_what_it_keeps) {
  runtime one;
  const task_scheduler workers(one.get_scheduler());
  const task_scheduler here(inline_scheduler{});
  const task_scheduler large(large_scheduler{{}, 7});

  EXPECT_TRUE(workers == one.get_scheduler() && one.get_scheduler() == workers);
  EXPECT_TRUE(here == inline_scheduler() && here != one.get_scheduler() && here != workers);
  EXPECT_TRUE((large == large_scheduler{{}, 7} && large != large_scheduler{{}, 8}));
}

TEST(TaskScheduler, takes_its_memory_from_the_allocator) {
  int num_allocations = 0;
  const counting_allocator<std::byte> memory(&num_allocations);

  const task_scheduler large(large_scheduler{}, memory);
  EXPECT_EQ(num_allocations, 1);
  const task_scheduler small(inline_scheduler(), memory);
  EXPECT_EQ(num_allocations, 1);
}

/// Tells whether it was made with an allocator.
struct knows_its_allocator {
  using allocator_type = counting_allocator<std::byte>;
  knows_its_allocator() = default;
  knows_its_allocator(const knows_its_allocator&) = default;
  knows_its_allocator(const knows_its_allocator& /*other*/, const allocator_type& memory) noexcept
      : num_allocations(memory.num_allocations) {}
  template <class... Args>
  int operator()(const Args&... /*args*/) const noexcept {
    return num_allocations != nullptr ? 1 : 0;
  }
  int* num_allocations = nullptr;
};

TEST(Allocators, what_an_operation_keeps_is_made_with_the_receivers) {
  int num_allocations = 0;
  const prop memory(get_allocator, counting_allocator<std::byte>(&num_allocations));
  const auto value_of = [](const auto& work, const auto& environment) {
    test::outcome result;
    auto operation = connect(work, test::probe(&result, environment));
    start(operation);
    return result.value;
  };
  const auto call = [](const knows_its_allocator& sent) { return sent(); };
  const knows_its_allocator knows;

  EXPECT_EQ(value_of(just() | then(knows), memory), 1);
  EXPECT_EQ(value_of(just() | then(knows), env<>()), 0);
  EXPECT_EQ(value_of(just(knows) | then(call), memory), 1);
  EXPECT_EQ(value_of(just_error(0) | upon_error(knows), memory), 1);
  const auto go_on = [](const knows_its_allocator& sent) { return just(sent()); };
  EXPECT_EQ(value_of(just(knows) | let_value(go_on), memory), 1);
  EXPECT_EQ(value_of(just(knows) | let_value(go_on), env<>()), 0);
}

/// Its coroutines get twice what it sends.
struct sends_two {
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t(int)>;
  template <class Receiver>
  auto connect(Receiver to) const {
    return execution::connect(just(2), std::move(to));
  }
  [[nodiscard]] static auto get_env() noexcept {
    return prop(get_await_completion_adaptor, [](const sends_two& adapted) {
      return then(adapted, [](int x) { return 2 * x; });
    });
  }
};

/// Runs at once, and keeps what it awaited.
struct awaits_two {
  struct promise_type : with_awaitable_senders<promise_type> {
    awaits_two get_return_object() noexcept { return {}; }
    static std::suspend_never initial_suspend() noexcept { return {}; }
    static std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
  };
};
awaits_two await_into(int* value) { *value = co_await sends_two(); }

TEST(AwaitCompletionAdaptor, adapts_what_is_awaited) {
  int value = 0;

  await_into(&value);

  EXPECT_EQ(value, 4);
  test::expect_value(sends_two(), 2);
}

/// A sender that knows better how to come back.
struct comes_back_itself {
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t(int)>;
  template <class Receiver>
  auto connect(Receiver to) const {
    return execution::connect(just(1), std::move(to));
  }
  [[nodiscard]] static auto affine() noexcept { return just(2); }
};

TEST(Affine, asks_the_sender_for_its_own_way) {
  test::expect_value(affine(comes_back_itself()), 2);
}

struct get_private_t {};
struct get_public_t : forwarding_query_t {};
struct says_two_things {
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t()>;
  struct attributes {
    [[nodiscard]] int query(get_private_t /*key*/) const noexcept { return 1; }
    [[nodiscard]] int query(get_public_t /*key*/) const noexcept { return 2; }
  };
  [[nodiscard]] static attributes get_env() noexcept { return {}; }
  template <class Receiver>
  auto connect(Receiver to) const {
    return execution::connect(just(), std::move(to));
  }
};
template <class Sender>
bool passes_on_what_may_be(const Sender& sender) {
  const auto attributes = get_env(sender);
  return attributes.query(get_public_t()) == 2 &&
         !detail::answers<decltype(attributes), get_private_t>;
}

TEST(Attributes, of_one_child_are_passed_on) {
  const says_two_things one;
  const auto nothing = [] {};
  EXPECT_TRUE(passes_on_what_may_be(one | then(nothing)));
  EXPECT_TRUE(passes_on_what_may_be(one | let_value([] { return just(); })));
  EXPECT_TRUE(passes_on_what_may_be(one | continues_on(inline_scheduler())));
  EXPECT_TRUE(passes_on_what_may_be(one | affine()));
  EXPECT_TRUE(passes_on_what_may_be(one | bulk(test::in_sequence(), 1, [](int) {})));
  EXPECT_TRUE(passes_on_what_may_be(schedule_from(one)));
  EXPECT_TRUE(passes_on_what_may_be(on(inline_scheduler(), one)));
  const auto started = starts_on(inline_scheduler(), one);
  EXPECT_TRUE(passes_on_what_may_be(started));
}

TEST(Associate, copies_what_its_sender_allows) {
  counting_scope scope;
  {
    auto movable = just(std::make_unique<int>(1)) | associate(scope.get_token());
    auto copyable = just(1) | associate(scope.get_token());
    EXPECT_FALSE(std::copy_constructible<decltype(movable)>);
    EXPECT_TRUE(std::move_constructible<decltype(movable)>);
    EXPECT_TRUE(std::copy_constructible<decltype(copyable)>);
    EXPECT_EQ(sync_wait(copyable), std::tuple(1));
    EXPECT_TRUE(sync_wait(std::move(movable)).has_value());
  }
  sync_wait(scope.join());
}

/// A scheduler whose `schedule` is not const.
struct changing_scheduler {
  using scheduler_concept = scheduler_tag;
  [[nodiscard]] auto schedule() noexcept { return just(); }
  [[nodiscard]] static constexpr forward_progress_guarantee query(
      get_forward_progress_guarantee_t /*key*/) noexcept {
    return forward_progress_guarantee::weakly_parallel;
  }
  friend bool operator==(changing_scheduler, changing_scheduler) noexcept = default;
};

TEST(Schedulers, need_no_const_schedule) {
  const auto there = just(1) | continues_on(changing_scheduler());
  EXPECT_EQ(sync_wait(there), std::tuple(1));
  EXPECT_EQ(sync_wait(starts_on(changing_scheduler(), just(2))), std::tuple(2));
  EXPECT_EQ(sync_wait(on(changing_scheduler(), just(3))), std::tuple(3));
  const task_scheduler any{changing_scheduler()};
  EXPECT_EQ(sync_wait(starts_on(any, just(4))), std::tuple(4));
}

struct schedules_no_sender {
  [[nodiscard]] static int schedule() noexcept { return 1; }
};
struct own_tag {};
struct answers_no_scheduler {
  [[nodiscard]] int query(get_delegation_scheduler_t /*key*/) const noexcept { return 1; }
  [[nodiscard]] int query(get_completion_scheduler_t<set_value_t> /*key*/) const noexcept {
    return 1;
  }
  [[nodiscard]] inline_scheduler query(get_completion_scheduler_t<own_tag> /*key*/) const noexcept {
    return {};
  }
};
struct not_to_derive_from final {
  using receiver_concept = receiver_tag;
};

TEST(Constraints, wrong_arguments_are_refused) {
  EXPECT_FALSE((std::invocable<schedule_t, schedules_no_sender>));
  EXPECT_FALSE((std::invocable<get_delegation_scheduler_t, answers_no_scheduler>));
  EXPECT_FALSE((std::invocable<get_completion_scheduler_t<set_value_t>, answers_no_scheduler>));
  EXPECT_FALSE((std::invocable<get_completion_scheduler_t<own_tag>, answers_no_scheduler>));
  EXPECT_FALSE((std::invocable<apply_sender_t, default_domain, own_tag, decltype(just())>));
  EXPECT_FALSE(receiver<not_to_derive_from>);
}

TEST(Noexcept, what_cannot_fail_lists_no_error) {
  const auto calls = just(1) | bulk(test::in_sequence(), 2, [](int, int&) noexcept {});
  const auto pieces =
      just(1) | bulk_chunked(test::in_sequence(), 2, [](int, int, int&) noexcept {});
  using one_value = completion_signatures<set_value_t(int)>;
  using variant = completion_signatures<set_value_t(std::variant<std::tuple<int>>)>;

  EXPECT_TRUE((std::same_as<completion_signatures_of_t<decltype(calls)>, one_value>));
  EXPECT_TRUE((std::same_as<completion_signatures_of_t<decltype(pieces)>, one_value>));
  EXPECT_TRUE((std::same_as<completion_signatures_of_t<decltype(into_variant(just(1)))>, variant>));
  EXPECT_TRUE(noexcept(just(1) | then([](int) noexcept {})));
  EXPECT_FALSE(noexcept(just(std::declval<const std::string&>())));
  EXPECT_EQ(sync_wait(calls), std::tuple(1));
}

template <class Env>
concept knows_start = std::invocable<get_start_scheduler_t, const Env&>;

TEST(StartScheduler, is_not_the_scheduler) {
  EXPECT_FALSE((knows_start<prop<get_scheduler_t, inline_scheduler>>));
  EXPECT_TRUE((knows_start<prop<get_start_scheduler_t, inline_scheduler>>));
  const auto sent = sync_wait(read_env(get_start_scheduler));
  EXPECT_TRUE(sent.has_value());
}

struct knows_later {
  using sender_concept = sender_tag;
  template <class Self>
  static consteval auto get_completion_signatures() {
    throw dependent_sender_error();
  }
  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    return completion_signatures<set_value_t()>();
  }
};

TEST(Dependence, a_sender_may_say_that_it_knows_only_in_an_environment) {
  EXPECT_TRUE(dependent_sender<knows_later>);
  EXPECT_TRUE((sender_in<knows_later, env<>>));
  EXPECT_NE(std::string(dependent_sender_error().what()).find("environment"), std::string::npos);
}

}  // namespace draft_test
}  // namespace weft::execution
