// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HPX's launch policies: values that can be combined, chosen at use, and given hints.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <hpx/compat/thread_enums.hpp>
#include <hpx/config.hpp>

#include "weft/tasks/launch.hpp"

namespace hpx {

class launch;

namespace compat {

enum class launch_kind : std::uint8_t { async = 1, deferred = 2, fork = 4, sync = 8, apply = 16 };

/// The hints of a policy beside when to run. Its priority is used. weft's tasks have stacks of one
/// size and no places, so the other hints are kept without effect.
class policy_wishes {
 public:
  [[nodiscard]] constexpr threads::thread_priority priority() const noexcept { return priority_; }
  [[nodiscard]] constexpr threads::thread_stacksize stacksize() const noexcept { return stack_; }
  [[nodiscard]] constexpr threads::thread_schedule_hint hint() const noexcept { return hint_; }
  constexpr void set_priority(threads::thread_priority wish) noexcept { priority_ = wish; }
  constexpr void set_stacksize(threads::thread_stacksize wish) noexcept { stack_ = wish; }
  constexpr void set_hint(threads::thread_schedule_hint wish) noexcept { hint_ = wish; }

 private:
  threads::thread_schedule_hint hint_;
  threads::thread_priority priority_ = threads::thread_priority::default_;
  threads::thread_stacksize stack_ = threads::thread_stacksize::default_;
};

/// What weft does for kinds that were combined: the first of these that is among them.
[[nodiscard]] constexpr weft::launch weft_launch_of(std::uint8_t kinds) noexcept {
  const auto has = [kinds](launch_kind one) {
    return (kinds & static_cast<std::uint8_t>(one)) != 0;
  };
  if (has(launch_kind::async) || has(launch_kind::apply)) {
    return weft::launch::async;
  }
  if (has(launch_kind::fork)) {
    return weft::launch::fork;
  }
  return has(launch_kind::sync) ? weft::launch::sync : weft::launch::deferred;
}

/// A policy whose type says which it is.
template <launch_kind kind>
class policy_of : public policy_wishes {
 public:
  constexpr operator weft::launch() const noexcept  // implicit by design, as all here
    requires(kind != launch_kind::apply)
  {
    return weft_launch_of(static_cast<std::uint8_t>(kind))
        .with_priority(threads::weft_priority(priority()));
  }
  constexpr operator weft::launch::post_policy() const noexcept
    requires(kind == launch_kind::apply)
  {
    return weft::launch::post;
  }
};

/// A policy that `choose()` gives anew for each use.
template <class Choose>
class selected_policy {
 public:
  explicit selected_policy(Choose choose) : choose_(std::move(choose)) {}
  operator weft::launch() const;

 private:
  Choose choose_;
};

}  // namespace compat

/// Any policy, or several of which one is to be used: the first of async, fork, sync and deferred.
class launch : public compat::policy_wishes {
 public:
  using async_policy = compat::policy_of<compat::launch_kind::async>;
  using deferred_policy = compat::policy_of<compat::launch_kind::deferred>;
  using fork_policy = compat::policy_of<compat::launch_kind::fork>;
  using sync_policy = compat::policy_of<compat::launch_kind::sync>;
  using apply_policy = compat::policy_of<compat::launch_kind::apply>;

  static constexpr async_policy async{};
  static constexpr deferred_policy deferred{};
  static constexpr fork_policy fork{};
  static constexpr sync_policy sync{};
  static constexpr apply_policy apply{};
  static constexpr apply_policy post{};
  static const launch all;

  constexpr launch() noexcept : launch(async) {}
  template <compat::launch_kind kind>
  constexpr launch(const compat::policy_of<kind>& one) noexcept
      : policy_wishes(one), kinds_(static_cast<std::uint8_t>(kind)) {}
  constexpr operator weft::launch() const noexcept {
    return compat::weft_launch_of(kinds_).with_priority(threads::weft_priority(priority()));
  }

  /// A policy for which `choose()`, which returns one, is called at every use.
  template <class Choose>
  static compat::selected_policy<std::decay_t<Choose>> select(Choose&& choose) {
    return compat::selected_policy<std::decay_t<Choose>>(std::forward<Choose>(choose));
  }

  friend constexpr launch operator|(launch one, launch other) noexcept {
    one.kinds_ = static_cast<std::uint8_t>(one.kinds_ | other.kinds_);
    return one;
  }
  /// By kind, whatever is wished.
  friend constexpr bool operator==(launch one, launch other) noexcept {
    return one.kinds_ == other.kinds_;
  }

 private:
  std::uint8_t kinds_;
};

namespace compat {

template <launch_kind one, launch_kind other>
constexpr launch operator|(policy_of<one> a, policy_of<other> b) noexcept {
  return launch(a) | launch(b);
}
template <launch_kind one, launch_kind other>
constexpr bool operator==(policy_of<one> /*a*/, policy_of<other> /*b*/) noexcept {
  return one == other;
}

template <class Choose>
selected_policy<Choose>::operator weft::launch() const {
  return launch(choose_());
}

}  // namespace compat

inline constexpr launch launch::all = launch::async | launch::deferred;

namespace execution::experimental {

inline constexpr struct with_priority_t {
  template <class Policy>
  constexpr Policy operator()(Policy policy, threads::thread_priority wish) const {
    if constexpr (requires { policy.set_priority(wish); }) {
      policy.set_priority(wish);
    } else {
      static_assert(compat::is_missing<Policy>,
                    "hpx::execution::experimental::with_priority: weft's tasks have no priorities; "
                    "leave the call out");
    }
    return policy;
  }
} with_priority{};
inline constexpr struct with_stacksize_t {
  template <class Policy>
  constexpr Policy operator()(Policy policy, threads::thread_stacksize wish) const {
    if constexpr (requires { policy.set_stacksize(wish); }) {
      policy.set_stacksize(wish);
    } else {
      static_assert(compat::is_missing<Policy>,
                    "hpx::execution::experimental::with_stacksize: weft's stacks have one size; "
                    "leave the call out, and run with --weft:stack-size=8MiB");
    }
    return policy;
  }
} with_stacksize{};
inline constexpr struct with_hint_t {
  template <class Policy>
    requires requires(Policy& p) { p.set_hint(threads::thread_schedule_hint()); }
  constexpr Policy operator()(Policy policy, threads::thread_schedule_hint wish) const {
    policy.set_hint(wish);
    return policy;
  }
} with_hint{};
inline constexpr struct get_priority_t {
  template <class Policy>
  constexpr threads::thread_priority operator()(const Policy& policy) const noexcept {
    return policy.priority();
  }
} get_priority{};
inline constexpr struct get_stacksize_t {
  template <class Policy>
  constexpr threads::thread_stacksize operator()(const Policy& policy) const noexcept {
    return policy.stacksize();
  }
} get_stacksize{};
inline constexpr struct get_hint_t {
  template <class Policy>
  constexpr threads::thread_schedule_hint operator()(const Policy& policy) const noexcept {
    return policy.hint();
  }
} get_hint{};

}  // namespace execution::experimental
}  // namespace hpx
