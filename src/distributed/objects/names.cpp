// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names on the rank that keeps them.
#include "weft/distributed/names.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>

#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/rank_tables.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/alarm.hpp"
#include "weft/tasks/future.hpp"

namespace weft::distributed {
namespace detail {
namespace {

struct remove_name_target {
  using arguments = std::tuple<std::string>;
  using result = bool;
  static bool call(engine& home, std::string&& name) { return home.tables().names.remove(name); }
};

}  // namespace

void add_name(engine& home,
              const std::string& name,
              std::shared_ptr<const void> value,
              const std::type_info& type) {
  home.tables().names.add(name, std::move(value), type);
}

std::shared_ptr<const void> find_name(engine& home,
                                      const std::string& name,
                                      const std::type_info& type,
                                      std::chrono::nanoseconds longest) {
  std::optional<tasks::time_point> deadline;
  if (longest.count() >= 0) {
    deadline = tasks::deadline_after(longest);
  }
  return home.tables().names.find(name, type, deadline);
}

}  // namespace detail

future<bool> unregister_name(std::string name, locality where) {
  return detail::start_call<detail::remove_name_target>(
      detail::engine::current(), where.rank(), {std::move(name)});
}

}  // namespace weft::distributed
