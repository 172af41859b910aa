// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Room for one of several objects, or for none.
#pragma once

#include <cstddef>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"

namespace weft::execution::detail {

constexpr std::size_t largest_of(std::size_t a, std::size_t b) noexcept { return a > b ? a : b; }

/// Room for an object of any of these types, which may be immovable.
template <class... Types>
class one_of {
 public:
  one_of() noexcept = default;
  one_of(const one_of&) = delete;
  one_of& operator=(const one_of&) = delete;
  ~one_of() { reset(); }

  /// Replaces what is there by what `make()` returns, which is never moved.
  template <class Make>
  auto& emplace_from(Make&& make) {
    using type = decltype(static_cast<Make&&>(make)());
    reset();
    auto* made = ::new (static_cast<void*>(bytes_)) type(static_cast<Make&&>(make)());
    destroy_ = [](void* object) noexcept { static_cast<type*>(object)->~type(); };
    return *made;
  }
  /// The object, which is a `T`.
  template <class T>
  T& get() noexcept {
    return *std::launder(reinterpret_cast<T*>(bytes_));
  }
  [[nodiscard]] bool has_object() const noexcept { return destroy_ != nullptr; }
  void reset() noexcept {
    if (destroy_ != nullptr) {
      std::exchange(destroy_, nullptr)(bytes_);
    }
  }

 private:
  static constexpr std::size_t size_bytes = [] {
    std::size_t most = 1;
    ((most = largest_of(most, sizeof(Types))), ...);
    return most;
  }();
  static constexpr std::size_t alignment = [] {
    std::size_t most = 1;
    ((most = largest_of(most, alignof(Types))), ...);
    return most;
  }();

  void (*destroy_)(void*) noexcept = nullptr;
  alignas(alignment) std::byte bytes_[size_bytes];  // NOLINT(*-avoid-c-arrays): raw memory
};

template <class... Types>
using decayed = std::tuple<std::decay_t<Types>...>;

/// Where in a list the completion stands that is kept as this tuple.
template <class List, class Kept>
inline constexpr int index_of_kept = -1;
template <class... Signatures, class Tag, class... Args>
inline constexpr int index_of_kept<completion_signatures<Signatures...>, std::tuple<Tag, Args...>> =
    [] {
      int at = -1;
      int i = 0;
      ((at = std::is_same_v<Signatures, Tag(Args...)> ? i : at, ++i), ...);
      return at;
    }();

/// A completion kept for later: whichever of a list of signatures it is.
template <class List>
class kept_completion;
template <class... Signatures>
class kept_completion<completion_signatures<Signatures...>> {
 public:
  /// Copies the arguments. Errors: what that throws, and nothing is kept.
  template <class Tag, class... Args>
  void keep(Tag /*tag*/, Args&&... args) {
    using kept = decayed<Tag, Args...>;
    room_.emplace_from([&] { return kept(Tag(), static_cast<Args&&>(args)...); });
  }
  [[nodiscard]] bool is_kept() const noexcept { return room_.has_object(); }

  /// Completes `to` with what was kept as `kept`, a tuple of tag and arguments.
  template <class Kept, class Receiver>
  void send(Receiver&& to) noexcept {
    std::apply(
        [&]<class Tag, class... Args>(Tag tag, Args&... args) noexcept {
          tag(static_cast<Receiver&&>(to), static_cast<Args&&>(args)...);
        },
        room_.template get<Kept>());
  }
  /// Calls `f(tag, arguments&...)` with what was kept as `kept`.
  template <class Kept, class F>
  void visit_as(F&& f) {
    std::apply(static_cast<F&&>(f), room_.template get<Kept>());
  }
  /// The same for code that knows only its position in the list.
  template <class Receiver>
  void send_as(int index, Receiver&& to) noexcept {
    int i = 0;
    const auto try_one = [&]<class Kept>(identity<Kept> /*which*/) noexcept {
      if (index != i++) {
        return false;
      }
      this->template send<Kept>(static_cast<Receiver&&>(to));
      return true;
    };
    static_cast<void>((try_one(tuple_of<Signatures>()) || ...));
  }
  /// Calls `f(tag, const arguments&...)` with what stands at `index`.
  template <class F>
  void visit(int index, F& f) noexcept {
    int i = 0;
    const auto try_one = [&]<class Kept>(identity<Kept> /*which*/) noexcept {
      if (index != i++) {
        return false;
      }
      std::apply(f, std::as_const(room_.template get<Kept>()));
      return true;
    };
    static_cast<void>((try_one(tuple_of<Signatures>()) || ...));
  }

 private:
  template <class Signature>
  struct tuple_of;
  template <class Tag, class... Args>
  struct tuple_of<Tag(Args...)> : identity<decayed<Tag, Args...>> {};

  one_of<typename tuple_of<Signatures>::type...> room_;
};

template <class... Types>
inline constexpr bool nothrow_decay_copy =
    (std::is_nothrow_constructible_v<std::decay_t<Types>, Types> && ...);

/// The list of completions if each is copied and sent later.
struct by_copy {
  template <class... Values>
  using value = joined_signatures<completion_signatures<set_value_t(std::decay_t<Values>...)>,
                                  exception_if<!nothrow_decay_copy<Values...>>>;
  template <class Error>
  using error = joined_signatures<completion_signatures<set_error_t(std::decay_t<Error>)>,
                                  exception_if<!nothrow_decay_copy<Error>>>;
  using stopped = completion_signatures<set_stopped_t()>;
  using added = completion_signatures<>;
};

}  // namespace weft::execution::detail
