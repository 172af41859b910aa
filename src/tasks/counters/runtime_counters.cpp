// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes counters from the rows of the table, and lists their instances.
#include "tasks/counters/runtime_counters.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/localities.hpp"
#include "counters/core/worker_threads.hpp"
#include "tasks/counters/runtime_counter_rows.hpp"
#include "tasks/counters/runtime_moment.hpp"

namespace weft::tasks::detail {
namespace {

using counters::counter_name;
using counters::counter_value;
using counters::evaluation;

/// The worker or pool that an instance names; without a pool, all of them together.
struct counted_instance {
  std::string pool = {};
  std::optional<std::uint32_t> worker = std::nullopt;
};

/// A moment and, if the instance names a pool, that pool.
struct found_moment {
  std::shared_ptr<const runtime_moment> moment;
  std::uint32_t pool = 0;
};

std::shared_ptr<const process_moment> moment_of(evaluation& now) {
  static constexpr char key = 0;
  return now.once<process_moment>(&key, read_runtimes);
}

/// Returns no moment if that worker or pool does not exist.
found_moment find(const std::shared_ptr<const process_moment>& all, const counted_instance& whose) {
  if (whose.pool.empty()) {
    return {.moment = {all, &all->total}};
  }
  const auto pool = std::ranges::find(all->pools, whose.pool, &pool_moment::name);
  if (pool == all->pools.end() || whose.worker.value_or(0) >= pool->workers.size()) {
    return {};
  }
  return {.moment = {all, whose.worker ? &pool->workers[*whose.worker] : &pool->total},
          .pool = pool->number};
}

class runtime_counter final : public counters::counter {
 public:
  runtime_counter(const runtime_counter_row& row, counted_instance whose)
      : row_(row), whose_(std::move(whose)) {}

  [[nodiscard]] counter_value evaluate(evaluation& now) override {
    const std::shared_ptr<const process_moment> all = moment_of(now);
    const found_moment found = find(all, whose_);
    if (found.moment == nullptr) {
      return {.value = std::nullopt, .reason = "runtime " + whose_.pool + " has ended"};
    }
    if (found.pool != since_.pool) {
      since_ = {};  // another runtime of the same name
    }
    return row_.value({.process = *all, .now = *found.moment, .since = since_.moment.get()});
  }

  void reset(evaluation& now) override { since_ = find(moment_of(now), whose_); }

 private:
  const runtime_counter_row& row_;
  const counted_instance whose_;
  found_moment since_;
};

counter_name with_instance(counter_name type, const std::string& pool, counters::instance_part of) {
  type.instance.push_back(counters::detail::own_locality_part());
  if (!pool.empty()) {
    type.instance.push_back({.name = "pool", .index = pool});
  }
  type.instance.push_back(std::move(of));
  return type;
}

std::vector<counter_name> instances(const runtime_counter_row& row) {
  const counter_name type = counters::parse_counter_name(row.name);
  std::vector<counter_name> names{with_instance(type, {}, {.name = "total"})};
  if (row.scope == counter_scope::process) {
    return names;
  }
  for (const pool_size& pool : known_pools()) {
    names.push_back(with_instance(type, pool.name, {.name = "total"}));
    const unsigned num_workers = row.scope == counter_scope::workers ? pool.num_workers : 0;
    for (unsigned i = 0; i < num_workers; ++i) {
      names.push_back(with_instance(type, pool.name, {.name = "worker-thread", .index = i}));
    }
  }
  return names;
}

/// `name` is one of `instances`.
std::unique_ptr<counters::counter> make(const runtime_counter_row& row, const counter_name& name) {
  if (!name.parameters.empty()) {
    throw error("counter " + std::string(row.name) + " takes no parameters; leave out \"@" +
                name.parameters + '"');
  }
  counted_instance whose;
  for (const counters::instance_part& part : name.instance) {
    if (part.name == "pool") {
      whose.pool = std::get<std::string>(part.index);
    } else if (part.name == "worker-thread") {
      whose.worker = std::get<std::uint32_t>(part.index);
    }
  }
  return std::make_unique<runtime_counter>(row, std::move(whose));
}

std::vector<counters::detail::pool_name> names_of_pools() {
  std::vector<counters::detail::pool_name> names;
  for (const pool_size& pool : known_pools()) {
    names.push_back({.number = pool.number, .name = pool.name});
  }
  return names;
}

std::vector<counters::registration> register_all() {
  std::vector<counters::registration> kept;
  for (const runtime_counter_row& row : runtime_counter_rows()) {
    kept.push_back(counters::process_counters().add(
        {.type = {.name = std::string(row.name),
                  .unit = std::string(row.unit),
                  .help = std::string(row.help),
                  .kind = row.kind},
         .instances = [&row] { return instances(row); },
         .make = [&row](const counter_name& name) { return make(row, name); }}));
  }
  return kept;
}

// Registers the counters before a runtime exists, unless a static object asks even earlier.
// NOLINTNEXTLINE(bugprone-throwing-static-initialization): without memory a program may end
[[maybe_unused]] const bool is_registered_at_start = (register_runtime_counters(), true);

}  // namespace

void register_runtime_counters() {
  counters::detail::set_pool_name_source(names_of_pools);
  // Never destroyed: sessions may outlive the statics of this file.
  static const auto* const kept = new std::vector<counters::registration>(register_all());
  static_cast<void>(kept);
}

}  // namespace weft::tasks::detail
