// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comes back to where it was started.
#pragma once

#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/continues_on.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"
#include "weft/execution/write_env.hpp"

namespace weft::execution {

struct affine_t;
namespace detail {

/// A scheduler that ignores stop requests: a result that is passed through it must arrive.
template <class Scheduler>
struct unstoppable_scheduler {
  using scheduler_concept = scheduler_tag;
  [[nodiscard]] constexpr auto schedule() const {
    return unstoppable(execution::schedule(scheduler));
  }
  [[nodiscard]] constexpr forward_progress_guarantee query(
      get_forward_progress_guarantee_t key) const noexcept {
    return key(scheduler);
  }
  friend bool operator==(const unstoppable_scheduler&,
                         const unstoppable_scheduler&) noexcept = default;
  [[no_unique_address]] Scheduler scheduler;
};

template <class Attributes>
inline constexpr bool is_completed_in_place = std::is_same_v<Attributes, completes_where_started>;
template <class Base>
inline constexpr bool is_completed_in_place<own_attributes<completes_where_started, Base>> = true;

template <class Sender>
concept completes_in_place = is_completed_in_place<std::remove_cvref_t<env_of_t<Sender>>>;

template <class Env>
struct start_scheduler_of {
  static constexpr bool is_known = std::is_invocable_v<get_start_scheduler_t, const Env&>;
  static_assert(
      is_known,
      "weft::execution::affine, execution::task<T, Env>: the environment does not say where "
      "the operation is started (get_start_scheduler)");
  using type = std::remove_cvref_t<std::invoke_result_t<get_start_scheduler_t, const Env&>>;
};

template <class Child>
struct [[nodiscard]] affine_sender : connects_as_it_is<affine_sender<Child>> {
  using tag_type = affine_t;
  using sender_concept = sender_tag;
  using child_type = Child;
  template <class Env>
  using brought_back = continues_on_sender<
      unstoppable_scheduler<typename start_scheduler_of<std::remove_cvref_t<Env>>::type>,
      Child>;

  template <class Self, class Env>
  static consteval auto get_completion_signatures() {
    if constexpr (completes_in_place<Child>) {
      return completion_signatures_of_t<child_of<Self>, Env>();
    } else {
      return completion_signatures_of_t<brought_back<Env>, Env>();
    }
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    if constexpr (completes_in_place<Child>) {
      return execution::connect(static_cast<Self&&>(self).child, static_cast<Receiver&&>(to));
    } else {
      using whole = brought_back<env_of_t<Receiver>>;
      auto start = get_start_scheduler(execution::get_env(to));
      return execution::connect(whole{{}, {std::move(start)}, static_cast<Self&&>(self).child},
                                static_cast<Receiver&&>(to));
    }
  }
  [[nodiscard]] constexpr auto get_env() const noexcept {
    return attributes_of(completes_where_started(), child);
  }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(no_data, self.child);
  }

  [[no_unique_address]] Child child;
};

}  // namespace detail

/// `sender | affine()` completes on the scheduler on which it was started, which the environment
/// names (`get_start_scheduler`). A stop request does not keep it from coming back.
///
/// Cost:    nothing for what is known to complete where it starts (`just`, `read_env`, and `then`
///          behind them); else as `continues_on`. A sender with a member `affine()` is replaced by
///          what that returns.
/// Source:  C++26 working draft, [exec.affine]
/// Example: tests/execution/task_test.cpp: affine_comes_back.
struct affine_t {
  template <sender Sender>
  constexpr auto operator()(Sender&& sender) const {
    if constexpr (requires { static_cast<Sender&&>(sender).affine(); }) {
      return static_cast<Sender&&>(sender).affine();
    } else {
      return detail::affine_sender<std::decay_t<Sender>>{{}, static_cast<Sender&&>(sender)};
    }
  }
  constexpr auto operator()() const { return detail::bound_adaptor(affine_t()); }
};
inline constexpr affine_t affine{};

}  // namespace weft::execution
