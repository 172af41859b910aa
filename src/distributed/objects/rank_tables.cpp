// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values found by name, and calls that may be asked to stop.
#include "weft/distributed/detail/rank_tables.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/object_table.hpp"
#include "weft/tasks/alarm.hpp"
#include "weft/tasks/condition_variable.hpp"
#include "weft/tasks/stop_token.hpp"

#include "distributed/calls/counter_server.hpp"

namespace weft::distributed::detail {

void name_table::add(const std::string& name,
                     std::shared_ptr<const void> value,
                     const std::type_info& type) {
  const std::lock_guard guard(mutex_);
  if (!all_.try_emplace(name, named{.value = std::move(value), .type = &type}).second) {
    throw error(errc::bad_parameter,
                "rank " + std::to_string(rank_) + " has the name \"" + name +
                    "\" already: choose another one, or call unregister_name first");
  }
  changed_.notify_all();
}

bool name_table::remove(const std::string& name) {
  named gone;
  const std::lock_guard guard(mutex_);
  const auto found = all_.find(name);
  if (found == all_.end()) {
    return false;
  }
  gone = std::move(found->second);
  all_.erase(found);
  return true;
}

std::shared_ptr<const void> name_table::find(const std::string& name,
                                             const std::type_info& type,
                                             const std::optional<tasks::time_point>& deadline) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (const auto found = all_.find(name); found != all_.end()) {
      if (*found->second.type != type) {
        throw error(errc::bad_parameter,
                    "the name \"" + name + "\" of rank " + std::to_string(rank_) +
                        " is that of a " + found->second.type->name() + ", not of a " +
                        type.name() + ": call find with the type that was registered");
      }
      return found->second.value;
    }
    if (!deadline) {
      changed_.wait(lock);
    } else if (changed_.wait_until(lock, *deadline) == cv_status::timeout) {
      return nullptr;
    }
  }
}

void name_table::clear() noexcept {
  decltype(all_) gone;
  const std::lock_guard guard(mutex_);
  gone.swap(all_);
}

std::uint64_t stop_table::next_number() noexcept {
  const std::lock_guard guard(lock_);
  return ++last_number_;
}

stop_token stop_table::add(call_id call) {
  stop_source fresh;
  stop_token token = fresh.get_token();
  const std::lock_guard guard(lock_);
  all_.insert_or_assign(call, std::move(fresh));
  return token;
}

void stop_table::remove(call_id call) noexcept {
  const std::lock_guard guard(lock_);
  all_.erase(call);
}

void stop_table::request_stop(call_id call) {
  stop_source found(nostopstate);
  {
    const std::lock_guard guard(lock_);
    if (const auto running = all_.find(call); running != all_.end()) {
      found = running->second;
    }
  }
  found.request_stop();
}

rank_tables::rank_tables(engine& home, int rank)
    : objects(std::make_shared<object_table>(home)),
      names(rank),
      counters(std::make_unique<counter_server>()) {}
rank_tables::~rank_tables() = default;

void rank_tables::close() noexcept {
  objects->close();  // first: handles that have names then end without messages to other ranks
  names.clear();
}

}  // namespace weft::distributed::detail
