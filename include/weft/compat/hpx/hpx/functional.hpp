// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Callables: the standard's.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <hpx/config.hpp>

namespace hpx {

using std::bind;
using std::bind_front;
using std::cref;
using std::function;
using std::invoke;
using std::invoke_result;
using std::invoke_result_t;
using std::is_bind_expression;
using std::is_placeholder;
using std::mem_fn;
using std::ref;
namespace placeholders = std::placeholders;

/// Calls `f` with the elements of a tuple.
template <class F, class Tuple>
decltype(auto) invoke_fused(F&& f, Tuple&& arguments) {
  return std::apply(std::forward<F>(f), std::forward<Tuple>(arguments));
}

namespace util {
using std::invoke_result_t;
/// Stands for a value of nothing.
struct unused_type {};
}  // namespace util

/// A callable with its last arguments given: `bind_back(f, c)(a, b)` calls `f(a, b, c)`.
template <class F, class... Bound>
class back_binder {
 public:
  template <class G, class... Given>
  explicit back_binder(std::in_place_t /*tag*/, G&& f, Given&&... given)
      : call_(std::forward<G>(f)), bound_(std::forward<Given>(given)...) {}

  template <class... Args>
    requires std::invocable<F&, Args..., Bound&...>
  decltype(auto) operator()(Args&&... args) & {
    return invoke(call_, bound_, std::forward<Args>(args)...);
  }
  template <class... Args>
    requires std::invocable<const F&, Args..., const Bound&...>
  decltype(auto) operator()(Args&&... args) const& {
    return invoke(call_, bound_, std::forward<Args>(args)...);
  }
  template <class... Args>
    requires std::invocable<F, Args..., Bound...>
  decltype(auto) operator()(Args&&... args) && {
    return invoke(std::move(call_), std::move(bound_), std::forward<Args>(args)...);
  }

 private:
  template <class Call, class Tuple, class... Args>
  static decltype(auto) invoke(Call&& call, Tuple&& last, Args&&... args) {
    return std::apply(
        [&](auto&&... bound) -> decltype(auto) {
          return std::invoke(std::forward<Call>(call),
                             std::forward<Args>(args)...,
                             std::forward<decltype(bound)>(bound)...);
        },
        std::forward<Tuple>(last));
  }

  [[no_unique_address]] F call_;
  [[no_unique_address]] std::tuple<Bound...> bound_;
};
template <class F, class... Args>
[[nodiscard]] back_binder<std::decay_t<F>, std::unwrap_ref_decay_t<Args>...> bind_back(
    F&& f, Args&&... args) {
  return back_binder<std::decay_t<F>, std::unwrap_ref_decay_t<Args>...>(
      std::in_place, std::forward<F>(f), std::forward<Args>(args)...);
}

/// A callable that need only be movable.
template <class Signature>
class move_only_function;

template <class R, class... Args>
class move_only_function<R(Args...)> {
 public:
  move_only_function() noexcept = default;
  template <class F>
    requires(!std::same_as<std::decay_t<F>, move_only_function> &&
             std::is_invocable_r_v<R, std::decay_t<F>&, Args...>)
  move_only_function(F&& f)
      : call_(std::make_unique<holder<std::decay_t<F>>>(std::forward<F>(f))) {}

  explicit operator bool() const noexcept { return call_ != nullptr; }
  R operator()(Args... args) const { return call_->invoke(std::forward<Args>(args)...); }

 private:
  struct base {
    virtual ~base() = default;
    virtual R invoke(Args... args) = 0;
  };
  template <class F>
  struct holder final : base {
    explicit holder(F call) : f(std::move(call)) {}
    R invoke(Args... args) override { return std::invoke(f, std::forward<Args>(args)...); }
    F f;
  };
  std::unique_ptr<base> call_;
};

}  // namespace hpx
