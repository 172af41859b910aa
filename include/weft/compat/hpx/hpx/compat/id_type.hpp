// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of localities and components.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <hpx/compat/launch.hpp>
#include <hpx/exception.hpp>
#include <hpx/future.hpp>
#include <hpx/runtime.hpp>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/async.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/remote.hpp"

namespace hpx {

/// A locality, or a handle that keeps a component; empty: neither.
///
/// Threads: as weft::distributed::remote.
class id_type {
 public:
  id_type() noexcept = default;
  explicit id_type(weft::distributed::locality where) noexcept : rank_(where.rank()) {}
  explicit id_type(weft::distributed::remote<void> component) noexcept
      : component_(std::move(component)) {}

  [[nodiscard]] explicit operator bool() const noexcept {
    return rank_ != no_rank || static_cast<bool>(component_);
  }
  friend bool operator==(const id_type& one, const id_type& other) noexcept = default;
  friend std::ostream& operator<<(std::ostream& out, const id_type& id) {
    if (!id) {
      return out << "{invalid}";
    }
    return out << (id.component_ ? "{component on locality " : "{locality ") << id.locality().rank()
               << '}';
  }

  /// The locality, or the one where the component is.
  /// Errors: `hpx::exception` if it is empty.
  [[nodiscard]] weft::distributed::locality locality() const {
    return rank_ != no_rank ? weft::distributed::locality(rank_) : component().owner();
  }
  /// Errors: `hpx::exception` if it names no component.
  [[nodiscard]] const weft::distributed::remote<void>& component() const {
    if (!component_) {
      throw exception(error::bad_parameter,
                      "this hpx::id_type names no component: pass what hpx::new_ gives");
    }
    return component_;
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(rank_, component_);
  }

 private:
  static constexpr int no_rank = -1;
  int rank_ = no_rank;
  weft::distributed::remote<void> component_;
};

inline const id_type invalid_id;

namespace naming {
using hpx::id_type;
using hpx::invalid_id;
[[nodiscard]] inline std::uint32_t get_locality_id_from_id(const id_type& id) {
  return static_cast<std::uint32_t>(id.locality().rank());
}
}  // namespace naming

[[nodiscard]] inline id_type find_here() { return id_type(weft::distributed::here()); }
[[nodiscard]] inline id_type find_root_locality() {
  return id_type(weft::distributed::locality(0));
}
[[nodiscard]] inline std::vector<id_type> find_all_localities() {
  std::vector<id_type> all;
  for (const weft::distributed::locality each : weft::distributed::all()) {
    all.emplace_back(each);
  }
  return all;
}
[[nodiscard]] inline std::vector<id_type> find_remote_localities() {
  std::vector<id_type> all = find_all_localities();
  std::erase(all, find_here());
  return all;
}
/// The locality of a component.
[[nodiscard]] inline id_type colocated(const id_type& id) { return id_type(id.locality()); }
[[nodiscard]] inline id_type get_colocation_id(launch::sync_policy /*how*/, const id_type& id) {
  return colocated(id);
}
[[nodiscard]] inline future<id_type> get_colocation_id(const id_type& id) {
  return weft::make_ready_future(colocated(id));
}
[[nodiscard]] inline future<std::string> get_locality_name(const id_type& id) {
  return weft::distributed::async(id.locality(), [] { return get_locality_name(); });
}

}  // namespace hpx
