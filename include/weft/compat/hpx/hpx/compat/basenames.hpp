// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names by which localities find components. Locality 0 has the table.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hpx/compat/client_state.hpp>
#include <hpx/compat/id_type.hpp>
#include <hpx/future.hpp>
#include <hpx/runtime.hpp>

#include "weft/distributed/locality.hpp"
#include "weft/distributed/names.hpp"

namespace hpx {

namespace compat {

/// True once the name is registered, false if another component has it.
inline future<bool> register_id(std::string name, shared_future<id_type> id) {
  return weft::async([name = std::move(name), id = std::move(id)] {
    const id_type& known = id.get();
    try {
      weft::distributed::register_name(name, known, weft::distributed::locality(0)).get();
    } catch (const exception& taken) {
      if (taken.get_error() != error::bad_parameter) {
        throw;
      }
      return false;
    }
    return true;
  });
}
/// Waits until the name is registered.
inline future<id_type> find_id(std::string name) {
  return weft::distributed::find<id_type>(std::move(name), weft::distributed::locality(0));
}
[[nodiscard]] inline std::string numbered(std::string name, std::size_t number) {
  return std::move(name) + '/' + std::to_string(number);
}

}  // namespace compat

inline constexpr std::size_t this_locality_number = ~std::size_t(0);
namespace compat {
[[nodiscard]] inline std::size_t number_or_locality(std::size_t number) {
  return number == this_locality_number ? get_locality_id() : number;
}
}  // namespace compat

/// Registers a component as `number` of the name; the number of this locality if none is given.
inline future<bool> register_with_basename(std::string name,
                                           shared_future<id_type> id,
                                           std::size_t number = this_locality_number) {
  return compat::register_id(compat::numbered(std::move(name), compat::number_or_locality(number)),
                             std::move(id));
}
inline future<bool> register_with_basename(std::string name,
                                           id_type id,
                                           std::size_t number = this_locality_number) {
  return hpx::register_with_basename(
      std::move(name), weft::make_ready_future(std::move(id)).share(), number);
}
template <compat::client Client>
future<bool> register_with_basename(std::string name,
                                    const Client& client,
                                    std::size_t number = this_locality_number) {
  return hpx::register_with_basename(std::move(name), client.share(), number);
}

/// A future for the component that is, or will be, `number` of the name.
[[nodiscard]] inline future<id_type> find_from_basename(std::string name,
                                                        std::size_t number = this_locality_number) {
  return compat::find_id(compat::numbered(std::move(name), compat::number_or_locality(number)));
}
template <compat::client Client>
[[nodiscard]] Client find_from_basename(std::string name,
                                        std::size_t number = this_locality_number) {
  return Client(hpx::find_from_basename(std::move(name), number));
}
/// The first `count` of the name.
[[nodiscard]] inline std::vector<future<id_type>> find_all_from_basename(const std::string& name,
                                                                         std::size_t count) {
  std::vector<future<id_type>> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(hpx::find_from_basename(name, i));
  }
  return all;
}
template <compat::client Client>
[[nodiscard]] std::vector<Client> find_all_from_basename(const std::string& name,
                                                         std::size_t count) {
  std::vector<Client> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(hpx::find_from_basename<Client>(name, i));
  }
  return all;
}

/// A future for the component that had the name; empty if none had.
inline future<id_type> unregister_with_basename(std::string name,
                                                std::size_t number = this_locality_number) {
  return weft::async([key = compat::numbered(std::move(name), compat::number_or_locality(number))] {
    const weft::distributed::locality table(0);
    const std::optional<id_type> found =
        weft::distributed::find_for<id_type>(key, table, std::chrono::seconds(0)).get();
    weft::distributed::unregister_name(key, table).get();
    return found.value_or(id_type());
  });
}

}  // namespace hpx
