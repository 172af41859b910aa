// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of an object, which go to the rank where the object is.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/object_table.hpp"
#include "weft/distributed/local_of.hpp"
#include "weft/distributed/stoppable.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/stop_token.hpp"
#include "weft/tasks/task_group.hpp"

namespace weft::distributed {

template <class T>
class remote;

namespace detail {

/// Errors: `weft::error` if the handle is empty.
[[nodiscard]] object_reference& known(const std::shared_ptr<object_reference>& one);
/// Takes in a handle that has come to this rank; null for an empty one.
[[nodiscard]] std::shared_ptr<object_reference> joined(const sent_reference& sent);
[[nodiscard]] object_table& objects_of(engine& home) noexcept;
/// Tells `caller` where the object is, or the home, which knows that.
void tell_place(engine& home, int caller, object_id id, int place);
/// Takes in an object that comes from another rank, and tells its home.
void take_in(engine& home,
             object_id id,
             std::shared_ptr<void> object,
             const std::type_info& type,
             std::uint64_t version);

struct remote_access {
  template <class T>
  static remote<T> make(std::shared_ptr<object_reference> reference) noexcept {
    return remote<T>(std::move(reference));
  }
  template <class T>
  static const std::shared_ptr<object_reference>& reference(const remote<T>& handle) noexcept {
    return handle.reference_;
  }
};

template <class T, class Arguments>
struct make_target;
template <class T, class... Args>
struct make_target<T, std::tuple<Args...>> {
  using arguments = std::tuple<Args...>;
  using result = remote<T>;
  static result call(engine& home, Args&&... args) {
    return remote_access::make<T>(
        objects_of(home).add(std::make_shared<T>(std::move(args)...), typeid(T)));
  }
};

enum class stopping : std::uint8_t { impossible, possible };

/// A call of an object. Its arguments begin with a handle, which keeps the object, and the rank that
/// called first.
template <class T, class Callee, stopping by_token, class Arguments>
struct remote_target;
template <class T, class Callee, stopping by_token, class... Args>
struct remote_target<T, Callee, by_token, std::tuple<Args...>> {
  using arguments = std::tuple<remote<T>, std::int32_t, Args...>;
  using returned = decltype(Callee::call(std::declval<T&>(), std::declval<Args>()...));
  using result = typename plain_result<returned>::type;

  static result call(engine& home, remote<T>&& object, std::int32_t&& caller, Args&&... args) {
    const object_id id = remote_access::reference(object)->id();
    const object_table::access found = objects_of(home).pin(id, typeid(T));
    if (found.object == nullptr) {
      tell_place(home, caller, id, found.elsewhere);
      return follow(
          home, found.elsewhere, arguments(std::move(object), caller, std::move(args)...));
    }
    T& here = *static_cast<T*>(found.object.get());
    if constexpr (any_future<returned>) {
      return Callee::call(here, std::move(args)...).get();
    } else {
      return Callee::call(here, std::move(args)...);
    }
  }

 private:
  static result follow(engine& home, int to, arguments&& args) {
    if constexpr (by_token == stopping::possible) {
      return start_stoppable<remote_target>(home, to, this_task::get_stop_token(), std::move(args))
          .get();
    } else {
      return start_call<remote_target>(home, to, std::move(args)).get();
    }
  }
};

/// The arguments of a call of `object`.
template <class T, class... Args>
std::tuple<remote<T>, std::int32_t, Args...> with_handle(const engine& home,
                                                         const remote<T>& object,
                                                         std::tuple<Args...>&& args) {
  return std::tuple_cat(std::tuple<remote<T>, std::int32_t>(object, home.rank()), std::move(args));
}

template <class T, class Callee, stopping by_token, class... Args, class Start>
auto start_on_object(const remote<T>& object, Start start, Args&&... args) {
  using checked = checked_object_call<T, Callee, Args...>;
  if constexpr (checked::check()) {
    using target = remote_target<T, Callee, by_token, typename checked::arguments>;
    const object_reference& mine = known(remote_access::reference(object));
    engine& home = mine.all().home();
    return start.template operator()<target>(
        home,
        mine.place(),
        with_handle(home, object, typename checked::arguments(std::forward<Args>(args)...)));
  }
}

template <class T, class Callee, class... Args>
auto call_object(const remote<T>& object, Args&&... args) {
  return start_on_object<T, Callee, stopping::impossible>(
      object,
      []<class Target>(engine& home, int rank, typename Target::arguments&& all) {
        if constexpr (check_result<typename Target::result>()) {
          return start_call<Target>(home, rank, std::move(all));
        }
      },
      std::forward<Args>(args)...);
}

template <class T, class Callee, class... Args>
auto call_object_stoppably(const remote<T>& object, const stop_token& token, Args&&... args) {
  return start_on_object<T, Callee, stopping::possible>(
      object,
      [&token]<class Target>(engine& home, int rank, typename Target::arguments&& all) {
        if constexpr (check_result<typename Target::result>()) {
          return start_stoppable<Target>(home, rank, token, std::move(all));
        }
      },
      std::forward<Args>(args)...);
}

template <class T, class Callee, class... Args>
void post_to_object(const remote<T>& object, Args&&... args) {
  start_on_object<T, Callee, stopping::impossible>(
      object,
      []<class Target>(engine& home, int rank, typename Target::arguments&& all) {
        start_post<Target>(home, rank, std::move(all));
      },
      std::forward<Args>(args)...);
}

/// An object as it is sent: written from where it is, and read into a new one.
template <class T>
struct moved_object {
  std::shared_ptr<T> object;
  void save(output_archive& to) const { to(*object); }
  void load(input_archive& from) {
    object = std::make_shared<T>();
    from(*object);
  }
};

template <class T>
struct install_target {
  using arguments = std::tuple<remote<T>, std::uint64_t, moved_object<T>>;
  using result = void;
  static void call(engine& home,
                   remote<T>&& object,
                   std::uint64_t&& version,
                   moved_object<T>&& body) {
    take_in(
        home, remote_access::reference(object)->id(), std::move(body.object), typeid(T), version);
  }
};

template <class T>
struct migrate_target {
  using arguments = std::tuple<remote<T>, std::int32_t, std::int32_t>;
  using result = void;
  static void call(engine& home, remote<T>&& object, std::int32_t&& caller, std::int32_t&& to) {
    object_table& all = objects_of(home);
    const object_id id = remote_access::reference(object)->id();
    object_table::access moving = all.begin_move(id, typeid(T));
    if (moving.object == nullptr) {
      start_call<migrate_target>(home, moving.elsewhere, arguments(std::move(object), caller, to))
          .get();
      return;
    }
    try {
      send(home, object, moving, to);
    } catch (...) {
      all.end_move(id, home.rank());
      throw;
    }
    all.end_move(id, to);
    tell_place(home, caller, id, to);
  }

 private:
  static void send(engine& home, const remote<T>& object, object_table::access& moving, int to) {
    if (to != home.rank()) {
      start_call<install_target<T>>(
          home,
          to,
          typename install_target<T>::arguments(
              object,
              moving.version + 1,
              moved_object<T>{std::static_pointer_cast<T>(std::move(moving.object))}))
          .get();
    }
  }
};

template <class T>
future<void> start_migration(const remote<T>& what, int to) {
  const object_reference& mine = known(remote_access::reference(what));
  engine& home = mine.all().home();
  home.require_rank(to);
  return start_call<migrate_target<T>>(
      home, mine.place(), typename migrate_target<T>::arguments(what, home.rank(), to));
}

}  // namespace detail
}  // namespace weft::distributed
