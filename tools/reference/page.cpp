// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the reference of counters from what is registered.
#include "page.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/absent_counters.hpp"

namespace weft::reference {
namespace {

using counters::counter_kind;
using counters::counter_name;
using counters::counter_type;
using counters::detail::absent;
using counters::detail::absent_counters;

constexpr std::string_view introduction = R"(# Counters

Generated from the counters that a program with a runtime has; the test `docs.counters` says when it is out of date.
`--weft:list-counters` prints the names that a program has on the machine it runs on.

A name is a type with an instance in it: `/threads{locality#0/total}/time/average`. Instances are

- `{locality#0/total}`: the process, runtimes that have ended included;
- `{locality#0/pool#NAME/total}`: a runtime, `default` or `pool-` and a number unless `runtime_options::name` says otherwise;
- `{locality#0/pool#NAME/worker-thread#N}`: one of its workers. `{locality#0/worker-thread#N}` is one of the pool `default`.

The column *per* says how far a type goes down that list. `#*` means every one, and a type without instance all of its instances.

| kind | shows |
|---|---|
| total | what was added since the session began, or its last reset |
| gauge | what is now |
| quotient | an average, rate or share since the session began, or its last reset |
| array | several numbers |
| histogram | how often values fell into which range since the session began, or its last reset |

Times in and between bodies of tasks rest on some of the tasks unless `--weft:timing=exact` asks for all. Such a value comes with the number of samples and
a 95 % confidence interval. A value that is not to be had is `unavailable`, with the reason, and never 0.
)";

std::string_view text(counter_kind kind) {
  constexpr std::array<std::string_view, 5> names = {
      "total", "gauge", "quotient", "array", "histogram"};
  return names[static_cast<std::size_t>(kind)];
}

bool has_part(const counter_name& name, std::string_view part) {
  return std::ranges::any_of(name.instance,
                             [&](const counters::instance_part& p) { return p.name == part; });
}

/// What the smallest instances are.
std::string_view smallest_instance(const counters::registry& all, const counter_type& type) {
  std::vector<counter_name> instances;
  try {
    instances = all.discover(counters::parse_counter_name(type.name));
  } catch (const error&) {
    return "";  // this machine has none
  }
  const auto any_has = [&](std::string_view part) {
    return std::ranges::any_of(instances, [&](const counter_name& n) { return has_part(n, part); });
  };
  return any_has("worker-thread") ? "worker" : any_has("pool") ? "pool" : "process";
}

std::string object_of(const counter_type& type) {
  return type.name.substr(0, type.name.find('/', 1));
}

std::string sentence(std::string_view help) {
  std::string result(help);
  return result.ends_with('.') ? result : result + '.';
}

void write_row(std::ostream& to, const counters::registry& all, const counter_type& type) {
  to << "| `" << type.name << "` | " << (type.unit.empty() ? "" : '`' + type.unit + '`') << " | "
     << text(type.kind) << " | " << smallest_instance(all, type) << " | " << sentence(type.help)
     << " |\n";
}

void write_types(std::ostream& to, const counters::registry& all) {
  std::string object;
  for (const counter_type& type : all.types()) {
    if (object_of(type) != object) {
      object = object_of(type);
      to << "\n## " << object
         << "\n\n| counter | unit | kind | per | meaning |\n|---|---|---|---|---|\n";
    }
    write_row(to, all, type);
  }
}

void write_absent(std::ostream& to) {
  to << "\n## Names of HPX that weft has no use for\n\n| names | why |\n|---|---|\n";
  for (const absent_counters& each : absent) {
    to << "| `" << each.names << "` | " << each.reason << " |\n";
  }
}

std::string_view line_at(std::string_view text, std::size_t offset) {
  const std::string_view rest = text.substr(std::min(offset, text.size()));
  return rest.substr(0, rest.find('\n'));
}

}  // namespace

std::string counter_page(const counters::registry& all) {
  std::ostringstream page;
  page << introduction;
  write_types(page, all);
  write_absent(page);
  return page.str();
}

std::string first_difference(std::string_view page, std::string_view text) {
  if (page == text) {
    return {};
  }
  const auto differs = std::ranges::mismatch(page, text).in1;
  const auto common = static_cast<std::size_t>(differs - page.begin());
  const std::size_t line_end = common == 0 ? page.npos : page.rfind('\n', common - 1);
  const std::size_t begin = line_end == page.npos ? 0 : line_end + 1;
  const auto number = 1 + std::ranges::count(page.substr(0, begin), '\n');
  return "line " + std::to_string(number) + " is\n  " + std::string(line_at(text, begin)) +
         "\nand should be\n  " + std::string(line_at(page, begin)) + '\n';
}

}  // namespace weft::reference
