// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects on any rank that live as long as any rank has a handle of them.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/async.hpp"
#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/callee.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/object_call.hpp"
#include "weft/distributed/detail/object_table.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/stoppable.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/stop_token.hpp"

namespace weft::distributed {

template <class T>
class stoppable_object;

/// A handle of an object that `make_remote` made, on this rank or another one.
///
/// The object is destroyed when the last handle on any rank is. Handles are copied, and sent as
/// arguments, results and members of these. A call keeps the object until it has ended.
/// Handles in a circle of objects keep these objects until the runtime ends.
/// Cost:    a copy on one rank is a copy of a `std::shared_ptr`; sending a handle takes no other
///          message. The last handle of a rank sends one when it dies; several are gathered.
/// Threads: as std::shared_ptr.
/// Errors:  `weft::error` from calls, if it is empty, or its runtime has ended.
/// Example: tests/distributed/remote_test.cpp: members_are_called_where_the_object_is.
template <class T>
class remote {
 public:
  /// An empty handle.
  remote() noexcept = default;

  /// A `remote<void>` is a handle of an object of any type; `static_remote_cast` gives it a type.
  template <class U>
    requires(std::is_void_v<T> && !std::is_void_v<U>)
  remote(const remote<U>& other) noexcept  // implicit, as of pointers
      : reference_(detail::remote_access::reference(other)) {}

  [[nodiscard]] explicit operator bool() const noexcept { return reference_ != nullptr; }
  friend bool operator==(const remote& one, const remote& other) noexcept {
    return one.id() == other.id();
  }

  /// Where the object is, as far as this rank knows. Errors: `weft::error` if it is empty.
  [[nodiscard]] locality owner() const { return locality(detail::known(reference_).place()); }

  /// The object, if it is on this rank, or null. It is not moved while the pointer lives.
  [[nodiscard]] std::shared_ptr<T> local() const {
    detail::object_reference& mine = detail::known(reference_);
    return std::static_pointer_cast<T>(mine.all().try_pin(mine.id(), typeid(T)));
  }

  /// Calls `f(object, args...)`, or the member `f`, where the object is; otherwise as
  /// `weft::distributed::async`. Calls may run at the same time: the object guards its data.
  template <auto f, class... Args>
  [[nodiscard]] auto async(Args&&... args) const {
    return detail::call_object<T, detail::function_callee<f>>(*this, std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  [[nodiscard]] auto async(F /*f*/, Args&&... args) const {
    if constexpr (detail::check_captureless<F>()) {
      return detail::call_object<T, detail::lambda_callee<F>>(*this, std::forward<Args>(args)...);
    }
  }
  /// As `weft::distributed::post`.
  template <auto f, class... Args>
  void post(Args&&... args) const {
    detail::post_to_object<T, detail::function_callee<f>>(*this, std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  void post(F /*f*/, Args&&... args) const {
    if constexpr (detail::check_captureless<F>()) {
      detail::post_to_object<T, detail::lambda_callee<F>>(*this, std::forward<Args>(args)...);
    }
  }

 private:
  friend class archive_access;
  friend struct detail::remote_access;
  explicit remote(std::shared_ptr<detail::object_reference> reference) noexcept
      : reference_(std::move(reference)) {}

  [[nodiscard]] detail::object_id id() const noexcept {
    return reference_ != nullptr ? reference_->id() : detail::object_id{};
  }
  void save(output_archive& to) const {
    to(reference_ != nullptr ? detail::handles_in_message::add(reference_)
                             : detail::sent_reference{});
  }
  void load(input_archive& from) {
    detail::sent_reference sent;
    from(sent);
    reference_ = detail::joined(sent);
  }

  std::shared_ptr<detail::object_reference> reference_;
};

/// The handle of a T as which a `remote<void>` was made. Calls fail with a `weft::error` if the
/// object has another type.
/// Example: tests/distributed/remote_test.cpp: a_handle_of_any_type_is_cast_back.
template <class T>
[[nodiscard]] remote<T> static_remote_cast(const remote<void>& handle) noexcept {
  return detail::remote_access::make<T>(detail::remote_access::reference(handle));
}

/// Makes a T of copies of `args` on `where`; returns a future for a handle.
///
/// There it is `T(args...)`. It needs neither be copied nor moved.
/// Cost:    as a call.
/// Errors:  `weft::error` if there is no such rank. The future has what the constructor throws.
/// Example: tests/distributed/remote_test.cpp: members_are_called_where_the_object_is.
template <class T, class... Args>
[[nodiscard]] future<remote<T>> make_remote(locality where, Args&&... args) {
  using arguments = std::tuple<std::decay_t<Args>...>;
  static_assert(std::is_constructible_v<T, std::decay_t<Args>...>,
                "weft::distributed: the object has no constructor for these arguments, which it "
                "gets as values of their own");
  static_assert(detail::sendable<arguments>::check());
  return detail::start_call<detail::make_target<T, arguments>>(
      detail::engine::current(), where.rank(), arguments(std::forward<Args>(args)...));
}

/// Moves an object to another rank, by serialisation; ready when it is there. Handles stay valid.
///
/// It waits until no call uses the object. Calls that begin meanwhile wait for up to 0.1 s, and then
/// go first, so that calls which wait for each other end. Calls that come while the object is sent
/// follow it to its new rank. A call of an object must not wait for the migration of this object.
/// The former object is destroyed.
/// Shape:   T is `serializable`: it has a default constructor, and is read into a new object.
/// Cost:    three messages with answers; one copy of the data. The first call of another rank
///          afterwards is forwarded.
/// Errors:  `weft::error` if there is no such rank. The future has what reading or writing throws;
///          the object stays then.
/// Example: tests/distributed/migrate_test.cpp: calls_follow_the_object.
template <class T>
[[nodiscard]] future<void> migrate(const remote<T>& what, locality where) {
  static_assert(serializable<T> || detail::explain<T, detail::direction::reading>(),
                "weft::distributed: an object that migrates is sent");
  return detail::start_migration(what, where.rank());
}

/// An object that is called until a token asks to stop.
template <class T>
class stoppable_object {
 public:
  stoppable_object(remote<T> object, stop_token token) noexcept
      : object_(std::move(object)), token_(std::move(token)) {}

  /// As `remote::async`.
  template <auto f, class... Args>
  [[nodiscard]] auto async(Args&&... args) const {
    return detail::call_object_stoppably<T, detail::function_callee<f>>(
        object_, token_, std::forward<Args>(args)...);
  }
  template <class F, class... Args>
  [[nodiscard]] auto async(F /*f*/, Args&&... args) const {
    if constexpr (detail::check_captureless<F>()) {
      return detail::call_object_stoppably<T, detail::lambda_callee<F>>(
          object_, token_, std::forward<Args>(args)...);
    }
  }

 private:
  remote<T> object_;
  stop_token token_;
};

/// Makes a token stop calls of an object: `stoppable(handle, token).async<&T::f>(args...)`.
/// Example: tests/distributed/stoppable_test.cpp: requests_follow_an_object.
template <class T>
[[nodiscard]] stoppable_object<T> stoppable(remote<T> object, stop_token token) noexcept {
  return {std::move(object), std::move(token)};
}

}  // namespace weft::distributed
