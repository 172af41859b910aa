// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-trace: runs a program and writes what its workers did, or recovers that from its rings.
#include <cerrno>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <string.h>  // strsignal is POSIX's
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"

#include "arguments.hpp"
#include "child.hpp"
#include "counters/core/untrusted_file.hpp"
#include "counters/trace/trace_conversion.hpp"
#include "counters/trace/trace_file.hpp"

namespace {

using weft::send_message;
using weft::counters::detail::convert_trace;
using weft::counters::detail::describe;
using weft::counters::detail::open_untrusted;
using weft::counters::detail::trace_file_view;
using weft::tools::child_end;
using weft::tools::trace_arguments;

constexpr int no_trace = 1;
constexpr int not_understood = 2;

/// What the rings' names are made of.
constexpr const char* rings_ending = ".rings";

/// "11 (Segmentation fault)"
std::string signal_text(int signal) {
  return std::to_string(signal) + " (" + strsignal(signal) + ')';
}

std::filesystem::path trace_of(const std::filesystem::path& rings) {
  if (rings.extension() == rings_ending) {
    return rings.parent_path() / rings.stem();
  }
  return rings.string() + ".pftrace";
}

void convert(const std::filesystem::path& rings,
             const std::filesystem::path& output,
             const trace_arguments& asked) {
  const trace_file_view view = trace_file_view::open(rings);
  const int signal = static_cast<int>(view.header().fatal_signal.load());
  const auto trace = convert_trace(view, output, asked.last);
  if (signal != 0) {
    send_message("weft: process " + std::to_string(view.header().process_id) +
                 " was ended by signal " + signal_text(signal) + '\n');
  }
  send_message(describe(trace));
}

int recover(const trace_arguments& asked) {
  for (const std::filesystem::path& rings : asked.rings) {
    convert(rings, asked.output.value_or(trace_of(rings)), asked);
  }
  return 0;
}

/// False of what another user put there.
bool is_own_file(const std::filesystem::path& path) {
  return open_untrusted(path, {.owner = geteuid()}).file.has_value();
}

/// Those that processes left which traced to `output`: the first, and others with their ids.
std::vector<std::filesystem::path> rings_beside(const std::filesystem::path& output) {
  std::vector<std::filesystem::path> found;
  const std::string first = output.filename().string() + rings_ending;
  const std::string beginning = output.stem().string() + '.';
  const std::string end = output.extension().string() + rings_ending;
  std::error_code unreadable;
  for (const auto& file : std::filesystem::directory_iterator(output.parent_path(), unreadable)) {
    const std::string name = file.path().filename().string();
    const bool is_other = name.size() > beginning.size() + end.size() &&
                          name.starts_with(beginning) && name.ends_with(end);
    if ((name == first || is_other) && is_own_file(file.path())) {
      found.push_back(file.path());
    }
  }
  return found;
}

void refuse_old_rings(const std::filesystem::path& output) {
  if (const auto old = rings_beside(output); !old.empty()) {
    throw weft::error("another run left " + old.front().string() +
                      "; get its trace with weft trace --recover " + old.front().string() +
                      ", delete it, or name another --output");
  }
}

/// Before the program runs, not after it.
void require_writable_folder(const std::filesystem::path& output) {
  const std::filesystem::path folder = output.parent_path();
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw weft::error(
        "weft trace: cannot write a trace to " + folder.string() + ": " +
        std::generic_category().message(errno) +
        "; name a file in a folder that you may write to, for example --output=/tmp/" +
        output.filename().string());
  }
}

void say_how_it_ended(const std::string& program, const child_end& end) {
  if (end.signal != 0) {
    send_message("weft: " + program + " was ended by signal " + signal_text(end.signal) + '\n');
  }
}

int run(const trace_arguments& asked) {
  const auto output = std::filesystem::absolute(asked.output.value_or("trace.pftrace"));
  require_writable_folder(output);
  refuse_old_rings(output);
  const child_end end = weft::tools::run_traced(asked.program, output, asked.buffer);
  say_how_it_ended(asked.program.front(), end);
  const auto rings = rings_beside(output);
  for (const std::filesystem::path& each : rings) {
    const trace_file_view view = trace_file_view::open(each);
    send_message(describe(convert_trace(view, trace_of(each), asked.last)));
    std::filesystem::remove(each);
  }
  if (rings.empty()) {
    send_message("weft: there is no trace: " + asked.program.front() +
                 " started no weft worker, or could not write to " + output.parent_path().string() +
                 '\n');
    return end.exit_code() == 0 ? no_trace : end.exit_code();
  }
  return end.exit_code();
}

int answer(const std::vector<std::string>& arguments) {
  std::optional<trace_arguments> asked;
  try {
    asked = weft::tools::parse_arguments(arguments);
  } catch (const weft::error& refusal) {
    send_message(std::string("weft trace: ") + refusal.what() + '\n');
    return not_understood;
  }
  if (asked->wants_help) {
    std::cout << weft::tools::trace_usage;
    return 0;
  }
  return asked->rings.empty() ? run(*asked) : recover(*asked);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return answer({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    send_message(std::string(failure.what()) + '\n');
    return no_trace;
  }
}
