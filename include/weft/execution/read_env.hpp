// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sender of what the environment that it is started in answers.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/just.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"

namespace weft::execution {

struct read_env_t;
namespace detail {

template <class Receiver, class Query>
struct read_operation {
  using operation_state_concept = operation_state_tag;
  constexpr void start() noexcept {
    // The answer may refer to the environment, which may be a temporary.
    const auto& environment = execution::get_env(to);
    set_value_of_call(static_cast<Receiver&&>(to),
                      [this, &environment]() noexcept(noexcept(
                          query(environment))) -> decltype(auto) { return query(environment); });
  }
  [[no_unique_address]] Receiver to;
  [[no_unique_address]] Query query;
};

template <class Query>
struct [[nodiscard]] read_sender {
  using tag_type = read_env_t;
  using sender_concept = sender_tag;
  template <class Self, class Env>
    requires std::is_invocable_v<const Query&, const Env&>
  static consteval auto get_completion_signatures() {
    using answer = std::invoke_result_t<const Query&, const Env&>;
    return joined_signatures<
        typename value_signature<answer>::type,
        exception_if<!std::is_nothrow_invocable_v<const Query&, const Env&>>>();
  }
  template <class Receiver>
  constexpr auto connect(Receiver to) const noexcept {
    static_assert(std::is_invocable_v<const Query&, env_of_t<Receiver>>,
                  "weft::execution::read_env: the environment of the receiver has no answer to "
                  "this query");
    return read_operation<Receiver, Query>{static_cast<Receiver&&>(to), query};
  }
  [[nodiscard]] constexpr completes_where_started get_env() const noexcept { return {}; }
  template <class Self>
  static constexpr auto parts(Self& self) noexcept {
    return std::tie(self.query);
  }

  [[no_unique_address]] Query query;
};

}  // namespace detail

/// A sender of what `query(environment)` gives, for `get_stop_token`, `get_scheduler` and others.
/// Example: tests/execution/adaptors_test.cpp: read_env_sends_what_the_environment_answers.
struct read_env_t {
  template <class Query>
  constexpr auto operator()(Query query) const noexcept {
    return detail::read_sender<Query>{query};
  }
};
inline constexpr read_env_t read_env{};

}  // namespace weft::execution
