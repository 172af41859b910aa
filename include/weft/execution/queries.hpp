// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Environments: the attributes of senders, and of the receivers that wait for them.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/stop_token.hpp"

namespace weft::execution {

/// A type that answers queries.
template <class T>
concept queryable = std::destructible<T>;

/// True for queries that adaptors pass on: those with a member `query(forwarding_query_t)` that
/// says so, and those derived from `forwarding_query_t`.
struct forwarding_query_t {
  template <class Query>
  constexpr bool operator()(Query&& query) const noexcept {
    if constexpr (requires { static_cast<Query&&>(query).query(*this); }) {
      static_assert(noexcept(static_cast<Query&&>(query).query(*this)),
                    "weft::execution::forwarding_query: the query of a query must be noexcept");
      static_assert(std::same_as<decltype(static_cast<Query&&>(query).query(*this)), bool>,
                    "weft::execution::forwarding_query: the query of a query must return bool");
      return static_cast<Query&&>(query).query(*this);
    } else {
      return std::derived_from<std::remove_cvref_t<Query>, forwarding_query_t>;
    }
  }
};
inline constexpr forwarding_query_t forwarding_query{};

namespace detail {

/// A type marked by `scheduler_concept`. The concept `scheduler` asks for more, and uses this one.
template <class T>
concept named_scheduler =
    std::derived_from<typename std::remove_cvref_t<T>::scheduler_concept, scheduler_tag>;

template <class Env, class Query, class... Args>
concept answers = requires(const Env& env, const Query& query, Args&&... args) {
  env.query(query, static_cast<Args&&>(args)...);
};

template <class Env, class Query, class... Args>
concept answers_with_scheduler = requires(const Env& env, const Query& query, Args&&... args) {
  { env.query(query, static_cast<Args&&>(args)...) } -> named_scheduler;
};

template <class Query>
concept forwarded_query = forwarding_query(Query());

}  // namespace detail

namespace detail {

template <class Value>
struct any_answer {
  [[noreturn]] const Value& query(auto /*key*/) const noexcept { std::terminate(); }
};

}  // namespace detail

/// An answer to one query, whatever its arguments. It cannot be assigned.
template <class Query, class Value>
struct prop {
  static_assert(std::is_invocable_v<Query, detail::any_answer<Value>>,
                "weft::execution::prop: the query must be a function object that asks an "
                "environment, as get_scheduler is");
  constexpr prop() = default;
  template <class Given = Value>
    requires std::constructible_from<Value, Given>
  constexpr prop(Query asked, Given&& given) noexcept(std::is_nothrow_constructible_v<Value, Given>)
      : key(static_cast<Query&&>(asked)), value(static_cast<Given&&>(given)) {}
  prop(const prop&) = default;
  prop(prop&&) = default;
  prop& operator=(const prop&) = delete;
  ~prop() = default;

  [[nodiscard]] constexpr const Value& query(Query /*key*/, auto&&... /*args*/) const noexcept {
    return value;
  }

  [[no_unique_address]] Query key;
  [[no_unique_address]] Value value;
};
template <class Query, class Value>
prop(Query, Value) -> prop<Query, std::unwrap_reference_t<Value>>;

/// The answers of several environments: the first that answers a query does so. It cannot be
/// assigned.
template <class... Envs>
struct env;

template <>
struct env<> {
  using forwards_all = void;
  constexpr env() noexcept = default;
  constexpr env(const env&) noexcept = default;
  env& operator=(const env&) = delete;
  ~env() = default;
};

template <class First, class... Rest>
struct env<First, Rest...> {
  constexpr env() = default;
  constexpr env(const env&) = default;
  constexpr env(env&&) = default;
  env& operator=(const env&) = delete;
  ~env() = default;
  constexpr explicit(sizeof...(Rest) == 0) env(First front, Rest... others)
      : first(static_cast<First&&>(front)), rest(static_cast<Rest&&>(others)...) {}

  template <class Query, class... Args>
    requires detail::answers<First, Query, Args...>
  constexpr decltype(auto) query(Query key, Args&&... args) const
      noexcept(noexcept(std::declval<const std::remove_reference_t<First>&>().query(
          key, static_cast<Args&&>(args)...))) {
    return std::as_const(first).query(key, static_cast<Args&&>(args)...);
  }
  template <class Query, class... Args>
    requires(!detail::answers<First, Query, Args...> &&
             detail::answers<env<Rest...>, Query, Args...>)
  constexpr decltype(auto) query(Query key, Args&&... args) const
      noexcept(noexcept(std::declval<const env<Rest...>&>().query(key,
                                                                  static_cast<Args&&>(args)...))) {
    return rest.query(key, static_cast<Args&&>(args)...);
  }

  [[no_unique_address]] First first;
  [[no_unique_address]] env<Rest...> rest;
};
template <class... Envs>
env(Envs...) -> env<std::unwrap_reference_t<Envs>...>;

/// The environment of an object: what its `get_env()` returns, or an empty one.
struct get_env_t {
  template <class T>
  constexpr decltype(auto) operator()(const T& object) const noexcept {
    if constexpr (requires { object.get_env(); }) {
      static_assert(noexcept(object.get_env()),
                    "weft::execution::get_env: a get_env member must be noexcept");
      return object.get_env();
    } else {
      return env<>();
    }
  }
};
inline constexpr get_env_t get_env{};

/// The environment of a sender or receiver.
template <class T>
using env_of_t = decltype(get_env(std::declval<T>()));

namespace detail {

/// Passes on what is to be forwarded.
template <class Env>
struct forwarding_env {
  using forwards_all = void;
  template <forwarded_query Query, class... Args>
    requires answers<std::remove_reference_t<Env>, Query, Args...>
  constexpr decltype(auto) query(Query query, Args&&... args) const noexcept {
    return base.query(query, static_cast<Args&&>(args)...);
  }
  [[no_unique_address]] Env base;
};

template <class Env>
concept forwards_all = requires { typename std::remove_cvref_t<Env>::forwards_all; };

/// `env` itself if it has nothing else.
template <class Env>
constexpr auto forward_env(Env&& environment) noexcept {
  if constexpr (forwards_all<Env>) {
    return std::remove_cvref_t<Env>(static_cast<Env&&>(environment));
  } else {
    return forwarding_env<Env>{static_cast<Env&&>(environment)};
  }
}
template <class Receiver>
using forwarded_env_of = decltype(forward_env(std::declval<env_of_t<Receiver>>()));

}  // namespace detail

/// Which allocator to use for what must be allocated.
struct get_allocator_t : forwarding_query_t {
  template <class Env>
    requires detail::answers<Env, get_allocator_t>
  constexpr auto operator()(const Env& env) const noexcept {
    return env.query(*this);
  }
};
inline constexpr get_allocator_t get_allocator{};

/// The token that asks to stop; one that never does if the environment has none.
struct get_stop_token_t : forwarding_query_t {
  template <class Env>
  constexpr auto operator()(const Env& env) const noexcept {
    if constexpr (detail::answers<Env, get_stop_token_t>) {
      return env.query(*this);
    } else {
      return never_stop_token();
    }
  }
};
inline constexpr get_stop_token_t get_stop_token{};

/// The type of stop token that an environment has.
template <class T>
using stop_token_of_t = std::remove_cvref_t<decltype(get_stop_token(std::declval<T>()))>;

template <class Tag>
struct get_completion_scheduler_t;
template <class Tag = void>
struct get_completion_domain_t;

namespace detail {

/// The scheduler on which the tasks of `scheduler` complete, if it says that they do on another.
template <class Tag, class Scheduler, class... Env>
constexpr auto settled_scheduler(const Scheduler& scheduler, const Env&... env) noexcept {
  using key = get_completion_scheduler_t<Tag>;
  const auto next = [&] {
    if constexpr (answers<Scheduler, key, const Env&...>) {
      return scheduler.query(key(), env...);
    } else if constexpr (answers<Scheduler, key>) {
      return scheduler.query(key());
    } else {
      return scheduler;
    }
  }();
  if constexpr (!std::same_as<std::remove_cv_t<decltype(next)>, Scheduler>) {
    return detail::settled_scheduler<Tag>(next, env...);
  } else if constexpr (answers<Scheduler, key, const Env&...> || answers<Scheduler, key>) {
    return next;
  } else {
    return scheduler;
  }
}

template <class Env>
struct schedulerless_env;

}  // namespace detail

/// The scheduler on which the receiver's side resumes, to which `on` returns. If a scheduler only
/// forwards work and names its target (`get_completion_scheduler<set_value_t>`), that one is asked
/// in turn.
struct get_scheduler_t : forwarding_query_t {
  template <class Env>
    requires detail::answers<Env, get_scheduler_t>
  constexpr auto operator()(const Env& env) const noexcept {
    return detail::settled_scheduler<set_value_t>(env.query(*this),
                                                  detail::schedulerless_env<Env>{env});
  }
};
inline constexpr get_scheduler_t get_scheduler{};

namespace detail {

/// An environment without its scheduler; it prevents an endless query.
template <class Env>
struct schedulerless_env {
  template <class Query, class... Args>
    requires(!std::same_as<Query, get_scheduler_t> && answers<Env, Query, Args...>)
  constexpr decltype(auto) query(Query key, Args&&... args) const noexcept {
    return base.query(key, static_cast<Args&&>(args)...);
  }
  const Env& base;
};

}  // namespace detail

/// Where an operation is started.
struct get_start_scheduler_t : forwarding_query_t {
  template <class Env>
    requires detail::answers_with_scheduler<Env, get_start_scheduler_t>
  constexpr auto operator()(const Env& env) const noexcept {
    return env.query(*this);
  }
};
inline constexpr get_start_scheduler_t get_start_scheduler{};

/// The adaptor that `co_await` applies to a sender before it awaits the sender. The sender's
/// environment answers with a function from a sender to a sender.
struct get_await_completion_adaptor_t : forwarding_query_t {
  template <class Env>
    requires detail::answers<Env, get_await_completion_adaptor_t>
  constexpr auto operator()(const Env& env) const noexcept {
    return env.query(*this);
  }
};
inline constexpr get_await_completion_adaptor_t get_await_completion_adaptor{};

/// A scheduler whose tasks the waiting side runs itself.
struct get_delegation_scheduler_t : forwarding_query_t {
  template <class Env>
    requires detail::answers_with_scheduler<Env, get_delegation_scheduler_t>
  constexpr auto operator()(const Env& env) const noexcept {
    return env.query(*this);
  }
};
inline constexpr get_delegation_scheduler_t get_delegation_scheduler{};

namespace detail {

template <class Tag>
concept completion_tag = std::same_as<Tag, set_value_t> || std::same_as<Tag, set_error_t> ||
                         std::same_as<Tag, set_stopped_t>;

}  // namespace detail

/// The scheduler on which a sender completes with `Tag`; some know only with the environment that
/// they are started in.
template <class Tag>
struct get_completion_scheduler_t : forwarding_query_t {
  template <class Attributes, class... Env>
    requires detail::completion_tag<Tag> &&
             (detail::answers_with_scheduler<Attributes, get_completion_scheduler_t> ||
              detail::answers_with_scheduler<Attributes, get_completion_scheduler_t, const Env&...>)
  constexpr auto operator()(const Attributes& attributes, const Env&... env) const noexcept {
    if constexpr (detail::answers<Attributes, get_completion_scheduler_t, const Env&...>) {
      return detail::settled_scheduler<set_value_t>(attributes.query(*this, env...), env...);
    } else {
      return detail::settled_scheduler<set_value_t>(attributes.query(*this), env...);
    }
  }
  /// A scheduler that does not say more completes its own tasks.
  template <class Scheduler, class Env>
    requires detail::completion_tag<Tag> && detail::named_scheduler<Scheduler> &&
             (!detail::answers<Scheduler, get_completion_scheduler_t> &&
              !detail::answers<Scheduler, get_completion_scheduler_t, const Env&>)
  constexpr auto operator()(const Scheduler& scheduler, const Env& /*env*/) const noexcept {
    return scheduler;
  }
};
template <class Tag>
inline constexpr get_completion_scheduler_t<Tag> get_completion_scheduler{};

/// A guarantee about two pieces of work of one scheduler.
enum class forward_progress_guarantee : std::uint8_t { concurrent, parallel, weakly_parallel };

/// The guarantee of a scheduler about the progress of its work.
struct get_forward_progress_guarantee_t {
  template <class Scheduler>
    requires detail::answers<Scheduler, get_forward_progress_guarantee_t>
  constexpr forward_progress_guarantee operator()(const Scheduler& scheduler) const noexcept {
    return scheduler.query(*this);
  }
};
inline constexpr get_forward_progress_guarantee_t get_forward_progress_guarantee{};

namespace detail {

/// The attributes of a sender whose values, and whose end by a stop, come on `scheduler`.
template <class Scheduler>
struct completes_on {
  using forwards_all = void;
  template <class Tag>
    requires(!std::same_as<Tag, set_error_t>)
  [[nodiscard]] constexpr Scheduler query(get_completion_scheduler_t<Tag> /*key*/) const noexcept {
    return scheduler;
  }
  [[no_unique_address]] Scheduler scheduler;
};

template <class Query>
inline constexpr bool asks_where = false;
template <class Tag>
inline constexpr bool asks_where<get_completion_scheduler_t<Tag>> = true;
template <class Tag>
inline constexpr bool asks_where<get_completion_domain_t<Tag>> = true;

/// The attributes of an adaptor: its own answers, else those of its child, except to where that
/// completes.
template <class Own, class Base>
struct own_attributes {
  using forwards_all = void;
  template <class Query, class... Args>
    requires answers<Own, Query, Args...>
  constexpr decltype(auto) query(Query query, Args&&... args) const noexcept {
    return own.query(query, static_cast<Args&&>(args)...);
  }
  template <class Query, class... Args>
    requires(!answers<Own, Query, Args...> && forwarded_query<Query> && !asks_where<Query> &&
             answers<Base, Query, Args...>)
  constexpr decltype(auto) query(Query query, Args&&... args) const noexcept {
    return base.query(query, static_cast<Args&&>(args)...);
  }
  [[no_unique_address]] Own own;
  [[no_unique_address]] Base base;
};
template <class Own, class Child>
constexpr own_attributes<Own, std::remove_cvref_t<env_of_t<const Child&>>> attributes_of(
    Own own, const Child& child) noexcept {
  return {std::move(own), execution::get_env(child)};
}

/// An environment in which `scheduler` is where things start, and all else is as in `base`.
template <class Scheduler, class Env>
struct scheduled_env {
  using forwards_all = void;
  [[nodiscard]] constexpr Scheduler query(get_scheduler_t /*key*/) const noexcept {
    return scheduler;
  }
  [[nodiscard]] constexpr Scheduler query(get_start_scheduler_t /*key*/) const noexcept {
    return scheduler;
  }
  template <forwarded_query Query, class... Args>
    requires(!std::same_as<Query, get_scheduler_t> && !std::same_as<Query, get_start_scheduler_t> &&
             answers<Env, Query, Args...>)
  constexpr decltype(auto) query(Query query, Args&&... args) const noexcept {
    return base.query(query, static_cast<Args&&>(args)...);
  }
  [[no_unique_address]] Scheduler scheduler;
  [[no_unique_address]] Env base;
};

/// One of several pieces of work of which only the first to end counts: a child of `when_any`.
///
/// Work that must not act in vain, such as a receiver of messages, claims the choice before it
/// acts, and ends stopped if it cannot.
struct choice {
  /// True if this one is the first, now or since an earlier claim, here and in all outer choices.
  [[nodiscard]] bool claim() const noexcept {
    return claim_here() && (outer == nullptr || outer->claim());
  }
  [[nodiscard]] bool claim_here() const noexcept {
    const choice* nobody = nullptr;
    // acq_rel: makes the winner's result visible to the completing thread, and its effects to the
    // losers
    return winner->compare_exchange_strong(nobody, this, std::memory_order_acq_rel) ||
           nobody == this;
  }
  std::atomic<const choice*>* winner = nullptr;
  const choice* outer = nullptr;  // of a `when_any` around this one
};

/// The choice that completing decides. Not passed on to work whose end is not the child's: of
/// `let_value` and `when_all`.
struct get_choice_t : forwarding_query_t {};

template <class Env>
struct choiceless_env {
  using forwards_all = void;
  template <forwarded_query Query, class... Args>
    requires(!std::same_as<Query, get_choice_t> && answers<Env, Query, Args...>)
  constexpr decltype(auto) query(Query query, Args&&... args) const noexcept {
    return base.query(query, static_cast<Args&&>(args)...);
  }
  [[no_unique_address]] Env base;
};

/// `env` without a choice, itself if it has none. A reference stays one.
template <class Env>
constexpr decltype(auto) without_choice(Env&& environment) noexcept {
  if constexpr (answers<std::remove_cvref_t<Env>, get_choice_t>) {
    return choiceless_env<Env>{static_cast<Env&&>(environment)};
  } else {
    return static_cast<Env>(static_cast<Env&&>(environment));
  }
}
template <class Env>
using choiceless = decltype(without_choice(std::declval<Env>()));

/// An environment with another stop token.
template <class Token, class Env>
struct stoppable_env {
  using forwards_all = void;
  [[nodiscard]] constexpr Token query(get_stop_token_t /*key*/) const noexcept { return token; }
  template <forwarded_query Query, class... Args>
    requires(!std::same_as<Query, get_stop_token_t> && answers<Env, Query, Args...>)
  constexpr decltype(auto) query(Query query, Args&&... args) const noexcept {
    return base.query(query, static_cast<Args&&>(args)...);
  }
  [[no_unique_address]] Token token;
  [[no_unique_address]] Env base;
};

}  // namespace detail
}  // namespace weft::execution
