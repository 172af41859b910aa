// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the references of counters and options from what is registered.
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

- `{locality#0/total}`: the process, runtimes that have ended included; in a job of [weft::distributed](../distributed.md#counters), `locality#2` is rank 2;
- `{locality#0/pool#NAME/total}`: a runtime, `default` or `pool-` and a number unless `runtime_options::name` says otherwise;
- `{locality#0/pool#NAME/worker-thread#N}`: one of its workers. `{locality#0/worker-thread#N}` is one of the pool `default`;
- `{locality#0/device#N}`: an NVIDIA GPU, counted as `nvidia-smi` does.

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

constexpr std::string_view option_introduction = R"(# Options and variables

Generated from what `--weft:help` prints; the test `docs.options` says when it is out of date.

A program that calls `weft::init(argc, argv)` takes these options. Arguments after `--` are left
alone. Variables work for every program, also without `init`. A value that the program sets itself
wins over an option, and an option wins over a variable. `--hpx:` in place of `--weft:` is accepted.

| option, variable | meaning | accepted, default |
|---|---|---|
)";

constexpr std::string_view other_variables = R"(
## Variables without an option

| variable | meaning |
|---|---|
| `WEFT_STATS` | `off`: the process publishes no counters for `./weft top` |
| `WEFT_STATS_DIR` | the folder of the files that `./weft top` reads |
| `WEFT_PROFILE` | `off`: no [machine profile](../profile.md) is used; a path with a slash: that one is |
| `WEFT_HALO_VALIDATE` | how halo exchanges are checked, 0 to 3: see [halo exchange](../halo.md#when-something-is-wrong) |

## Variables of `./weft`

| variable | meaning |
|---|---|
| `WEFT_NO_APT` | 1: never call apt-get |
| `WEFT_PYTHON` | the Python to use, 3.11 to 3.13 |
| `WEFT_UNLOCKED` | 1: install the locked versions without checking hashes |
| `WEFT_MPI_DIR` | folders in which MPI libraries are looked for |
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
  return any_has("worker-thread") ? "worker"
         : any_has("pool")        ? "pool"
         : any_has("device")      ? "device"
                                  : "process";
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

/// Returns the text between two marks, or an empty one.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
  const std::size_t first = text.find(before);
  if (first == text.npos) {
    return {};
  }
  const std::string_view rest = text.substr(first + before.size());
  return rest.substr(0, rest.find(after));
}

std::string_view last_line_of_option(std::string_view help, std::size_t at) {
  const std::size_t second = help.find('\n', at);
  return line_at(help, help.find('\n', second + 1) + 1);
}

/// Says in words how many workers there may be, which depends on the number of CPUs.
std::string without_limit(std::string_view line, int most_workers) {
  std::string text(line);
  const std::string limit = std::to_string(most_workers);
  if (const std::size_t at = text.find(limit); at != text.npos) {
    text.replace(at, limit.size(), "1024, or 16 per CPU if that is more");
  }
  return text;
}

/// Text in a table's cell, in which a bar would end the cell.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += c == '|' || c == '<' || c == '*' ? std::string("\\") + c : std::string(1, c);
  }
  return result;
}

void write_option(std::ostream& to,
                  std::string_view name,
                  std::string_view meaning,
                  std::string_view rest) {
  const std::string_view accepted = between(rest, "Accepted: ", ". Default: ");
  const std::string_view fallback = between(rest, ". Default: ", ".");
  const std::string_view variable = between(rest, " Environment: ", ".");
  if (!name.starts_with("  --weft:") || accepted.empty() || fallback.empty()) {
    throw error("the help of an option is not laid out as this page expects: " + std::string(name));
  }
  to << "| `" << name.substr(2) << '`';
  if (!variable.empty()) {
    to << ", `" << variable << '`';
  }
  to << " | " << cell(meaning.substr(meaning.find_first_not_of(' '))) << " | " << cell(accepted)
     << ". Default: " << cell(fallback) << ". |\n";
}

}  // namespace

std::string counter_page(const counters::registry& all) {
  std::ostringstream page;
  page << introduction;
  write_types(page, all);
  write_absent(page);
  return page.str();
}

std::string option_page(std::string_view help, int most_workers) {
  std::ostringstream page;
  page << option_introduction;
  // The first line is a heading, and a blank line comes before each option.
  for (std::size_t at = help.find("\n\n"); at != help.npos; at = help.find("\n\n", at + 1)) {
    write_option(page,
                 line_at(help, at + 2),
                 line_at(help, help.find('\n', at + 2) + 1),
                 without_limit(last_line_of_option(help, at + 2), most_workers));
  }
  page << other_variables;
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
