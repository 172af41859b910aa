// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Components, their clients, and how they are made.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hpx/compat/actions.hpp>
#include <hpx/compat/basenames.hpp>
#include <hpx/compat/client_state.hpp>
#include <hpx/compat/id_type.hpp>
#include <hpx/compat/launch.hpp>
#include <hpx/exception.hpp>
#include <hpx/future.hpp>

#include "weft/distributed/remote.hpp"
#include "weft/tasks/mutex.hpp"

namespace hpx {

namespace components {

/// The base of a component's class.
template <class Component = void>
class component_base {  // NOLINT(bugprone-crtp-constructor-accessibility): as HPX's
 public:
  using wrapping_type = component_base;
  using base_type_holder = Component;
};
template <class Component>
using managed_component_base = component_base<Component>;

/// What HPX_REGISTER_COMPONENT takes.
template <class Component>
struct component {
  using wrapped_type = Component;
  using type_holder = Component;
};
template <class Component>
using managed_component = component<Component>;

/// Lets one action use a component at a time. An action must not wait for another one of the same
/// component.
template <class Base>
class locking_hook : public Base {
 public:
  using Base::Base;
  weft::mutex action_mutex;
};

/// The base of a client's class: a handle that is made before its component is.
///
/// Threads: as a shared_future.
/// Errors:  `get_id` throws what the constructor of the component threw.
template <class Derived, class Component>
class client_base : public compat::client_state {
 public:
  using server_component_type = Component;

  // NOLINTBEGIN(bugprone-crtp-constructor-accessibility): as HPX's, whose users inherit them
  client_base() = default;
  explicit client_base(id_type id) : client_base(weft::make_ready_future(std::move(id))) {}
  explicit client_base(future<id_type>&& id) : client_state(std::move(id).share()) {}
  explicit client_base(shared_future<id_type> id) : client_state(std::move(id)) {}
  explicit client_base(future<Derived>&& other)
      : client_base(other.then(weft::launch::sync,
                               [](future<Derived> made) { return made.get().share(); })) {}
  // NOLINTEND(bugprone-crtp-constructor-accessibility)

  /// A future for what `f(client)` returns, which is called when the component is made.
  template <class F>
  auto then(F&& f) const {
    return share().then([call = std::decay_t<F>(std::forward<F>(f)),
                         me = static_cast<const Derived&>(*this)](const auto&) mutable {
      return std::invoke(call, std::move(me));
    });
  }

  /// Gives the component a name, as hpx::agas does.
  future<bool> register_as(std::string name) const {
    return compat::register_id(std::move(name), share());
  }
  /// Gives up the component.
  void free() { static_cast<client_state&>(*this) = client_base(); }
  void reset() { free(); }
  /// Waits in the background until a component has the name.
  void connect_to(std::string name) {
    static_cast<client_state&>(*this) = client_base(compat::find_id(std::move(name)));
  }
};

/// A component whose actions run as an executor's tasks.
template <class Executor, class Base>
class executor_component : public Base {
 public:
  explicit executor_component(Executor executor) : action_executor(std::move(executor)) {}
  Executor action_executor;
};

/// A client without functions of its own.
template <class Component>
class client : public client_base<client<Component>, Component> {
 public:
  using client_base<client, Component>::client_base;
  client() = default;
  client(future<id_type>&& id)  // implicit, as HPX's
      : client_base<client, Component>(std::move(id)) {}
};

}  // namespace components

namespace compat {

template <class T>
struct component_of {
  using type = T;
};
template <client T>
struct component_of<T> {
  using type = typename T::server_component_type;
};

template <class T, class... Args>
future<id_type> make_component(weft::distributed::locality where, Args&&... args) {
  compat::wait_for_clients(args...);
  return weft::distributed::make_remote<T>(where, std::forward<Args>(args)...)
      .then(weft::launch::sync,
            [](future<weft::distributed::remote<T>> made) { return id_type(made.get()); });
}

/// Localities among which components or elements are dealt out in blocks.
class layout {
 public:
  layout() : layout(find_all_localities()) {}
  explicit layout(const std::vector<id_type>& localities) : layout(localities.size(), localities) {}
  explicit layout(std::size_t num_parts) : layout(num_parts, find_all_localities()) {}
  explicit layout(const id_type& locality) : localities_{locality}, num_parts_(1) {}
  layout(std::size_t num_parts, std::vector<id_type> localities)
      : localities_(std::move(localities)), num_parts_(num_parts) {
    if (localities_.empty() || num_parts_ == 0) {
      throw exception(error::bad_parameter, "a layout has at least one locality and one part");
    }
  }

  [[nodiscard]] std::size_t num_parts() const noexcept { return num_parts_; }
  /// Where part `i` of `count` is.
  [[nodiscard]] const id_type& locality_of(std::size_t i, std::size_t count) const {
    return localities_[i * localities_.size() / count];
  }

  /// `hpx::container_layout(...)` and `hpx::default_layout(...)` are calls.
  template <class... Args>
    requires std::constructible_from<layout, const Args&...>
  layout operator()(const Args&... args) const {
    return layout(args...);
  }

 private:
  std::vector<id_type> localities_;
  std::size_t num_parts_;
};

}  // namespace compat

using default_distribution_policy = compat::layout;
struct layout_maker {
  template <class... Args>
  compat::layout operator()(const Args&... args) const {
    return compat::layout(args...);
  }
  operator compat::layout() const { return {}; }  // implicit: the names are values, too
};
inline constexpr layout_maker default_layout;
inline constexpr layout_maker container_layout;
using container_distribution_policy = compat::layout;

/// Makes a component of copies of `args`: a future for its id, or the client if T is one.
///
/// Cost:    a call. Clients among the arguments are waited for here.
/// Errors:  the future has what the constructor throws.
template <class T, class... Args>
  requires(!std::is_array_v<T>)
// NOLINTNEXTLINE(readability-identifier-naming): HPX's name
auto new_(const id_type& where, Args&&... args) {
  auto id = compat::make_component<typename compat::component_of<T>::type>(
      where.locality(), std::forward<Args>(args)...);
  if constexpr (compat::client<T>) {
    return T(std::move(id));
  } else {
    return id;
  }
}
template <class T, class... Args>
  requires(!std::is_array_v<T>)
// NOLINTNEXTLINE(readability-identifier-naming): HPX's name
auto new_(launch::sync_policy /*how*/, const id_type& where, Args&&... args) {
  return hpx::new_<T>(where, std::forward<Args>(args)...).get();
}
template <class T, class... Args>
  requires(!std::is_array_v<T>)
// NOLINTNEXTLINE(readability-identifier-naming): HPX's name
auto new_(const compat::layout& where, Args&&... args) {
  return hpx::new_<T>(where.locality_of(0, 1), std::forward<Args>(args)...);
}
template <class T, class... Args>
  requires(!compat::target<Args> && ...)
auto local_new(Args&&... args) {
  return hpx::new_<T>(find_here(), std::forward<Args>(args)...);
}
template <class T, class... Args>
auto local_new(launch::sync_policy /*how*/, Args&&... args) {
  return hpx::new_<T>(find_here(), std::forward<Args>(args)...).get();
}

/// Makes `count` components: a future for their ids, or for clients.
template <class T, class... Args>
  requires std::is_unbounded_array_v<T>
// NOLINTNEXTLINE(readability-identifier-naming): HPX's name
auto new_(const compat::layout& where, std::size_t count, const Args&... args) {
  using element = std::remove_extent_t<T>;
  using made = decltype(hpx::new_<element>(id_type(), args...));
  std::vector<made> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(hpx::new_<element>(where.locality_of(i, count), args...));
  }
  if constexpr (compat::client<made>) {
    return weft::async([all = std::move(all)]() mutable {
      compat::wait_for_clients(all);
      return std::move(all);
    });
  } else {
    return weft::async([all = std::move(all)]() mutable {
      std::vector<id_type> ids;
      for (future<id_type>& each : all) {
        ids.push_back(each.get());
      }
      return ids;
    });
  }
}
template <class T, class... Args>
  requires std::is_unbounded_array_v<T>
// NOLINTNEXTLINE(readability-identifier-naming): HPX's name
auto new_(const id_type& where, std::size_t count, const Args&... args) {
  return hpx::new_<T>(compat::layout(where), count, args...);
}

/// The component, which must be on this locality; it stays while the pointer lives.
template <class T>
[[nodiscard]] std::shared_ptr<T> get_ptr(launch::sync_policy /*how*/, const id_type& id) {
  std::shared_ptr<T> found = weft::distributed::static_remote_cast<T>(id.component()).local();
  if (found == nullptr) {
    throw exception(error::bad_parameter,
                    "hpx::get_ptr: the component is on another locality; call an action");
  }
  return found;
}
template <class T>
[[nodiscard]] future<std::shared_ptr<T>> get_ptr(const id_type& id) {
  return weft::async([id] { return hpx::get_ptr<T>(launch::sync, id); });
}
template <class Derived, class Component>
[[nodiscard]] auto get_ptr(const components::client_base<Derived, Component>& client) {
  return hpx::get_ptr<Component>(client.get_id());
}
template <class Derived, class Component>
[[nodiscard]] auto get_ptr(launch::sync_policy how,
                           const components::client_base<Derived, Component>& client) {
  return hpx::get_ptr<Component>(how, client.get_id());
}

template <class Client>
[[nodiscard]] Client make_client(const id_type& id) {
  return Client(id);
}
template <class Client>
[[nodiscard]] Client make_client(future<id_type>&& id) {
  return Client(std::move(id));
}

namespace components {

using hpx::default_layout;
using hpx::get_ptr;
using hpx::local_new;
using hpx::new_;

/// Moves a component to a locality; T is serialisable and has a default constructor.
template <class T>
future<id_type> migrate(const id_type& id, const id_type& where) {
  return weft::distributed::migrate(weft::distributed::static_remote_cast<T>(id.component()),
                                    where.locality())
      .then(weft::launch::sync, [id](future<void> moved) {
        moved.get();
        return id;
      });
}

}  // namespace components
}  // namespace hpx
