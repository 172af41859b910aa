// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The base of clients of components. A client may be made before the id of its component is known.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include <hpx/compat/id_type.hpp>
#include <hpx/compat/pack_traversal.hpp>
#include <hpx/exception.hpp>
#include <hpx/future.hpp>

#include "weft/distributed/archive.hpp"

namespace hpx::compat {

/// The id of a client's component, as soon as the component is made.
class client_state {
 public:
  [[nodiscard]] bool valid() const noexcept { return id_.valid(); }
  explicit operator bool() const noexcept { return valid(); }
  [[nodiscard]] bool is_ready() const { return !valid() || id_.is_ready(); }
  void wait() const {
    if (valid()) {
      id_.wait();
    }
  }
  /// Waits; an empty client has an empty id.
  [[nodiscard]] const id_type& get_id() const { return valid() ? id_.get() : invalid_id; }
  [[nodiscard]] const id_type& get() const { return get_id(); }
  [[nodiscard]] const shared_future<id_type>& share() const noexcept { return id_; }
  friend bool operator==(const client_state& one, const client_state& other) {
    return one.get_id() == other.get_id();
  }

 protected:
  client_state() = default;
  explicit client_state(shared_future<id_type> id) : id_(std::move(id)) {}

 private:
  friend class weft::distributed::archive_access;
  void save(weft::distributed::output_archive& to) const {
    if (!is_ready()) {
      throw exception(error::invalid_status,
                      "a client inside a class is sent before its component is made: call wait() "
                      "of the client first");
    }
    to(get_id());
  }
  void load(weft::distributed::input_archive& from) {
    id_type id;
    from(id);
    id_ = id ? weft::make_ready_future(std::move(id)).share() : shared_future<id_type>();
  }

  shared_future<id_type> id_;
};

template <class T>
concept client = std::derived_from<std::remove_cvref_t<T>, client_state>;

// NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): callers hold the id
[[nodiscard]] inline const id_type& id_of(const id_type& id) noexcept { return id; }
[[nodiscard]] inline const id_type& id_of(const client_state& client) { return client.get_id(); }

/// An argument that says where an action runs: an id, or a client.
template <class T>
concept target = client<T> || std::same_as<std::remove_cvref_t<T>, id_type>;

/// Whether the clients are ready, also those in containers and tuples.
template <class... Args>
[[nodiscard]] bool are_clients_ready(const Args&... args) {
  bool are_ready = true;
  util::traverse_pack(
      [&are_ready](const client_state& each) { are_ready = are_ready && each.is_ready(); },
      args...);
  return are_ready;
}
/// Waits until they are.
template <class... Args>
void wait_for_clients(const Args&... args) {
  util::traverse_pack([](const client_state& each) { each.wait(); }, args...);
}

}  // namespace hpx::compat
