// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An object of which each rank has one, called by rank.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "weft/distributed/async.hpp"
#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/callee.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/locality.hpp"

namespace weft::distributed {

namespace detail {

/// As `checked_call`, for a callee whose first argument is the object.
template <class T, class Callee, class... Args>
struct checked_object_call {
  template <class Tuple>
  struct split;
  template <class First, class... Rest>
  struct split<std::tuple<First, Rest...>> {
    using rest = std::tuple<Rest...>;
    template <class U>
    static constexpr bool callable = Callee::template is_callable<U&, Rest...>;
    static constexpr bool convertible = std::is_constructible_v<rest, Args...>;
  };
  using sent = split<typename sent_types<typename Callee::parameters,
                                         std::tuple<T&, std::decay_t<Args>...>>::type>;
  using arguments = typename sent::rest;
  static consteval bool check() {
    static_assert(sent::template callable<T> && sent::convertible,
                  "weft::distributed: the function cannot be called with the object and these "
                  "arguments, which it gets as values of their own");
    return sendable<arguments>::check();
  }
};

/// The arguments after the number of the object.
template <class... Args>
std::tuple<std::uint64_t, Args...> numbered(std::uint64_t number, std::tuple<Args...>&& args) {
  return std::tuple_cat(std::tuple<std::uint64_t>(number), std::move(args));
}

}  // namespace detail

/// The object of one rank, of a `local_of`.
template <class T>
class object_at {
 public:
  [[nodiscard]] locality owner() const noexcept { return owner_; }

  /// Calls `f(object, args...)`, or the member `f`, on the owner; otherwise as
  /// `weft::distributed::async`. Calls may run at the same time: the object guards its data.
  /// Example: tests/distributed/objects_test.cpp: members_of_other_ranks_objects_are_called.
  template <auto f, class... Args>
  [[nodiscard]] auto async(Args&&... args) const {
    return start<detail::function_callee<f>>(std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  [[nodiscard]] auto async(F /*f*/, Args&&... args) const {
    if constexpr (detail::check_captureless<F>()) {
      return start<detail::lambda_callee<F>>(std::forward<Args>(args)...);
    }
  }
  /// As `weft::distributed::post`.
  template <auto f, class... Args>
  void post(Args&&... args) const {
    start_to_post<detail::function_callee<f>>(std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  void post(F /*f*/, Args&&... args) const {
    if constexpr (detail::check_captureless<F>()) {
      start_to_post<detail::lambda_callee<F>>(std::forward<Args>(args)...);
    }
  }

 private:
  template <class U>
  friend class local_of;
  object_at(detail::engine& home, std::uint64_t number, locality owner) noexcept
      : home_(&home), number_(number), owner_(owner) {}

  template <class Callee, class... Args>
  auto start(Args&&... args) const {
    using checked = detail::checked_object_call<T, Callee, Args...>;
    if constexpr (checked::check()) {
      using target = detail::object_target<T, Callee, typename checked::arguments>;
      if constexpr (detail::check_result<typename target::result>()) {
        return detail::start_call<target>(
            *home_,
            owner_.rank(),
            detail::numbered(number_, typename checked::arguments(std::forward<Args>(args)...)));
      }
    }
  }
  template <class Callee, class... Args>
  void start_to_post(Args&&... args) const {
    using checked = detail::checked_object_call<T, Callee, Args...>;
    if constexpr (checked::check()) {
      detail::start_post<detail::object_target<T, Callee, typename checked::arguments>>(
          *home_,
          owner_.rank(),
          detail::numbered(number_, typename checked::arguments(std::forward<Args>(args)...)));
    }
  }

  detail::engine* home_;
  std::uint64_t number_;
  locality owner_;
};

/// An object that each rank makes, in the same order on all; there is no registration and no look-up.
///
/// Calls that come before this rank has made its object wait. End it when no rank calls it any more,
/// for example after `quiescence`: later calls fail.
/// Cost:    no message.
/// Errors:  what T's constructor throws: the ranks' objects then no longer belong together; end the
///          job. `weft::error` if there is no runtime.
/// Example: tests/distributed/objects_test.cpp: members_of_other_ranks_objects_are_called.
template <class T>
class local_of {
 public:
  template <class... Args>
    requires std::is_constructible_v<T, Args...>
  explicit local_of(Args&&... args)
      : home_(detail::engine::current()),
        mine_(std::make_shared<T>(std::forward<Args>(args)...)),
        number_(home_.add_object(mine_, typeid(T))) {}
  local_of(const local_of&) = delete;
  local_of& operator=(const local_of&) = delete;
  ~local_of() { home_.remove_object(number_); }

  /// This rank's object.
  [[nodiscard]] T& operator*() const noexcept { return *mine_; }
  [[nodiscard]] T* operator->() const noexcept { return mine_.get(); }

  /// The object of another rank, or this one's. Errors: `weft::error` if there is no such rank.
  [[nodiscard]] object_at<T> operator[](locality where) const {
    home_.require_rank(where.rank());
    return object_at<T>(home_, number_, where);
  }
  [[nodiscard]] object_at<T> operator[](int rank) const { return (*this)[locality(rank)]; }

 private:
  detail::engine& home_;
  std::shared_ptr<T> mine_;
  std::uint64_t number_;
};

}  // namespace weft::distributed
