// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and members of components that localities call.
#pragma once

#include <concepts>
#include <functional>
#include <mutex>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <hpx/compat/client_state.hpp>
#include <hpx/compat/id_type.hpp>
#include <hpx/config.hpp>
#include <hpx/future.hpp>

#include "weft/distributed/async.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/remote.hpp"
#include "weft/execution/async.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/dataflow.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/unwrapping.hpp"

namespace hpx {

namespace compat {

struct action_base {};
template <class A>
concept action = std::derived_from<std::remove_cvref_t<A>, action_base>;

/// Calls `call`, waits for the futures and clients in its result, and returns a result that can be
/// sent.
template <class Call>
auto when_ready(Call call) {
  using result = std::remove_cvref_t<decltype(call())>;
  if constexpr (std::is_void_v<result>) {
    call();
  } else if constexpr (weft::any_future<result>) {
    return when_ready([&call]() -> typename result::value_type { return call().get(); });
  } else {
    result value = call();
    compat::wait_for_clients(value);
    return value;
  }
}

/// Calls an action as a component's `locking_hook` or `executor_component` says.
template <class T, class Call>
auto call_on_component(T& component, const Call& call) {
  if constexpr (requires { component.action_mutex; }) {
    const std::scoped_lock guard(component.action_mutex);
    return compat::when_ready(call);
  } else if constexpr (requires { component.action_executor; }) {
    return weft::async(component.action_executor, [&call] { return compat::when_ready(call); })
        .get();
  } else {
    return compat::when_ready(call);
  }
}

/// A function, or the member of a T, as what weft::distributed calls: without data.
template <class T, auto f, class Parameters>
struct action_call;
template <auto f, class... P>
struct action_call<void, f, std::tuple<P...>> {
  auto operator()(P... args) const {
    return compat::when_ready(
        [&]() -> decltype(auto) { return std::invoke(f, std::forward<P>(args)...); });
  }
};
template <class T, auto f, class Self, class... P>
  requires(!std::is_void_v<T>)
struct action_call<T, f, std::tuple<Self, P...>> {
  auto operator()(T& component, P... args) const {
    return compat::call_on_component(component, [&]() -> decltype(auto) {
      return std::invoke(f, component, std::forward<P>(args)...);
    });
  }
};

template <class R, class... P>
R returned_by(R (*f)(P...));
template <class T, class R, class... P>
R returned_by(R (T::*f)(P...));
template <class T, class R, class... P>
R returned_by(R (T::*f)(P...) const);

/// The type that an action object returns: that of the value, or a future if the function returns
/// one.
template <class R>
struct action_result {
  using type = std::remove_cvref_t<R>;
};
template <weft::any_future R>
struct action_result<R> {
  using type = future<typename std::remove_cvref_t<R>::value_type>;
};

/// Starts `A` on its target as soon as the clients among the arguments are ready.
template <class A, class Target, class... Args>
auto start_action(const Target& target, Args&&... args) {
  using result = decltype(A::start(id_of(target), std::forward<Args>(args)...));
  if constexpr (weft::any_future<result>) {  // otherwise the compiler has reported it
    if (compat::are_clients_ready(target, args...)) {
      return A::start(id_of(target), std::forward<Args>(args)...);
    }
    return weft::async(
        [target, args = std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...)]() mutable {
          compat::wait_for_clients(target, args);
          return std::apply(
              [&](auto&... each) { return A::start(id_of(target), std::move(each)...).get(); },
              args);
        });
  }
}
template <class A, class Target, class... Args>
void post_action(const Target& target, Args&&... args) {
  if (compat::are_clients_ready(target, args...)) {
    A::post(id_of(target), std::forward<Args>(args)...);
  } else {
    weft::post(
        [target, args = std::tuple<std::decay_t<Args>...>(std::forward<Args>(args)...)]() mutable {
          compat::wait_for_clients(target, args);
          std::apply([&](auto&... each) { A::post(id_of(target), std::move(each)...); }, args);
        });
  }
}

/// The base of an action's class: `f` is a function, or a member of the component T.
///
/// An action object calls `f` on a locality, or for a component where that is, and waits; if `f`
/// returns a future, it returns one. Clients among the arguments and in the result are waited for.
/// Threads: any.
/// Errors:  as weft::distributed::async.
template <class T, auto f>
struct basic_action : action_base {
  using call =
      action_call<T, f, typename weft::distributed::detail::parameters_of<decltype(f)>::types>;

  template <class... Args>
  static auto start(const id_type& id, Args&&... args) {
    if constexpr (std::is_void_v<T>) {
      return weft::distributed::async(id.locality(), call(), std::forward<Args>(args)...);
    } else {
      return weft::distributed::static_remote_cast<T>(id.component())
          .async(call(), std::forward<Args>(args)...);
    }
  }
  template <class... Args>
  static void post(const id_type& id, Args&&... args) {
    if constexpr (std::is_void_v<T>) {
      weft::distributed::post(id.locality(), call(), std::forward<Args>(args)...);
    } else {
      weft::distributed::static_remote_cast<T>(id.component())
          .post(call(), std::forward<Args>(args)...);
    }
  }

  using result = typename action_result<decltype(compat::returned_by(f))>::type;
  template <target Target, class... Args>
  result operator()(const Target& target, Args&&... args) const {
    using started = decltype(compat::start_action<basic_action>(target, args...));
    if constexpr (weft::any_future<result>) {
      return compat::start_action<basic_action>(target, std::forward<Args>(args)...);
    } else if constexpr (weft::any_future<started>) {  // otherwise the compiler has reported it
      return compat::start_action<basic_action>(target, std::forward<Args>(args)...).get();
    }
  }
};

/// Gives what waits for a client the client.
template <class Arg>
auto awaited(Arg&& arg) {
  if constexpr (client<Arg>) {
    return arg.valid() ? arg.share().then(weft::launch::sync, [arg](const auto&) { return arg; })
                       : weft::make_ready_future(arg);
  } else {
    return std::forward<Arg>(arg);
  }
}
template <class Arg, class Ready>
decltype(auto) taken(Ready&& ready) {
  if constexpr (client<Arg>) {
    return ready.get();
  } else {
    return std::forward<Ready>(ready);
  }
}

}  // namespace compat

/// Starts an action; returns a future for what it returns. A launch policy has no effect.
template <compat::action A, compat::target Target, class... Args>
auto async(const Target& target, Args&&... args) {
  return compat::start_action<A>(target, std::forward<Args>(args)...);
}
template <compat::action A, compat::target Target, class... Args>
auto async(weft::launch /*how*/, const Target& target, Args&&... args) {
  return compat::start_action<A>(target, std::forward<Args>(args)...);
}
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...> && compat::action<F>
auto async(F&& /*action*/, Args&&... args) {
  return compat::start_action<std::decay_t<F>>(std::forward<Args>(args)...);
}
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...> && compat::action<F>
auto async(weft::launch /*how*/, F&& /*action*/, Args&&... args) {
  return compat::start_action<std::decay_t<F>>(std::forward<Args>(args)...);
}

/// Starts an action without an answer.
template <compat::action A, compat::target Target, class... Args>
void post(const Target& target, Args&&... args) {
  compat::post_action<A>(target, std::forward<Args>(args)...);
}
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...> && compat::action<F>
void post(F&& /*action*/, Args&&... args) {
  compat::post_action<std::decay_t<F>>(std::forward<Args>(args)...);
}

/// Calls an action, and waits.
template <compat::action A, compat::target Target, class... Args>
auto sync(const Target& target, Args&&... args) {
  return compat::start_action<A>(target, std::forward<Args>(args)...).get();
}

/// Calls `f` when the futures and clients among its arguments are ready.
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...> && (compat::client<Args> || ...)
auto dataflow(weft::launch policy, F&& f, Args&&... args) {
  return weft::dataflow(
      policy,
      [call = std::decay_t<F>(std::forward<F>(f))]<class... Ready>(Ready&&... ready) mutable {
        return std::invoke(call, compat::taken<Args>(std::forward<Ready>(ready))...);
      },
      compat::awaited(std::forward<Args>(args))...);
}
template <class F, class... Args>
  requires std::invocable<std::decay_t<F>, std::decay_t<Args>...> && (compat::client<Args> || ...)
auto dataflow(F&& f, Args&&... args) {
  return hpx::dataflow(weft::launch::async, std::forward<F>(f), std::forward<Args>(args)...);
}
/// Starts an action with the values of its arguments, when these are ready.
template <compat::action A, compat::target Target, class... Args>
auto dataflow(const Target& target, Args&&... args) {
  return weft::dataflow(weft::unwrapping([target](auto&&... values) {
                          return compat::start_action<A>(target, std::move(values)...);
                        }),
                        std::forward<Args>(args)...);
}
template <compat::action A, compat::target Target, class... Args>
auto dataflow(weft::launch /*how*/, const Target& target, Args&&... args) {
  return hpx::dataflow<A>(target, std::forward<Args>(args)...);
}

namespace lcos {

/// Calls an action on all localities; the results are in their order.
template <compat::action A, class... Args>
auto broadcast(const std::vector<id_type>& ids, const Args&... args) {
  using answer = decltype(compat::start_action<A>(ids.front(), args...));
  std::vector<answer> answers;
  answers.reserve(ids.size());
  for (const id_type& each : ids) {
    answers.push_back(compat::start_action<A>(each, args...));
  }
  return weft::async([answers = std::move(answers)]() mutable {
    if constexpr (std::is_void_v<typename answer::value_type>) {
      for (answer& each : answers) {
        each.get();
      }
    } else {
      std::vector<typename answer::value_type> values;
      for (answer& each : answers) {
        values.push_back(each.get());
      }
      return values;
    }
  });
}

}  // namespace lcos

namespace actions {

template <class Pointer, Pointer f, class Derived = void>
struct make_action;
template <class R, class... P, R (*f)(P...), class Derived>
struct make_action<R (*)(P...), f, Derived> {
  using type = compat::basic_action<void, f>;
};
template <class T, class R, class... P, R (T::*f)(P...), class Derived>
struct make_action<R (T::*)(P...), f, Derived> {
  using type = compat::basic_action<T, f>;
};
template <class T, class R, class... P, R (T::*f)(P...) const, class Derived>
struct make_action<R (T::*)(P...) const, f, Derived> {
  using type = compat::basic_action<T, f>;
};
template <class Pointer, Pointer f, class Derived = void>
using make_direct_action = make_action<Pointer, f, Derived>;
template <class Pointer, Pointer f, class Derived = void>
using make_action_t = typename make_action<Pointer, f, Derived>::type;

}  // namespace actions
}  // namespace hpx
