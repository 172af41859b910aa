// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which engine a call uses.
#include "distributed/calls/engines.hpp"

#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::distributed {
namespace detail {
namespace {

struct listed {
  engine* one;
  const tasks::scheduler* home;
};

struct engines {
  std::shared_mutex mutex;
  std::vector<listed> all;
  std::atomic<engine*> only{nullptr};  // null: no engine, or several

  void renew() noexcept {
    // release: pairs with current()
    only.store(all.size() == 1 ? all.front().one : nullptr, std::memory_order_release);
  }
};

engines& process_engines() {
  static engines& instance = *new engines;  // objects destroyed after main() may still read this
  return instance;
}

thread_local constinit engine* polling = nullptr;

}  // namespace

polling_scope::polling_scope(engine& one) noexcept { polling = &one; }
polling_scope::~polling_scope() { polling = nullptr; }

void register_engine(engine& one, const tasks::scheduler& home) {
  engines& mine = process_engines();
  const std::lock_guard guard(mine.mutex);
  mine.all.push_back({.one = &one, .home = &home});
  mine.renew();
}

void unregister_engine(const engine& one) noexcept {
  engines& mine = process_engines();
  const std::lock_guard guard(mine.mutex);
  std::erase_if(mine.all, [&](const listed& each) { return each.one == &one; });
  mine.renew();
}

bool has_engines() noexcept {
  engines& mine = process_engines();
  const std::shared_lock guard(mine.mutex);
  return !mine.all.empty();
}

engine& engine::current() {
  engines& mine = process_engines();
  if (engine* const only = mine.only.load(std::memory_order_acquire)) {
    return *only;
  }
  if (polling != nullptr) {
    return *polling;
  }
  const tasks::scheduler* const home = tasks::scheduler_here();
  const std::shared_lock guard(mine.mutex);
  for (const listed& each : mine.all) {
    if (each.home == home) {
      return *each.one;
    }
  }
  throw error(errc::invalid_status,
              "there is no weft::distributed::runtime: make one at the beginning of main, on every "
              "rank");
}

}  // namespace detail

locality here() { return locality(detail::engine::current().rank()); }
int num_localities() { return detail::engine::current().size(); }

}  // namespace weft::distributed
