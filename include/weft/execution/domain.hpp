// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Domains: how a scheduler puts its own senders in the place of those that a program wrote.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/parts.hpp"  // IWYU pragma: export
#include "weft/execution/queries.hpp"

namespace weft::execution {

struct start_t;

namespace detail {

/// The type of the first of several members, which a structured binding would name.
template <class Aggregate>
constexpr auto first_member_of(Aggregate& whole) {
  constexpr std::size_t num = num_members<Aggregate>();
  if constexpr (num == 2) {
    auto& [tag, data] = whole;
    return identity<std::remove_cvref_t<decltype(tag)>>();
  } else if constexpr (num == 3) {
    auto& [tag, data, child] = whole;
    return identity<std::remove_cvref_t<decltype(tag)>>();
  } else if constexpr (num == 4) {
    auto& [tag, data, child, second] = whole;
    return identity<std::remove_cvref_t<decltype(tag)>>();
  } else if constexpr (num == 5) {
    auto& [tag, data, child, second, third] = whole;
    return identity<std::remove_cvref_t<decltype(tag)>>();
  } else {
    auto& [tag, data, child, second, third, fourth] = whole;
    return identity<std::remove_cvref_t<decltype(tag)>>();
  }
}

template <class Sender>
consteval auto find_tag() {
  if constexpr (requires { typename Sender::tag_type; }) {
    return identity<typename Sender::tag_type>();
  } else if constexpr (requires { std::tuple_size<Sender>::value; }) {
    return identity<std::remove_cvref_t<std::tuple_element_t<0, Sender>>>();
  } else if constexpr (std::is_aggregate_v<Sender>) {
    if constexpr (num_members<Sender>() >= 2) {
      return decltype(detail::first_member_of(std::declval<Sender&>()))();
    }
  }
}

}  // namespace detail

/// The type of the function object that made a sender: `then_t` for a sender that `then` returned.
///
/// It is the member type `tag_type`, if there is one. Otherwise it is the type of the first part of
/// `auto& [tag, data, child] = sender`. That works for weft's adaptors and for aggregates of up to
/// six members.
template <class Sender>
using tag_of_t = typename decltype(detail::find_tag<std::remove_cvref_t<Sender>>())::type;

namespace detail {

template <class Tag, class Sender, class Env>
concept transformed_by_tag = requires(Tag tag, Sender&& sender, const Env& env) {
  tag_of_t<Sender>().transform_sender(tag, static_cast<Sender&&>(sender), env);
};

}  // namespace detail

/// The default domain: a sender stays as it is, unless its tag transforms it.
/// Source:  C++26 working draft, [exec.domain.default]
struct default_domain {
  template <class Tag, class Sender, class Env>
    requires detail::transformed_by_tag<Tag, Sender, Env>
  static constexpr decltype(auto)
  transform_sender(Tag tag, Sender&& sender, const Env& env) noexcept(
      noexcept(tag_of_t<Sender>().transform_sender(tag, static_cast<Sender&&>(sender), env))) {
    return tag_of_t<Sender>().transform_sender(tag, static_cast<Sender&&>(sender), env);
  }
  template <class Tag, class Sender, class Env>
    requires(!detail::transformed_by_tag<Tag, Sender, Env>)
  static constexpr Sender transform_sender(
      Tag /*tag*/,
      Sender&& sender,
      const Env& /*env*/) noexcept(std::is_nothrow_constructible_v<Sender, Sender>) {
    return static_cast<Sender>(static_cast<Sender&&>(sender));
  }
  template <class Tag, class Sender, class... Args>
    requires requires(Tag tag, Sender&& sender, Args&&... args) {
      tag.apply_sender(static_cast<Sender&&>(sender), static_cast<Args&&>(args)...);
    }
  static constexpr decltype(auto) apply_sender(Tag tag, Sender&& sender, Args&&... args) noexcept(
      noexcept(tag.apply_sender(static_cast<Sender&&>(sender), static_cast<Args&&>(args)...))) {
    return tag.apply_sender(static_cast<Sender&&>(sender), static_cast<Args&&>(args)...);
  }
};

/// One of several domains, which one is not known before the end: only what is the same in all.
template <class... Domains>
struct indeterminate_domain {
  indeterminate_domain() = default;
  explicit constexpr indeterminate_domain(auto&&... /*domains*/) noexcept {}
  template <class Tag, class Sender, class Env>
  static constexpr decltype(auto) transform_sender(Tag tag, Sender&& sender, const Env& env) {
    static_assert(
        (std::same_as<Domains, default_domain> && ...) ||
            !requires {
              (Domains().transform_sender(tag, static_cast<Sender&&>(sender), env), ...);
            },
        "weft::execution: it is not known in which of several domains this sender completes, and "
        "they transform it differently; say where by continues_on");
    return default_domain::transform_sender(tag, static_cast<Sender&&>(sender), env);
  }
};

namespace detail {

struct no_domain {};

template <class Answer>
using domain_in = std::remove_cvref_t<Answer>;

/// What `From` answers to the query, with the environments if it takes them.
template <class Query, class From, class... Env>
constexpr auto asked_domain() {
  if constexpr (answers<From, Query, const Env&...>) {
    return domain_in<decltype(std::declval<const From&>().query(Query(),
                                                                std::declval<const Env&>()...))>();
  } else if constexpr (answers<From, Query>) {
    return domain_in<decltype(std::declval<const From&>().query(Query()))>();
  } else {
    return no_domain();
  }
}

template <class Tag, class From, class... Env>
constexpr auto found_domain() {
  using own = decltype(detail::asked_domain<get_completion_domain_t<Tag>, From, Env...>());
  using asked = get_completion_scheduler_t<Tag>;
  if constexpr (!std::same_as<own, no_domain>) {
    return own();
  } else if constexpr (std::is_void_v<Tag>) {
    return detail::found_domain<set_value_t, From, Env...>();
  } else {
    constexpr auto of_scheduler = [] {
      if constexpr (std::is_invocable_v<asked, const From&, const Env&...>) {
        using scheduler =
            std::remove_cvref_t<std::invoke_result_t<asked, const From&, const Env&...>>;
        return identity<decltype(detail::asked_domain<get_completion_domain_t<set_value_t>,
                                                      scheduler,
                                                      Env...>())>();
      } else {
        return identity<no_domain>();
      }
    }();
    using found = typename decltype(of_scheduler)::type;
    if constexpr (std::same_as<found, no_domain> && named_scheduler<From> && sizeof...(Env) != 0) {
      return default_domain();
    } else {
      return found();
    }
  }
}
template <class Tag, class From, class... Env>
using found_domain_t = decltype(detail::found_domain<Tag, std::remove_cvref_t<From>, Env...>());

}  // namespace detail

/// The domain in which a sender completes with `Tag` (`void`: with values, unless its attributes
/// say otherwise). It is that of its attributes, or else the domain of the scheduler on which it
/// completes.
template <class Tag>
struct get_completion_domain_t : forwarding_query_t {
  template <class Attributes, class... Env>
    requires(!std::same_as<detail::found_domain_t<Tag, Attributes, Env...>, detail::no_domain>)
  constexpr auto operator()(const Attributes& /*attributes*/,
                            const Env&... /*env*/) const noexcept {
    return detail::found_domain_t<Tag, Attributes, Env...>();
  }
};
template <class Tag = void>
inline constexpr get_completion_domain_t<Tag> get_completion_domain{};

/// The domain in which an operation is started: its environment's, or else its scheduler's, or else
/// the default one.
struct get_domain_t : forwarding_query_t {
  template <class Env>
  constexpr auto operator()(const Env& /*env*/) const noexcept {
    return decltype(found<Env>())();
  }

 private:
  template <class Env>
  static constexpr auto found() {
    if constexpr (detail::answers<Env, get_domain_t>) {
      return detail::asked_domain<get_domain_t, Env>();
    } else if constexpr (detail::answers<Env, get_scheduler_t>) {
      using scheduler = std::remove_cvref_t<std::invoke_result_t<get_scheduler_t, const Env&>>;
      using domain = detail::found_domain_t<set_value_t, scheduler, detail::schedulerless_env<Env>>;
      return std::conditional_t<std::same_as<domain, detail::no_domain>, default_domain, domain>();
    } else {
      return default_domain();
    }
  }
};
inline constexpr get_domain_t get_domain{};

namespace detail {

/// The domain in which several senders complete together: the one that all share, or
/// `indeterminate_domain`.
template <class... Domains>
struct common_domain {
  template <class Have, class... Rest>
  struct unique;
  template <class... Have>
  struct unique<type_list<Have...>> : identity<indeterminate_domain<Have...>> {};
  template <class Only>
  struct unique<type_list<Only>> : identity<Only> {};
  template <class... Have, class First, class... Rest>
  struct unique<type_list<Have...>, First, Rest...>
      : std::conditional_t<(std::same_as<Have, First> || ...),
                           unique<type_list<Have...>, Rest...>,
                           unique<type_list<Have..., First>, Rest...>> {};
  using type = typename unique<type_list<>, Domains...>::type;
};
template <class... Domains>
  requires(std::same_as<Domains, no_domain> || ...)
struct common_domain<Domains...> : identity<no_domain> {};

/// The attributes of what completes where the last of several children does.
template <class... Children>
struct completes_with_last {
  using forwards_all = void;
  template <class... Env>
  using domain_type = typename common_domain<
      found_domain_t<set_value_t, env_of_t<const Children&>, Env...>...>::type;
  template <class... Env>
    requires(!std::same_as<domain_type<Env...>, no_domain>)
  [[nodiscard]] static constexpr auto query(get_completion_domain_t<set_value_t> /*key*/,
                                            const Env&... /*env*/) noexcept {
    return domain_type<Env...>();
  }
};

template <class Sender, class Env>
using known_completion_domain = found_domain_t<void, env_of_t<const Sender&>, Env>;
template <class Sender, class Env>
using completion_domain_of =
    std::conditional_t<std::same_as<known_completion_domain<Sender, Env>, no_domain>,
                       default_domain,
                       known_completion_domain<Sender, Env>>;
template <class Env>
using start_domain_of = std::invoke_result_t<get_domain_t, const Env&>;

/// Transforms by one domain, and again as long as that changes the type.
template <class Domain, class Tag, class Sender, class Env>
constexpr decltype(auto) transform_by(Tag tag, Sender&& sender, const Env& env) {
  const auto once = [&]() -> decltype(auto) {
    if constexpr (requires {
                    Domain().transform_sender(tag, static_cast<Sender&&>(sender), env);
                  }) {
      return Domain().transform_sender(tag, static_cast<Sender&&>(sender), env);
    } else {
      return default_domain::transform_sender(tag, static_cast<Sender&&>(sender), env);
    }
  };
  using result = decltype(once());
  using plain = std::remove_cvref_t<result>;
  if constexpr (std::same_as<plain, std::remove_cvref_t<Sender>>) {
    return once();
  } else if constexpr (std::same_as<Tag, set_value_t>) {
    return transform_by<completion_domain_of<plain, Env>>(tag, once(), env);
  } else {
    return transform_by<Domain>(tag, once(), env);
  }
}

}  // namespace detail

/// The sender that is connected in place of `sender`. The domain in which `sender` completes
/// transforms it first, then the domain in which it is started.
///
/// `connect` and the completion signatures in an environment ask for it. A domain is a class with
/// `transform_sender(set_value_t(), sender, env)`, or with `start_t()`, for the senders that it
/// replaces; a scheduler names it by `query(get_completion_domain_t<set_value_t>)`.
/// Source:  C++26 working draft, [exec.snd.transform]
/// Example: tests/execution/domain_test.cpp: a_domain_replaces_senders.
struct transform_sender_t {
  template <class Sender, class Env, class Start = start_t>
  constexpr decltype(auto) operator()(Sender&& sender, const Env& env) const {
    using plain = std::remove_cvref_t<Sender>;
    return detail::transform_by<detail::start_domain_of<Env>>(
        Start(),
        detail::transform_by<detail::completion_domain_of<plain, Env>>(
            set_value, static_cast<Sender&&>(sender), env),
        env);
  }
};
inline constexpr transform_sender_t transform_sender{};

namespace detail {

template <class Domain, class Tag, class Sender, class... Args>
concept applied_by = requires(Domain domain, Sender&& sender, Args&&... args) {
  domain.apply_sender(Tag(), static_cast<Sender&&>(sender), static_cast<Args&&>(args)...);
};

}  // namespace detail

/// The result of `Domain` for `tag`, a consumer such as `sync_wait`, called with the sender.
struct apply_sender_t {
  template <class Domain, class Tag, class Sender, class... Args>
    requires detail::applied_by<Domain, Tag, Sender, Args...>
  constexpr decltype(auto) operator()(Domain domain,
                                      Tag /*tag*/,
                                      Sender&& sender,
                                      Args&&... args) const
      noexcept(noexcept(domain.apply_sender(Tag(),
                                            static_cast<Sender&&>(sender),
                                            static_cast<Args&&>(args)...))) {
    return domain.apply_sender(Tag(), static_cast<Sender&&>(sender), static_cast<Args&&>(args)...);
  }
  template <class Domain, class Tag, class Sender, class... Args>
    requires(!detail::applied_by<Domain, Tag, Sender, Args...> &&
             detail::applied_by<default_domain, Tag, Sender, Args...>)
  constexpr decltype(auto) operator()(Domain /*domain*/,
                                      Tag /*tag*/,
                                      Sender&& sender,
                                      Args&&... args) const
      noexcept(noexcept(default_domain().apply_sender(Tag(),
                                                      static_cast<Sender&&>(sender),
                                                      static_cast<Args&&>(args)...))) {
    return default_domain().apply_sender(
        Tag(), static_cast<Sender&&>(sender), static_cast<Args&&>(args)...);
  }
};
inline constexpr apply_sender_t apply_sender{};

namespace detail {

/// True if a domain that is not the default one may replace the sender in this environment.
template <class Sender, class Env>
inline constexpr bool is_in_domain =
    !std::same_as<completion_domain_of<std::remove_cvref_t<Sender>, Env>, default_domain> ||
    !std::same_as<start_domain_of<std::remove_cvref_t<Env>>, default_domain>;

template <class Sender, class Env>
struct transformed_sender : identity<Sender> {};
template <class Sender, class Env>
  requires is_in_domain<Sender, Env>
struct transformed_sender<Sender, Env>
    : identity<decltype(transform_sender(std::declval<Sender>(), std::declval<const Env&>()))> {};

/// A domain puts another sender in this one's place.
template <class Sender, class Env>
concept replaced_by_domain =
    !std::same_as<std::remove_cvref_t<typename transformed_sender<Sender, Env>::type>,
                  std::remove_cvref_t<Sender>>;

}  // namespace detail
}  // namespace weft::execution
