// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the frames of coroutines come from that were given an allocator, or none.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "weft/tasks/coroutine_interface.hpp"

namespace weft::execution::detail {

/// Takes the place of any argument of a coroutine.
struct any_argument {
  any_argument() noexcept = default;
  template <class T>
  any_argument(const T& /*argument*/) noexcept {}  // implicit by design
};

/// The base of promises whose frames come from an `Allocator`. It is the coroutine's argument after
/// std::allocator_arg, which is the first argument, or the second of a member; else `Allocator()`.
template <class Allocator>
class frame_allocator {
  struct alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) unit {
    std::byte bytes[__STDCPP_DEFAULT_NEW_ALIGNMENT__];  // NOLINT(*-avoid-c-arrays): raw memory
  };
  using unit_allocator = typename std::allocator_traits<Allocator>::template rebind_alloc<unit>;
  using unit_traits = std::allocator_traits<unit_allocator>;
  static_assert(std::is_pointer_v<typename unit_traits::pointer>,
                "execution::task<T, Env>: Env::allocator_type must have plain pointers");

 public:
  template <class... Args>
  explicit frame_allocator(const Args&... args) : allocator_(allocator_among(args...)) {
    static_assert(
        sizeof...(Args) <= most_arguments || !(std::is_same_v<Args, std::allocator_arg_t> || ...),
        "execution::task<T, Env>: with an allocator, a coroutine takes ten arguments at most");
  }

  // No templates, whose frames g++ 12 believes not to match operator delete.
  static void* operator new(std::size_t bytes) { return allocate(bytes, Allocator()); }
  // NOLINTNEXTLINE(readability-function-size): one for each argument of a coroutine
  static void* operator new(std::size_t bytes,
                            std::allocator_arg_t /*key*/,
                            const Allocator& from,
                            any_argument = {},
                            any_argument = {},
                            any_argument = {},
                            any_argument = {},
                            any_argument = {},
                            any_argument = {},
                            any_argument = {},
                            any_argument = {}) {
    return allocate(bytes, from);
  }
  // NOLINTNEXTLINE(readability-function-size): one for each argument of a coroutine
  static void* operator new(std::size_t bytes,
                            any_argument /*object*/,
                            std::allocator_arg_t /*key*/,
                            const Allocator& from,
                            any_argument = {},
                            any_argument = {},
                            any_argument = {},
                            any_argument = {},
                            any_argument = {},
                            any_argument = {},
                            any_argument = {}) {
    return allocate(bytes, from);
  }
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    unit* const units = static_cast<unit*>(frame);
    auto* const kept = std::launder(reinterpret_cast<unit_allocator*>(units + frame_units(bytes)));
    unit_allocator from(std::move(*kept));
    std::destroy_at(kept);
    unit_traits::deallocate(from, units, num_units(bytes));
  }

  [[nodiscard]] Allocator allocator() const noexcept { return allocator_; }

 private:
  static constexpr std::size_t most_arguments = 10;

  static void* allocate(std::size_t bytes, const Allocator& given) {
    unit_allocator from(given);
    unit* const frame = unit_traits::allocate(from, num_units(bytes));
    // The allocator is kept behind the frame, whose promise is gone when it is freed.
    ::new (static_cast<void*>(frame + frame_units(bytes))) unit_allocator(from);
    return frame;
  }
  static constexpr std::size_t frame_units(std::size_t bytes) noexcept {
    return (bytes + sizeof(unit) - 1) / sizeof(unit);
  }
  static constexpr std::size_t num_units(std::size_t bytes) noexcept {
    static_assert(alignof(unit_allocator) <= alignof(unit));
    return frame_units(bytes) + frame_units(sizeof(unit_allocator));
  }
  static Allocator allocator_among() { return Allocator(); }
  template <class First, class... Rest>
  static Allocator allocator_among(const First& /*first*/, const Rest&... rest) {
    return allocator_second(rest...);
  }
  template <class Given, class... Rest>
  static Allocator allocator_among(std::allocator_arg_t /*key*/,
                                   const Given& given,
                                   const Rest&... /*rest*/) {
    return Allocator(given);
  }
  template <class... Rest>
  static Allocator allocator_second(const Rest&... /*rest*/) {
    return Allocator();
  }
  template <class Given, class... Rest>
  static Allocator allocator_second(std::allocator_arg_t /*key*/,
                                    const Given& given,
                                    const Rest&... /*rest*/) {
    return Allocator(given);
  }

  [[no_unique_address]] Allocator allocator_;
};

/// Without an allocator of their own: from the calling worker's blocks.
template <>
class frame_allocator<std::allocator<std::byte>> {
 public:
  static void* operator new(std::size_t bytes) { return tasks::allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    tasks::free_frame(frame, bytes);
  }
  [[nodiscard]] static std::allocator<std::byte> allocator() noexcept { return {}; }
};

}  // namespace weft::execution::detail
