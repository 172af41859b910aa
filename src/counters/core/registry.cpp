// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds counters by name and makes them.
#include "weft/counters/registry.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"

#include "counters/core/family_list.hpp"
#include "counters/core/localities.hpp"
#include "counters/families/builtin.hpp"

namespace weft::counters {
namespace {

using detail::family_entry;
using detail::family_list;

/// Adds counters that `name` may mean although an open family does not list them. These are the
/// same event at every instance that the family lists, and without a wildcard `name` itself.
void add_unlisted(std::vector<counter_name>& known,
                  const family_list& families,
                  const counter_name& name) {
  const family_list::entry family = detail::has_type_wildcard(name) ? nullptr : families.find(name);
  if (family != nullptr && family->is_open()) {
    const auto add = [&](counter_name instance) {
      instance.object = name.object;
      instance.counter = name.counter;
      instance.parameters.clear();
      if (std::ranges::find(known, instance) == known.end()) {
        known.push_back(std::move(instance));
      }
    };
    const std::vector<counter_name> listed = family->instances();
    std::ranges::for_each(listed, add);
    if (!detail::has_instance_wildcard(name) && (listed.empty() || !name.instance.empty())) {
      add(complete(name));
    }
  }
  if (!name.base.empty()) {
    add_unlisted(known, families, complete(name.base.front()));
  }
}

/// Adds the counters of other processes that `name` may mean, or a name that it refines.
void add_others(std::vector<counter_name>& known,
                const family_list& families,
                const counter_name& name) {
  if (!name.base.empty()) {
    add_others(known, families, complete(name.base.front()));
  } else if (detail::means_others(name)) {
    if (const auto others = families.others()) {
      std::ranges::copy_if(others->discover(name),
                           std::back_inserter(known),
                           [mine = known](const counter_name& each) {
                             return std::ranges::find(mine, each) == mine.end();
                           });
    }
  }
}

std::vector<counter_name> instances_of(const std::vector<family_list::entry>& families) {
  std::vector<counter_name> known;
  for (const family_list::entry& family : families) {
    std::ranges::move(family->instances(), std::back_inserter(known));
  }
  return known;
}

bool lists(family_entry& family, const counter_name& name) {
  const std::vector<counter_name> instances = family.instances();
  return std::ranges::find(instances, name) != instances.end();
}

/// Returns the counters that `pattern` matches; empty if there are none.
std::vector<counter_name> find(const family_list& families, const counter_name& pattern) {
  std::vector<counter_name> known = instances_of(families.meant_by(pattern));
  add_unlisted(known, families, pattern);
  add_others(known, families, pattern);
  try {
    return expand(pattern, known);
  } catch (const error&) {
    return {};  // the message would name only the families that match
  }
}

/// Inserts the default pool between `locality#0` and `worker-thread#3`, where HPX omits it.
std::optional<counter_name> with_default_pool(counter_name name) {
  bool is_changed = false;
  if (name.instance.size() == 2 && name.instance.back().name == "worker-thread") {
    name.instance.insert(name.instance.begin() + 1,
                         {.name = "pool", .index = std::string("default")});
    is_changed = true;
  }
  if (!name.base.empty()) {
    if (auto base = with_default_pool(name.base.front())) {
      name.base.front() = std::move(*base);
      is_changed = true;
    }
  }
  return is_changed ? std::optional(std::move(name)) : std::nullopt;
}

}  // namespace

registry::registry() : families_(std::make_shared<family_list>()) {}
registry::~registry() = default;

registration registry::add(counter_family family) {
  auto entry = std::make_shared<family_entry>(std::move(family));
  families_->add(entry);
  return registration(std::shared_ptr<void>(entry.get(), [entry, families = families_](void*) {
    families->remove(*entry);
    entry->close();
  }));
}

std::uint64_t registry::generation() const noexcept { return families_->generation(); }

std::vector<counter_type> registry::types() const {
  std::vector<counter_type> types;
  for (const family_list::entry& family : families_->all()) {
    types.push_back(family->type());
  }
  return types;
}

counter_type registry::type_of(const counter_name& name) const {
  if (const family_list::entry family = families_->find(name)) {
    return family->type_of(name);
  }
  if (detail::is_of_other_locality(name)) {
    if (const auto others = families_->others()) {
      return others->type_of(name);
    }
  }
  std::vector<counter_name> known;
  for (const family_list::entry& family : families_->all()) {
    known.push_back(family->type_pattern());
  }
  const counter_name type{.object = name.object, .counter = name.counter};
  // expand() throws, unless the name is a wildcard, or has just been registered.
  if (const family_list::entry family = families_->find(expand(type, known).front())) {
    return family->type();
  }
  throw error("counter " + to_string(name) + " is no longer registered");
}

std::vector<counter_name> registry::discover(const counter_name& pattern) const {
  std::vector<counter_name> meant = find(*families_, pattern);
  if (meant.empty()) {
    if (const auto other = with_default_pool(pattern)) {
      meant = find(*families_, *other);
    }
  }
  return meant.empty() ? expand(pattern, families_->names_near(pattern)) : meant;
}

std::unique_ptr<counter> registry::make(const counter_name& name) const {
  if (const auto listed = families_->find(name); listed != nullptr && lists(*listed, name)) {
    return listed->make(name);  // the common case, which reads no other family
  }
  if (detail::is_of_other_locality(name)) {
    if (const auto others = families_->others()) {
      return others->make(name);
    }
  }
  const std::vector<counter_name> meant = discover(complete(name));
  if (meant.size() != 1) {
    throw error("counter name " + to_string(name) + " means " + std::to_string(meant.size()) +
                " counters where one is needed; write one of them, such as " +
                to_string(meant.front()));
  }
  const family_list::entry family = families_->find(meant.front());
  if (family == nullptr) {
    throw error("counter " + to_string(meant.front()) + " is no longer registered");
  }
  return family->make(meant.front());
}

void detail::set_other_localities(registry& in, std::shared_ptr<other_localities> others) {
  in.families_->set_others(std::move(others));
}

registry& process_counters() {
  struct everything {
    registry counters;
    std::vector<registration> kept;
    everything() { detail::add_builtin_families(counters, kept); }
  };
  static auto* const all = new everything;  // never destroyed: threads may outlive main
  return all->counters;
}

std::vector<std::string> discover(std::string_view pattern) {
  std::vector<std::string> names;
  std::ranges::transform(process_counters().discover(parse_counter_name(pattern)),
                         std::back_inserter(names),
                         to_string);
  return names;
}

}  // namespace weft::counters
