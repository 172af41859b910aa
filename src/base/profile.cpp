// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds, reads and checks the machine profile.
#include "weft/base/profile.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "weft/base/message.hpp"
#include "weft/base/options.hpp"
#include "weft/base/printable.hpp"
#include "weft/version.hpp"

namespace weft::base {
namespace {

/// One value that a profile may hold. `read` returns whether the text is within the limits.
struct value_row {
  std::string_view name;
  std::string_view accepts;
  std::string_view default_text;
  std::string_view meaning;
  std::function<bool(machine_profile&, std::string_view)> read;
};

[[nodiscard]] std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = problem == std::errc() && end == text.data() + text.size();
  return is_number ? std::optional(value) : std::nullopt;
}

[[nodiscard]] auto number(std::optional<double> machine_profile::* member,
                          double smallest,
                          double largest) {
  return [=](machine_profile& into, std::string_view text) {
    into.*member = number_in(text);
    return into.*member >= smallest && into.*member <= largest;
  };
}

[[nodiscard]] auto stores_of(std::size_t kind) {
  return [kind](machine_profile& into, std::string_view text) {
    into.stores.at(kind) = text == "\"streamed\"" ? large_stores::streamed : large_stores::plain;
    return text == "\"streamed\"" || text == "\"plain\"";
  };
}

[[nodiscard]] value_row timing_row(std::string_view name,
                                   timing_part part,
                                   std::string_view meaning) {
  return {name,
          "a number from 0 to 1e6",
          "each process measures it",
          meaning,
          [part](machine_profile& into, std::string_view text) {
            std::optional<double>& ticks = into.timing.at(static_cast<std::size_t>(part));
            ticks = number_in(text);
            return ticks >= 0 && ticks <= 1e6;
          }};
}

[[nodiscard]] const std::vector<value_row>& value_rows() {
  static constexpr std::string_view ways = "\"plain\" or \"streamed\"";
  static constexpr std::string_view tried = "each process tries both";
  static const std::vector<value_row> rows{
      {"stores.fill", ways, tried, "how fill writes large ranges", stores_of(0)},
      {"stores.copy", ways, tried, "how copy and move write large ranges", stores_of(1)},
      {"stores.map", ways, tried, "how transform and the like write large ranges", stores_of(2)},
      {"stores.scan", ways, tried, "how scans write large ranges", stores_of(3)},
      {"stores.compact", ways, tried, "how copy_if and the like write large ranges", stores_of(4)},
      {"stores.clear", ways, tried, "how fill writes zeros to large ranges", stores_of(5)},
      {"stores.stream_from_bytes",
       "a number from 1048576 to 1e15",
       "the size of the last-level cache",
       "a call that touches more bytes uses non-temporal stores",
       number(&machine_profile::stream_from_bytes, 1048576, 1e15)},
      {"workers.start_us",
       "a number from 1 to 1e7",
       "1000",
       "how long starting the workers takes; a program loses as much time before they are started",
       number(&machine_profile::start_us, 1, 1e7)},
      {"workers.wake_us",
       "a number from 0.5 to 1e5",
       "30",
       "how long waking a parked worker takes; a loop five times as long wakes one",
       number(&machine_profile::wake_us, 0.5, 1e5)},
      {"workers.spin_us",
       "a number from 1 to 1000",
       "50",
       "how long a worker searches for work before it parks, at least",
       number(&machine_profile::spin_us, 1, 1000)},
      {"memory.workers",
       "a number from 1 to 1e6",
       "all",
       "how many workers read memory as fast as all of them; no loop gets workers that would wait",
       number(&machine_profile::memory_workers, 1, 1e6)},
      {"memory.worker_gb_per_s",
       "a number from 0.001 to 1e6",
       "not needed",
       "what one worker reads from memory",
       number(&machine_profile::worker_gb_per_s, 0.001, 1e6)},
      {"memory.cache_bytes",
       "a number from 1048576 to 1e15",
       "not needed",
       "what the last-level caches hold together",
       number(&machine_profile::cache_bytes, 1048576, 1e15)},
      timing_row("timing.called_ticks",
                 timing_part::called,
                 "what timing adds to the measured duration of a task that its parent runs"),
      timing_row("timing.looped_ticks",
                 timing_part::looped,
                 "the same for a task that a worker's loop runs"),
      timing_row(
          "timing.grouped_ticks", timing_part::grouped, "the same for a task of a task group"),
      timing_row("timing.cost_ticks", timing_part::cost, "how long timing one task takes"),
  };
  return rows;
}

[[nodiscard]] std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// Removes a comment. A text in quotes has no quotes within.
[[nodiscard]] std::string_view without_comment(std::string_view line) {
  bool is_quoted = false;
  for (std::size_t i = 0; i != line.size(); ++i) {
    is_quoted = is_quoted != (line[i] == '"');
    if (line[i] == '#' && !is_quoted) {
      return line.substr(0, i);
    }
  }
  return line;
}

[[nodiscard]] std::string unquoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return std::string(is_quoted ? text.substr(1, text.size() - 2) : text);
}

/// Takes the lines of a profile one by one.
class profile_parser {
 public:
  explicit profile_parser(profile_reading& into) : into_(into) {}

  void take(int line_number, std::string_view line);
  /// Sets the problem, if there is one.
  void finish(const profile_origin& here);

 private:
  void take_value(int line_number, const std::string& name, std::string_view text);
  void refuse(int line_number, const std::string& why);
  void check_origin(const profile_origin& here);
  void check_group(std::string_view section);
  void settle_timing(const profile_origin& here);

  profile_reading& into_;
  std::string section_;
  std::optional<std::string> format_;
  profile_origin origin_;
};

void profile_parser::refuse(int line_number, const std::string& why) {
  if (into_.problem.empty()) {
    into_.problem = "line " + std::to_string(line_number) + ": " + why;
  }
}

void profile_parser::take(int line_number, std::string_view line) {
  const std::string_view text = trimmed(without_comment(line));
  if (text.empty()) {
    return;
  }
  if (text.front() == '[' && text.back() == ']') {
    section_ = std::string(trimmed(text.substr(1, text.size() - 2))) + '.';
    return;
  }
  const std::size_t equals = text.find('=');
  if (equals == text.npos) {
    refuse(line_number, "it is neither a [section] nor name = value");
    return;
  }
  take_value(line_number,
             section_ + std::string(trimmed(text.substr(0, equals))),
             trimmed(text.substr(equals + 1)));
}

void profile_parser::take_value(int line_number, const std::string& name, std::string_view text) {
  const std::array<std::pair<std::string_view, std::string*>, 4> origins{
      {{"origin.processor", &origin_.processor},
       {"origin.cpus", &origin_.cpus},
       {"origin.weft", &origin_.weft},
       {"timing.build", &origin_.build}}};
  const auto* const place =
      std::ranges::find(origins, name, &std::pair<std::string_view, std::string*>::first);
  if (place != origins.end()) {
    *place->second = unquoted(text);
    return;
  }
  if (name == "format") {
    format_ = std::string(text);
    return;
  }
  const auto row = std::ranges::find(value_rows(), name, &value_row::name);
  if (row == value_rows().end()) {
    refuse(line_number, "no value has the name " + name);
    return;
  }
  if (!row->read(into_.values, text)) {
    refuse(line_number, name + " accepts " + std::string(row->accepts));
  }
  profile_value& value = into_.all[static_cast<std::size_t>(row - value_rows().begin())];
  if (value.line != 0) {
    refuse(line_number, name + " stands there twice");
  }
  value.text = printable(unquoted(text), line_ends::masked);
  value.line = line_number;
}

void profile_parser::check_origin(const profile_origin& here) {
  const std::array<std::array<std::string_view, 3>, 3> parts{
      {{"processor", origin_.processor, here.processor},
       {"cpus", origin_.cpus, here.cpus},
       {"weft", origin_.weft, here.weft}}};
  for (const auto& [part, theirs, ours] : parts) {
    if (theirs != ours) {
      into_.problem = "its " + std::string(part) + " is '" + std::string(theirs) + "', and here '" +
                      std::string(ours) + "'";
    }
  }
  if (format_ != "1") {
    into_.problem = "it does not say format = 1";
  }
}

/// Values of a section that mean nothing without the others.
void profile_parser::check_group(std::string_view section) {
  const profile_value* missing = nullptr;
  bool is_there = false;
  for (const profile_value& value : into_.all) {
    if (value.name.starts_with(section)) {
      is_there = is_there || value.line != 0;
      missing = value.line == 0 ? &value : missing;
    }
  }
  if (is_there && missing != nullptr && into_.problem.empty()) {
    into_.problem = missing->name + " is missing: section " +
                    std::string(section.substr(0, section.size() - 1)) + " is whole or empty";
  }
}

/// What timing costs depends on the compiler and its options, too.
void profile_parser::settle_timing(const profile_origin& here) {
  if (origin_.build == here.build) {
    return;
  }
  into_.values.timing = {};
  for (profile_value& value : into_.all) {
    if (value.name.starts_with("timing.") && value.line != 0) {
      value.text.clear();
      value.default_text +=
          "; the profile's is of build '" + origin_.build + "', and here '" + here.build + "'";
    }
  }
}

void profile_parser::finish(const profile_origin& here) {
  check_origin(here);
  check_group("memory.");
  check_group("timing.");
  settle_timing(here);
  into_.problem = printable(into_.problem, line_ends::masked);
  if (!into_.problem.empty()) {
    into_.values = {};
  }
}

/// A file's text, or why there is none.
struct file_text {
  std::string text;
  bool is_missing = false;
  std::string problem;
};

/// Returns the text of a regular file. Never waits for a writer.
[[nodiscard]] file_text text_of(const std::string& file) {
  constexpr std::size_t most_bytes = 65536;
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) {
    const std::error_code why(errno, std::system_category());
    const bool is_out_of_reach = why == std::errc::not_a_directory ||
                                 why == std::errc::permission_denied ||
                                 why == std::errc::too_many_symbolic_link_levels;
    return {.text = {},
            .is_missing = is_out_of_reach || why == std::errc::no_such_file_or_directory,
            .problem = why.message()};
  }
  file_text found;
  struct ::stat facts{};
  ssize_t count = -1;
  if (::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode)) {
    const auto size = static_cast<std::size_t>(std::max<::off_t>(facts.st_size, 0));
    found.text.resize(std::min(size, most_bytes) + 1);
    count = ::read(descriptor, found.text.data(), found.text.size());
  }
  ::close(descriptor);
  if (count < 0) {
    found.problem = "it is not a regular file that can be read";
  } else if (count > static_cast<ssize_t>(most_bytes)) {
    found.problem = "it has more than 64 KiB";
  }
  found.text.resize(found.problem.empty() ? static_cast<std::size_t>(count) : 0);
  return found;
}

/// Returns where a profile is looked for, and whether the user said so.
struct place {
  std::string file;  // empty: nowhere
  bool is_given = false;
};

[[nodiscard]] place find_place(const environment_lookup& environment, std::string& problem) {
  if (const std::optional<std::string> given = environment("WEFT_PROFILE")) {
    if (*given == "off") {
      return {};
    }
    if (given->find('/') == given->npos) {
      problem = "environment variable WEFT_PROFILE=" + *given +
                ": accepted is off, or a path with a slash; it is ignored";
      return {};
    }
    return {.file = *given, .is_given = true};
  }
  const std::optional<std::string> folder = environment("XDG_CONFIG_HOME");
  if (folder && folder->starts_with('/')) {  // the XDG rule: a relative path is ignored
    return {.file = *folder + "/weft/profile.toml"};
  }
  const std::optional<std::string> home = environment("HOME");
  return home ? place{.file = *home + "/.config/weft/profile.toml"} : place{};
}

#if defined(__x86_64__)

[[nodiscard]] std::string processor_name() {
  // leaves 0 and 1 of AMD's and Intel's manuals
  std::array<unsigned, 4> vendor{};
  std::array<unsigned, 4> version{};
  if (__get_cpuid(0, &vendor[0], &vendor[1], &vendor[2], &vendor[3]) == 0 ||
      __get_cpuid(1, &version[0], &version[1], &version[2], &version[3]) == 0) {
    return "x86-64";
  }
  std::string name;
  for (const unsigned part : {vendor[1], vendor[3], vendor[2]}) {
    for (unsigned byte = 0; byte != 4; ++byte) {
      name.push_back(static_cast<char>(part >> (8 * byte)));
    }
  }
  const unsigned signature = version[0];
  const unsigned family = ((signature >> 8U) & 0xFU) + ((signature >> 20U) & 0xFFU);
  const unsigned model = ((signature >> 4U) & 0xFU) | ((signature >> 12U) & 0xF0U);
  const bool is_virtual = (version[2] >> 31U) != 0;
  return printable(name, line_ends::masked) + " family " + std::to_string(family) + " model " +
         std::to_string(model) + " stepping " + std::to_string(signature & 0xFU) +
         (is_virtual ? ", virtual" : "");
}

#else

[[nodiscard]] std::string processor_name() {
  const std::string text =
      text_of("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1").text;
  return text.empty() ? "unknown" : std::string(trimmed(text.substr(0, text.find('\n'))));
}

#endif

/// The compiler, and whether it optimised.
[[nodiscard]] std::string build_name() {
#if defined(__OPTIMIZE__)
  constexpr std::string_view optimised = ", optimised";
#else
  constexpr std::string_view optimised;
#endif
#if defined(__clang__)
  const std::array version{__clang_major__, __clang_minor__};
  const std::string name = "clang ";
#else
  const std::array version{__GNUC__, __GNUC_MINOR__};
  const std::string name = "g++ ";
#endif
  return name + std::to_string(version[0]) + '.' + std::to_string(version[1]) +
         std::string(optimised);
}

[[nodiscard]] machine_profile profile_of_process() noexcept {
  try {
    std::string problem;
    const place where = find_place(process_environment, problem);
    const bool is_there = !where.file.empty() && ::access(where.file.c_str(), F_OK) == 0;
    if (problem.empty() && !is_there && !where.is_given) {
      return {};  // mostly: the origin, which takes longer, is not needed
    }
    const profile_reading found = read_profile(process_environment, this_origin());
    if (!found.problem.empty()) {
      send_message("weft: " +
                   (found.file.empty()
                        ? found.problem
                        : "profile " + found.file + " is not used: " + found.problem +
                              "; ./weft tune writes it anew, WEFT_PROFILE=off ignores it") +
                   '\n');
    }
    return found.values;
  } catch (const std::exception&) {
    return {};  // a profile only makes a program faster
  }
}

}  // namespace

profile_origin this_origin() {
  // Not by a stream: a process's first one takes 200 us.
  const std::string present = text_of("/sys/devices/system/cpu/present").text;
  const std::string_view cpus = trimmed(std::string_view(present).substr(0, present.find('\n')));
  return {.processor = processor_name(),
          .cpus = cpus.empty() ? "unknown" : std::string(cpus),
          .weft = WEFT_VERSION_STRING,
          .build = build_name()};
}

profile_reading read_profile(const environment_lookup& environment, const profile_origin& here) {
  profile_reading found;
  for (const value_row& row : value_rows()) {
    found.all.push_back({.name = std::string(row.name),
                         .text = {},
                         .default_text = std::string(row.default_text),
                         .meaning = std::string(row.meaning)});
  }
  const place where = find_place(environment, found.problem);
  found.file = where.file;
  if (where.file.empty()) {
    return found;
  }
  const file_text read = text_of(where.file);
  found.is_there = !read.is_missing;
  if (!read.problem.empty()) {
    found.problem = where.is_given || found.is_there ? read.problem : "";
    return found;
  }
  profile_parser parser(found);
  std::string_view rest = read.text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    parser.take(number, rest.substr(0, end));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  parser.finish(here);
  return found;
}

const machine_profile& profile() noexcept {
  static const machine_profile found = profile_of_process();
  return found;
}

}  // namespace weft::base
