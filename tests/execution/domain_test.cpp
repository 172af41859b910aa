// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Domains that replace senders, the parts and tags of senders, and where senders complete.
#include "weft/execution/domain.hpp"

#include <concepts>
#include <exception>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "weft/execution.hpp"

#include "execution/probe.hpp"

namespace weft::execution {
namespace domain_test {

/// Puts a sender of 42 in the place of `then`.
struct own_domain {
  template <class Sender, class Env>
    requires std::same_as<tag_of_t<Sender>, then_t>
  static auto transform_sender(set_value_t /*when*/, Sender&& sender, const Env& /*env*/) {
    return let_value(std::forward<Sender>(sender).child, [](int&) { return just(42); });
  }
};
/// Consumes, and completes, in its own way.
struct consuming_domain {
  template <class Sender>
  static int apply_sender(sync_wait_t /*consumer*/, Sender&& /*sender*/) {
    return 7;
  }
};
template <class Domain>
struct scheduler_of_domain {
  using scheduler_concept = scheduler_tag;
  [[nodiscard]] static auto schedule() noexcept { return just(); }
  [[nodiscard]] static constexpr forward_progress_guarantee query(
      get_forward_progress_guarantee_t /*key*/) noexcept {
    return forward_progress_guarantee::weakly_parallel;
  }
  [[nodiscard]] static Domain query(get_completion_domain_t<set_value_t> /*key*/) noexcept {
    return {};
  }
  friend bool operator==(scheduler_of_domain, scheduler_of_domain) noexcept = default;
};

TEST(Domains, a_domain_replaces_senders) {
  const auto own = just(1) | continues_on(scheduler_of_domain<own_domain>()) |
                   then([](int) noexcept { return std::string("not called"); });
  const auto plain = just(1) | continues_on(inline_scheduler()) | then([](int x) { return x; });

  EXPECT_TRUE(
      (std::same_as<decltype(get_completion_domain<set_value_t>(get_env(own))), own_domain>));
  EXPECT_TRUE(
      (std::same_as<completion_signatures_of_t<decltype(own), env<>>,
                    completion_signatures<set_value_t(int), set_error_t(std::exception_ptr)>>));
  test::expect_value(own, 42);
  test::expect_value(own | upon_stopped([] { return 1; }), 42);
  test::expect_value(plain, 1);
  EXPECT_TRUE((std::same_as<decltype(get_completion_domain<>(inline_scheduler(), env<>())),
                            default_domain>));
  EXPECT_FALSE((std::invocable<get_completion_domain_t<>, env_of_t<decltype(just())>>));
  EXPECT_TRUE((std::same_as<decltype(get_domain(env<>())), default_domain>));
  EXPECT_TRUE((std::same_as<decltype(transform_sender(plain, env<>())), decltype((plain))>));
}

/// Stops what would send values, where it is started.
struct stopping_domain {
  template <class Sender, class Env>
    requires std::same_as<tag_of_t<Sender>, just_t>
  static auto transform_sender(start_t /*when*/, Sender&& /*sender*/, const Env& /*env*/) {
    return just_stopped();
  }
};

TEST(Domains, the_one_where_it_starts_replaces_senders) {
  const prop told(get_domain, stopping_domain());
  test::outcome result;
  auto operation =
      connect(just(1) | upon_error([](int x) { return x; }), test::probe(&result, told));
  start(operation);

  EXPECT_EQ(result.num_stops, 1);
  EXPECT_TRUE((std::same_as<decltype(get_domain(told)), stopping_domain>));
  const prop scheduled(get_scheduler, scheduler_of_domain<consuming_domain>());
  EXPECT_TRUE((std::same_as<decltype(get_domain(scheduled)), consuming_domain>));
  EXPECT_TRUE((
      std::same_as<decltype(get_domain(prop(get_scheduler, inline_scheduler()))), default_domain>));
}

TEST(Domains, a_consumer_is_the_domains_too) {
  EXPECT_EQ(sync_wait(schedule(scheduler_of_domain<consuming_domain>()) |
                      continues_on(scheduler_of_domain<consuming_domain>())),
            7);
  EXPECT_EQ(apply_sender(consuming_domain(), sync_wait, just()), 7);
}

TEST(Domains, tags_say_what_made_a_sender) {
  EXPECT_TRUE((std::same_as<tag_of_t<decltype(just(1))>, just_t>));
  EXPECT_TRUE((std::same_as<tag_of_t<decltype(just_stopped())>, just_stopped_t>));
  EXPECT_TRUE((std::same_as<tag_of_t<decltype(just() | let_error([](auto&) { return just(); }))>,
                            let_error_t>));
  EXPECT_TRUE((
      std::same_as<tag_of_t<decltype(just() | bulk_chunked(1, [](int, int) {}))>, bulk_chunked_t>));
  EXPECT_TRUE((std::same_as<tag_of_t<decltype(when_all(just()))>, when_all_t>));
  EXPECT_TRUE((std::same_as<tag_of_t<decltype(schedule(inline_scheduler()))>, schedule_t>));
  EXPECT_TRUE((std::same_as<tag_of_t<decltype(on(inline_scheduler(), just()))>, on_t>));
}

TEST(Domains, a_sender_is_taken_apart_by_a_structured_binding) {
  auto added = just(1, 'x') | then([](int x, char /*c*/) { return x + 1; });
  auto& [then_tag, function, child] = added;
  auto& [just_tag, values] = child;
  auto both = when_all(just(1), just(2), just(3));
  auto& [all_tag, nothing, first, second, third] = both;
  const auto indices = just() | bulk(test::in_sequence(), 5, [](int /*i*/) {});
  const auto& [bulk_tag, data, before] = indices;
  const auto& [policy, shape, each] = data;
  auto there = on(inline_scheduler(), just());
  auto& [on_tag, scheduler, inner] = there;
  auto back = just() | on(inline_scheduler(), then([] {}));
  auto& [back_tag, way, start] = back;
  auto& [target, closure] = way;

  EXPECT_TRUE((std::same_as<std::remove_cvref_t<decltype(then_tag)>, then_t>));
  EXPECT_EQ(function(1, 'x'), 2);
  EXPECT_EQ(values, std::tuple(1, 'x'));
  EXPECT_TRUE((std::same_as<decltype(child), decltype(just(1, 'x'))>));
  EXPECT_EQ(third.values, std::tuple(3));
  EXPECT_EQ(std::tuple_size_v<decltype(both)>, 5U);
  EXPECT_EQ(shape, 5);
  EXPECT_TRUE((std::same_as<std::remove_cvref_t<decltype(policy)>, test::in_sequence>));
  EXPECT_TRUE(scheduler == inline_scheduler());
  EXPECT_TRUE(target == inline_scheduler());
  // Names, not copies.
  values = {7, 'y'};
  test::expect_value(added, 8);
  EXPECT_TRUE((std::same_as<std::remove_cvref_t<decltype(just_tag)>, just_t>));
}

struct aggregate_tag {};
struct tagged_aggregate {
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t()>;
  aggregate_tag tag;
  int data;
};
struct empty_base {};
struct tagged_parent : empty_base {
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t()>;
  aggregate_tag tag;
  std::unique_ptr<int> data;
  tagged_aggregate child;
};
struct undivided {
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t()>;
  explicit undivided(int x) : data(x) {}
  int data;
};

template <class Sender>
concept has_tag = requires { typename tag_of_t<Sender>; };

TEST(Domains, the_tag_of_a_programs_own_sender_is_its_first_member) {
  EXPECT_TRUE((std::same_as<tag_of_t<tagged_aggregate>, aggregate_tag>));
  EXPECT_TRUE((std::same_as<tag_of_t<const tagged_aggregate&>, aggregate_tag>));
  EXPECT_TRUE((std::same_as<tag_of_t<tagged_parent>, aggregate_tag>));
  EXPECT_FALSE(has_tag<undivided>);
}

/// Puts `just(n)` in the place of `bulk_chunked`, and notes that the function is one of a piece.
struct chunks_domain {
  template <class Sender, class Env>
    requires std::same_as<tag_of_t<Sender>, bulk_chunked_t>
  static auto transform_sender(set_value_t /*when*/, Sender&& sender, const Env& /*env*/) {
    auto& [tag, data, child] = sender;
    auto& [policy, shape, f] = data;
    int total = 0;
    f(2, shape, total);
    return just(total);
  }
};

TEST(Domains, bulk_is_bulk_chunked_to_a_domain_that_replaces_that_one) {
  const auto add = [](int i, int& total) { total += i; };
  test::expect_value(just(0) | continues_on(scheduler_of_domain<chunks_domain>()) |
                         bulk(test::in_sequence(), 5, add),
                     2 + 3 + 4);
  using lowered =
      decltype(transform_sender(just(0) | continues_on(scheduler_of_domain<consuming_domain>()) |
                                    bulk(test::in_sequence(), 5, add),
                                env<>()));
  EXPECT_TRUE((std::same_as<tag_of_t<lowered>, bulk_chunked_t>));
  test::expect_value(just(0) | continues_on(scheduler_of_domain<consuming_domain>()) |
                         bulk(test::in_sequence(), 5, add),
                     10);
}

/// Says of itself what adaptors pass on, and what they do not.
TEST(Domains, senders_together_complete_in_the_domain_of_all) {
  using alike = decltype(when_all(continues_on(just(), scheduler_of_domain<own_domain>()),
                                  continues_on(just(), scheduler_of_domain<own_domain>())));
  using mixed = decltype(when_all(continues_on(just(), scheduler_of_domain<own_domain>()),
                                  continues_on(just(), scheduler_of_domain<chunks_domain>())));
  using unknown =
      decltype(when_all(just(), continues_on(just(), scheduler_of_domain<own_domain>())));

  EXPECT_TRUE(
      (std::same_as<decltype(get_completion_domain<set_value_t>(env_of_t<alike>())), own_domain>));
  EXPECT_TRUE((std::same_as<decltype(get_completion_domain<set_value_t>(env_of_t<mixed>())),
                            indeterminate_domain<own_domain, chunks_domain>>));
  EXPECT_FALSE((std::invocable<get_completion_domain_t<set_value_t>, env_of_t<unknown>>));
}

TEST(Domains, leaving_a_scheduler_has_a_tag_of_its_own) {
  auto moved = just(1) | continues_on(inline_scheduler());
  auto& [tag, scheduler, left] = moved;

  EXPECT_TRUE((std::same_as<tag_of_t<decltype(left)>, schedule_from_t>));
  EXPECT_TRUE((std::same_as<tag_of_t<decltype(schedule_from(just()))>, schedule_from_t>));
  EXPECT_TRUE(scheduler == inline_scheduler());
}

/// Its tasks complete on the scheduler of the environment.
struct passing_scheduler : scheduler_of_domain<default_domain> {
  using scheduler_of_domain::query;
  template <class Env>
    requires std::invocable<get_scheduler_t, const Env&>
  [[nodiscard]] static auto query(get_completion_scheduler_t<set_value_t> /*key*/,
                                  const Env& environment) noexcept {
    return get_scheduler(environment);
  }
  [[nodiscard]] static inline_scheduler query(get_completion_scheduler_t<set_value_t> /*key*/,
                                              const auto& /*environment*/) noexcept {
    return {};
  }
};

TEST(GetScheduler, asks_a_scheduler_that_passes_on) {
  const auto found = get_scheduler(prop(get_scheduler, passing_scheduler()));
  EXPECT_TRUE((std::same_as<decltype(found), const inline_scheduler>));
}

}  // namespace domain_test
}  // namespace weft::execution
