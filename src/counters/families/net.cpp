// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the traffic through network interfaces: /net.
#include "counters/families/net.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/family_rows.hpp"
#include "counters/families/proc_counter.hpp"

namespace weft::counters::detail {
namespace {

struct net_row {
  std::string_view name;
  std::string_view unit;
  std::size_t column;  // counted from the interface's name
  std::string_view help;
  counter_kind kind = counter_kind::total;
};

// clang-format off
constexpr std::array rows{
net_row{"/net/bytes_received", "bytes", 0, "Bytes that came in through an interface."},
net_row{"/net/packets_received", "", 1, "Packets that came in through an interface."},
net_row{"/net/errors_received", "", 2, "Packets that came in damaged."},
net_row{"/net/bytes_sent", "bytes", 8, "Bytes that went out through an interface."},
net_row{"/net/packets_sent", "", 9, "Packets that went out through an interface."},
net_row{"/net/errors_sent", "", 10, "Packets that could not be sent."},
};
// clang-format on

/// Splits "  eth0: 1 2 3" at its colon. Lines of the heading have no colon.
struct interface_line {
  std::string name;
  std::string fields;
};

std::optional<interface_line> split(const std::string& line) {
  const std::size_t colon = line.rfind(':');  // the last one, because an alias contains another
  const std::size_t first = line.find_first_not_of(' ');
  if (colon == std::string::npos || first >= colon) {
    return std::nullopt;
  }
  return interface_line{.name = line.substr(first, colon - first),
                        .fields = line.substr(colon + 1)};
}

std::optional<std::int64_t> read_column(const std::string& fields, std::size_t column) {
  std::istringstream stream(fields);
  std::int64_t value = 0;
  for (std::size_t i = 0; i <= column; ++i) {
    stream >> value;
  }
  return stream ? std::optional(value) : std::nullopt;
}

std::string join_names(const std::vector<std::string>& lines) {
  std::string names;
  for (const std::string& line : lines) {
    if (const auto found = split(line)) {
      names += (names.empty() ? "" : ", ") + found->name;
    }
  }
  return names;
}

kept_number read_interface(const std::vector<std::string>& lines,
                           const std::string& name,
                           std::size_t column) {
  for (const std::string& line : lines) {
    const auto found = split(line);
    if (found && found->name == name) {
      return {.value = read_column(found->fields, column),
              .reason = "/proc/net/dev has no such column for " + name};
    }
  }
  return {.value = std::nullopt,
          .reason = lines.empty() ? "/proc/net/dev cannot be read: is /proc mounted?"
                                  : "there is no network interface " + name + " now; there are " +
                                        join_names(lines)};
}

/// A name may contain characters that end a part of a counter's name. Such interfaces are left out.
bool fits_in_a_name(const std::string& interface) {
  return interface.find_first_of("/{}#@,\"*") == std::string::npos;
}

std::vector<counter_name> interfaces(const counter_type& type, const proc_files& files) {
  evaluation now;
  std::vector<counter_name> names;
  for (const std::string& line : *files.lines(proc_file::network, now)) {
    const auto found = split(line);
    if (found && fits_in_a_name(found->name)) {
      names.push_back(instance_of(type, {.name = found->name}));
    }
  }
  return names;
}

std::unique_ptr<counter> make(const net_row& row,
                              const counter_name& name,
                              const std::shared_ptr<const proc_files>& files) {
  std::string interface = name.instance.size() > 1 ? name.instance[1].name : "";
  return std::make_unique<proc_counter>(
      row.kind, [&row, interface = std::move(interface), files](evaluation& now) {
        return read_interface(*files->lines(proc_file::network, now), interface, row.column);
      });
}

}  // namespace

std::vector<counter_family> net_families(const std::filesystem::path& root) {
  const auto files = std::make_shared<const proc_files>(root);
  std::vector<counter_family> families;
  for (const net_row& row : rows) {
    counter_family& added = families.emplace_back();
    added.type = type_of_row(row);
    added.instances = [type = added.type, files] { return interfaces(type, *files); };
    added.make = [&row, files](const counter_name& name) { return make(row, name, files); };
  }
  return families;
}

}  // namespace weft::counters::detail
