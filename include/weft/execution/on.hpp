// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Goes to a scheduler for a while and comes back.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/continues_on.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"
#include "weft/execution/starts_on.hpp"
#include "weft/execution/write_env.hpp"

namespace weft::execution {

struct on_t;
namespace detail {

template <class Env>
constexpr auto scheduler_to_return_to(const Env& env) noexcept {
  static_assert(answers<Env, get_start_scheduler_t>,
                "weft::execution::on: the environment has no scheduler to come back to "
                "(get_start_scheduler); use starts_on, or continues_on to say where to go on");
  return get_start_scheduler(env);
}

template <class Scheduler, class Child>
struct [[nodiscard]] on_sender : connects_as_it_is<on_sender<Scheduler, Child>> {
  using tag_type = on_t;
  using sender_concept = sender_tag;
  using child_type = Child;

  template <class Inner, class Env>
  static constexpr auto made(Scheduler there, Inner&& inner, const Env& env) {
    return continues_on(starts_on(std::move(there), static_cast<Inner&&>(inner)),
                        scheduler_to_return_to(env));
  }
  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    using made_type = decltype(made(
        std::declval<Scheduler>(), std::declval<child_of<Self>>(), std::declval<const Env&>()));
    return completion_signatures_of_t<made_type, Env>();
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    auto whole = made(self.scheduler, static_cast<Self&&>(self).child, execution::get_env(to));
    return execution::connect(std::move(whole), static_cast<Receiver&&>(to));
  }
  [[nodiscard]] auto get_env() const noexcept {
    return attributes_of(completes_where_started(), child);
  }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(self.scheduler, self.child);
  }

  [[no_unique_address]] Scheduler scheduler;
  [[no_unique_address]] Child child;
};

/// `on(sender, scheduler, closure)`.
template <class Scheduler, class Child, class Closure>
struct [[nodiscard]] on_closure_sender
    : connects_as_it_is<on_closure_sender<Scheduler, Child, Closure>> {
  using tag_type = on_t;
  using sender_concept = sender_tag;
  using child_type = Child;

  template <class Inner, class Adaptor, class Env>
  static constexpr auto made(Scheduler there, Inner&& inner, Adaptor&& adaptor, const Env& env) {
    auto back = [&] {
      if constexpr (knows_where<Inner, Env>) {
        return get_completion_scheduler<set_value_t>(execution::get_env(inner), env);
      } else {
        return scheduler_to_return_to(env);
      }
    }();
    auto moved = continues_on(write_env(static_cast<Inner&&>(inner),
                                        scheduled_env<decltype(back), execution::env<>>{back, {}}),
                              there);
    return continues_on(write_env(static_cast<Adaptor&&>(adaptor)(std::move(moved)),
                                  scheduled_env<Scheduler, execution::env<>>{there, {}}),
                        back);
  }
  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    using made_type = decltype(made(std::declval<Scheduler>(),
                                    std::declval<child_of<Self>>(),
                                    std::declval<member_of<Self, Closure>>(),
                                    std::declval<const Env&>()));
    return completion_signatures_of_t<made_type, Env>();
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    auto whole = made(self.scheduler,
                      static_cast<Self&&>(self).child,
                      static_cast<Self&&>(self).closure,
                      execution::get_env(to));
    return execution::connect(std::move(whole), static_cast<Receiver&&>(to));
  }
  [[nodiscard]] auto get_env() const noexcept { return forward_env(execution::get_env(child)); }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tuple<decltype(std::tie(self.scheduler, self.closure)), decltype((self.child))>(
        std::tie(self.scheduler, self.closure), self.child);
  }

  [[no_unique_address]] Scheduler scheduler;
  [[no_unique_address]] Child child;
  [[no_unique_address]] Closure closure;
};

}  // namespace detail

/// `on(scheduler, sender)` runs the sender there and completes where it was started;
/// `sender | on(scheduler, adaptor)` runs what the adaptor adds there and completes where `sender`
/// did.
/// Example: tests/execution/schedulers_test.cpp: on_comes_back.
struct on_t {
  template <scheduler Scheduler, sender Sender>
  constexpr auto operator()(Scheduler&& scheduler, Sender&& sender) const {
    return detail::on_sender<std::decay_t<Scheduler>, std::decay_t<Sender>>{
        {}, static_cast<Scheduler&&>(scheduler), static_cast<Sender&&>(sender)};
  }
  template <sender Sender, scheduler Scheduler, detail::closure Closure>
  constexpr auto operator()(Sender&& sender, Scheduler&& scheduler, Closure&& closure) const {
    return detail::on_closure_sender<std::decay_t<Scheduler>,
                                     std::decay_t<Sender>,
                                     std::decay_t<Closure>>{{},
                                                            static_cast<Scheduler&&>(scheduler),
                                                            static_cast<Sender&&>(sender),
                                                            static_cast<Closure&&>(closure)};
  }
  template <scheduler Scheduler, detail::closure Closure>
  constexpr auto operator()(Scheduler&& scheduler, Closure&& closure) const {
    return detail::bound_adaptor(
        on_t(), static_cast<Scheduler&&>(scheduler), static_cast<Closure&&>(closure));
  }
};
inline constexpr on_t on{};

}  // namespace weft::execution
