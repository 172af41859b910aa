// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Handles that other ranks find by name.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/callee.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/launch.hpp"

namespace weft::distributed {

namespace detail {

void add_name(engine& home,
              const std::string& name,
              std::shared_ptr<const void> value,
              const std::type_info& type);
/// Waits forever if `longest` is negative; returns null after that time.
[[nodiscard]] std::shared_ptr<const void> find_name(engine& home,
                                                    const std::string& name,
                                                    const std::type_info& type,
                                                    std::chrono::nanoseconds longest);

template <class Handle>
struct add_name_target {
  using arguments = std::tuple<std::string, Handle>;
  using result = void;
  static void call(engine& home, std::string&& name, Handle&& value) {
    add_name(home, name, std::make_shared<const Handle>(std::move(value)), typeid(Handle));
  }
};

template <class Handle>
struct find_name_target {
  using arguments = std::tuple<std::string, std::chrono::nanoseconds>;
  using result = std::optional<Handle>;
  static result call(engine& home, std::string&& name, std::chrono::nanoseconds&& longest) {
    const auto found =
        std::static_pointer_cast<const Handle>(find_name(home, name, typeid(Handle), longest));
    return found == nullptr ? std::nullopt : result(*found);
  }
};

template <class Handle>
future<std::optional<Handle>> start_find(std::string name,
                                         locality where,
                                         std::chrono::nanoseconds longest) {
  static_assert(sendable<std::tuple<Handle>>::check());
  return start_call<find_name_target<Handle>>(
      engine::current(), where.rank(), {std::move(name), longest});
}

}  // namespace detail

/// Gives a handle a name on rank `where`; ready when it can be found there.
///
/// `Handle` is a `remote`, `channel`, `latch`, or another type that can be sent and copied. The name
/// keeps a copy, so the object lives until `unregister_name` or the end of the runtime.
/// Errors:  the future has a `weft::error` if that rank has such a name already.
/// Example: tests/distributed/names_test.cpp: a_handle_is_found_from_any_rank.
template <class Handle>
[[nodiscard]] future<void> register_name(std::string name, Handle what, locality where) {
  static_assert(detail::sendable<std::tuple<Handle>>::check());
  return detail::start_call<detail::add_name_target<Handle>>(
      detail::engine::current(), where.rank(), {std::move(name), std::move(what)});
}

/// Removes a name of rank `where`; the future has false if there was none.
[[nodiscard]] future<bool> unregister_name(std::string name, locality where);

/// Finds what was registered on rank `where`; waits until it is.
/// Errors:  the future has a `weft::error` if the name is that of another type.
/// Example: tests/distributed/names_test.cpp: a_handle_is_found_from_any_rank.
template <class Handle>
[[nodiscard]] future<Handle> find(std::string name, locality where) {
  return detail::start_find<Handle>(std::move(name), where, std::chrono::nanoseconds(-1))
      .then(launch::sync, [](future<std::optional<Handle>> found) { return *found.get(); });
}
/// As `find`, but gives up after a time: nothing then.
/// Example: tests/distributed/names_test.cpp: a_search_may_give_up.
template <class Handle, class Rep, class Period>
[[nodiscard]] future<std::optional<Handle>> find_for(
    std::string name, locality where, const std::chrono::duration<Rep, Period>& longest) {
  const auto rounded = std::chrono::ceil<std::chrono::nanoseconds>(longest);
  return detail::start_find<Handle>(
      std::move(name), where, std::max(rounded, std::chrono::nanoseconds(0)));
}

}  // namespace weft::distributed
