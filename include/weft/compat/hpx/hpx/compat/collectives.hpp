// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collective operations over sites, by name: each site has one value.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hpx/compat/basenames.hpp>
#include <hpx/compat/client_state.hpp>
#include <hpx/compat/id_type.hpp>
#include <hpx/exception.hpp>
#include <hpx/future.hpp>
#include <hpx/runtime.hpp>

#include "weft/distributed/locality.hpp"
#include "weft/distributed/remote.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/mutex.hpp"
#include "weft/tasks/promise.hpp"

namespace hpx {

namespace compat {

/// Where one operation gathers the values of all its sites.
template <class T>
class gathering {
 public:
  explicit gathering(std::size_t num_sites) : values_(num_sites), num_missing_(num_sites) {}

  void put(std::size_t site, T value) {
    std::unique_lock guard(mutex_);
    if (site >= values_.size() || num_missing_ == 0) {
      throw exception(error::bad_parameter,
                      "a collective operation of " + std::to_string(values_.size()) +
                          " sites got a value of site " + std::to_string(site) +
                          ": every site calls it once");
    }
    values_[site] = std::move(value);
    if (--num_missing_ == 0) {
      guard.unlock();
      all_.set_value(std::move(values_));
    }
  }
  [[nodiscard]] shared_future<std::vector<T>> get() const { return result_; }

 private:
  weft::mutex mutex_;
  std::vector<T> values_;
  std::size_t num_missing_;
  weft::promise<std::vector<T>> all_;
  shared_future<std::vector<T>> result_ = all_.get_future().share();
};

/// A number that a collective operation takes by its type.
template <class Tag>
struct site_argument {
  constexpr explicit site_argument(std::size_t given) noexcept : number(given) {}
  std::size_t number;
};

/// How often this process has started an operation of this name.
[[nodiscard]] std::size_t next_generation(const std::string& name);

}  // namespace compat

namespace collectives {

using num_sites_arg = compat::site_argument<struct num_sites_tag>;
using this_site_arg = compat::site_argument<struct this_site_tag>;
using root_site_arg = compat::site_argument<struct root_site_tag>;
using that_site_arg = root_site_arg;
using generation_arg = compat::site_argument<struct generation_tag>;

/// The sites that work together, and which one the caller is: one site for each locality, if not
/// said otherwise.
class communicator {
 public:
  communicator(std::string name) : name_(std::move(name)) {}  // implicit: names are accepted
  communicator(const char* name) : name_(name) {}

  template <class... Options>
  [[nodiscard]] communicator with(Options... options) const {
    communicator changed = *this;
    (changed.set(options), ...);
    return changed;
  }
  [[nodiscard]] std::size_t num_sites() const noexcept { return num_sites_; }
  [[nodiscard]] std::size_t root() const noexcept { return root_; }

  /// The values of all sites for those that want them; others get an empty vector.
  template <class T>
  [[nodiscard]] future<std::vector<T>> gather(T value, bool is_wanted) const {
    const std::string site = compat::numbered(name_, site_);
    const std::size_t generation = generation_ ? *generation_ : compat::next_generation(site);
    const std::string name = compat::numbered("collective/" + name_, generation);
    return weft::async([all = *this, name, is_wanted, value = std::move(value)]() mutable {
      const bool is_root = all.site_ == all.root_;
      const auto place = weft::distributed::static_remote_cast<compat::gathering<T>>(
          (is_root ? all.make<T>(name) : compat::find_id(name)).get().component());
      compat::wait_for_clients(value);
      place.template async<&compat::gathering<T>::put>(all.site_, std::move(value)).get();
      std::vector<T> values;
      if (is_wanted) {
        values = place.template async<&compat::gathering<T>::get>().get();
      }
      if (is_root) {
        weft::distributed::unregister_name(name, weft::distributed::locality(0)).get();
      }
      return values;
    });
  }

 private:
  void set(num_sites_arg given) noexcept { num_sites_ = given.number; }
  void set(this_site_arg given) noexcept { site_ = given.number; }
  void set(root_site_arg given) noexcept { root_ = given.number; }
  void set(generation_arg given) noexcept { generation_ = given.number; }

  template <class T>
  [[nodiscard]] future<id_type> make(const std::string& name) const {
    const weft::distributed::remote<void> made =
        weft::distributed::make_remote<compat::gathering<T>>(weft::distributed::here(), num_sites_)
            .get();
    if (!compat::register_id(name, weft::make_ready_future(id_type(made)).share()).get()) {
      throw exception(error::bad_parameter,
                      "there is a collective operation \"" + name +
                          "\" already: give each one its own name or generation");
    }
    return weft::make_ready_future(id_type(made));
  }

  std::string name_;
  std::size_t num_sites_ = get_num_localities(launch::sync);
  std::size_t site_ = get_locality_id();
  std::size_t root_ = 0;
  std::optional<std::size_t> generation_;
};
template <class... Options>
[[nodiscard]] communicator create_communicator(const communicator& name, Options... options) {
  return name.with(options...);
}

/// The values of all sites, in their order, for the root, which calls `gather_here`.
///
/// All of these functions: every site calls them, in the same order for one name. Options are
/// `num_sites_arg`, `this_site_arg`, `root_site_arg` and `generation_arg`.
/// Cost:    a message of each site to the root, and back to the sites that get values.
template <class T, class... Options>
[[nodiscard]] future<std::vector<T>> gather_here(const communicator& sites,
                                                 T value,
                                                 Options... options) {
  return sites.with(options...).gather(std::move(value), true);
}
template <class T, class... Options>
[[nodiscard]] future<void> gather_there(const communicator& sites, T value, Options... options) {
  return future<void>(sites.with(options...).gather(std::move(value), false));
}
template <class T, class... Options>
[[nodiscard]] future<std::vector<T>> all_gather(const communicator& sites,
                                                T value,
                                                Options... options) {
  return sites.with(options...).gather(std::move(value), true);
}

/// `operation` of the values of all sites, in their order.
template <class T, class Operation, class... Options>
[[nodiscard]] future<T> all_reduce(const communicator& sites,
                                   T value,
                                   Operation operation,
                                   Options... options) {
  return sites.with(options...)
      .gather(std::move(value), true)
      .then(weft::launch::sync, [operation](future<std::vector<T>> all) {
        std::vector<T> values = all.get();
        T result = std::move(values.front());
        for (std::size_t i = 1; i < values.size(); ++i) {
          result = operation(std::move(result), std::move(values[i]));
        }
        return result;
      });
}
template <class T, class Operation, class... Options>
[[nodiscard]] future<T> reduce_here(const communicator& sites,
                                    T value,
                                    Operation operation,
                                    Options... options) {
  return collectives::all_reduce(sites, std::move(value), operation, options...);
}
template <class T, class... Options>
[[nodiscard]] future<void> reduce_there(const communicator& sites, T value, Options... options) {
  return collectives::gather_there(sites, std::move(value), options...);
}

/// The value of the root, which calls `broadcast_to`.
template <class T, class... Options>
[[nodiscard]] future<T> broadcast_from(const communicator& sites, Options... options) {
  const communicator all = sites.with(options...);
  return all.gather(std::optional<T>(), true)
      .then(weft::launch::sync, [root = all.root()](future<std::vector<std::optional<T>>> values) {
        return *values.get()[root];
      });
}
template <class T, class... Options>
[[nodiscard]] future<T> broadcast_to(const communicator& sites, T value, Options... options) {
  return sites.with(options...)
      .gather(std::optional<T>(value), true)
      .then(weft::launch::sync,
            [value](const future<std::vector<std::optional<T>>>&) { return value; });
}

}  // namespace collectives
}  // namespace hpx
