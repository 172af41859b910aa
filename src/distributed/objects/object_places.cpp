// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds objects, keeps them where they are during calls, and moves them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>

#include "weft/base/error.hpp"
#include "weft/distributed/detail/object_table.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/promise.hpp"

namespace weft::distributed::detail {
namespace {

// A call waits this long for a task that wants to move the object; longer if that task has waited
// for longer. The limit keeps calls from waiting for each other forever.
constexpr std::chrono::milliseconds shortest_delay{1};
constexpr std::chrono::milliseconds longest_delay{100};

error no_such_object(object_id id) {
  return {errc::invalid_status,
          "rank " + std::to_string(id.home) + " has no object " + std::to_string(id.number) +
              ": it was destroyed, or the handle comes from another job"};
}

void require_type(const std::type_info& is, const std::type_info& asked) {
  if (is != asked) {
    throw error(errc::invalid_status,
                std::string("a remote handle for ") + asked.name() + " names an object of type " +
                    is.name() + ": use the type that make_remote was called with");
  }
}

}  // namespace

/// The rank that knows where an object is which this rank does not have.
int object_table::elsewhere(object_id id) const {
  if (id.home != rank_) {
    return id.home;
  }
  const auto known = made_.find(id.number);
  if (known == made_.end() || known->second.place == rank_) {
    throw no_such_object(id);
  }
  return known->second.place;
}

/// Keeps an object where it is. Made before the lock is taken, and filled under the lock.
struct object_table::pin_holder {
  pin_holder(std::shared_ptr<object_table> table, object_id which) noexcept
      : all(std::move(table)), id(which) {}
  pin_holder(const pin_holder&) = delete;
  pin_holder& operator=(const pin_holder&) = delete;
  ~pin_holder() {
    if (object != nullptr) {
      all->unpin(id);
    }
  }
  static std::shared_ptr<void> fill(const std::shared_ptr<pin_holder>& made, body& one) noexcept {
    made->object = one.object;
    ++one.num_pins;
    return {made, one.object.get()};
  }

  const std::shared_ptr<object_table> all;
  const object_id id;
  std::shared_ptr<void> object;
};

object_table::access object_table::pin(object_id id, const std::type_info& type) {
  const auto holder = std::make_shared<pin_holder>(shared_from_this(), id);
  for (bool has_waited = false;;) {
    shared_future<void> move_ended;
    auto delay = clock::duration::max();
    {
      const std::lock_guard guard(lock_);
      const auto found = bodies_.find(id);
      if (found == bodies_.end()) {
        return {.object = nullptr, .elsewhere = elsewhere(id)};
      }
      body& one = found->second;
      require_type(*one.type, type);
      if (!one.move_ended.valid() || (has_waited && !one.is_in_transit)) {
        return {
            .object = pin_holder::fill(holder, one), .elsewhere = rank_, .version = one.version};
      }
      move_ended = one.move_ended;
      if (!one.is_in_transit) {
        delay = std::clamp<clock::duration>(
            clock::now() - one.move_began, shortest_delay, longest_delay);
      }
    }
    if (delay == clock::duration::max()) {
      move_ended.wait();
    } else {
      has_waited = move_ended.wait_for(delay) != future_status::ready;
    }
  }
}

std::shared_ptr<void> object_table::try_pin(object_id id, const std::type_info& type) {
  const auto holder = std::make_shared<pin_holder>(shared_from_this(), id);
  const std::lock_guard guard(lock_);
  const auto found = bodies_.find(id);
  if (found == bodies_.end() || found->second.is_in_transit) {
    return nullptr;
  }
  require_type(*found->second.type, type);
  return pin_holder::fill(holder, found->second);
}

void object_table::unpin(object_id id) noexcept {
  std::optional<promise<void>> idle;
  {
    const std::lock_guard guard(lock_);
    const auto found = bodies_.find(id);
    if (found == bodies_.end()) {
      return;  // closed
    }
    body& one = found->second;
    if (--one.num_pins == 0 && one.idle) {
      one.is_in_transit = true;
      idle.swap(one.idle);
    }
  }
  if (idle) {
    idle->set_value();
  }
}

object_table::access object_table::begin_move(object_id id, const std::type_info& type) {
  for (;;) {
    shared_future<void> former;
    future<void> idle;
    access moving;
    {
      promise<void> ended;
      shared_future<void> end = ended.get_future().share();
      promise<void> awaited;
      const std::lock_guard guard(lock_);
      const auto found = bodies_.find(id);
      if (found == bodies_.end()) {
        return {.object = nullptr, .elsewhere = elsewhere(id)};
      }
      body& one = found->second;
      require_type(*one.type, type);
      if (one.move_ended.valid()) {
        former = one.move_ended;
      } else {
        moving = {.object = one.object, .elsewhere = rank_, .version = one.version};
        one.move_began = clock::now();
        one.move_ended = std::move(end);
        one.ended = std::move(ended);
        one.is_in_transit = one.num_pins == 0;
        if (!one.is_in_transit) {
          idle = awaited.get_future();
          one.idle = std::move(awaited);
        }
      }
    }
    if (!former.valid()) {
      if (idle.valid()) {
        wait_until_idle(id, idle);
      }
      return moving;
    }
    former.wait();
  }
}

/// If there is no stack to wait on, the move ends.
void object_table::wait_until_idle(object_id id, const future<void>& idle) {
  try {
    idle.wait();
  } catch (...) {
    end_move(id, rank_);
    throw;
  }
}

void object_table::end_move(object_id id, int place) {
  body gone;
  std::optional<promise<void>> idle;
  std::optional<promise<void>> ended;
  {
    const std::lock_guard guard(lock_);
    const auto found = bodies_.find(id);
    if (found == bodies_.end()) {
      return;  // closed
    }
    ended.swap(found->second.ended);
    idle.swap(found->second.idle);
    if (place == rank_) {
      found->second.is_in_transit = false;
      found->second.move_ended = {};
    } else {
      gone = std::move(found->second);
      bodies_.erase(found);
    }
  }
  if (ended) {
    ended->set_value();
  }
}

/// The object may come back before this rank knows that it has arrived elsewhere.
void object_table::install(object_id id,
                           std::shared_ptr<void> object,
                           const std::type_info& type,
                           std::uint64_t version) {
  for (;;) {
    shared_future<void> former;
    {
      const std::lock_guard guard(lock_);
      const auto found = bodies_.find(id);
      if (found == bodies_.end()) {
        bodies_[id] = {.object = std::move(object), .type = &type, .version = version};
        return;
      }
      former = found->second.move_ended;
    }
    former.wait();
  }
}

void object_table::note_place(object_id id, int place, std::uint64_t version) {
  const std::lock_guard guard(lock_);
  const auto known = made_.find(id.number);
  if (known != made_.end() && version > known->second.version) {
    known->second.place = place;
    known->second.version = version;
  }
}

void object_table::learn(object_id id, int place) {
  reference_pointer mine;  // outlives the lock, since its end takes the lock
  const std::lock_guard guard(lock_);
  if (const auto known = references_.find(id); known != references_.end()) {
    mine = known->second.lock();
  }
  if (mine != nullptr) {
    mine->place_.store(place, std::memory_order_relaxed);
  }
}

}  // namespace weft::distributed::detail
