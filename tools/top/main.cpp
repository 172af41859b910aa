// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft-top: shows what the workers of a weft program are doing.
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "weft/base/message.hpp"
#include "weft/counters/segment_files.hpp"

#include "top/launched.hpp"
#include "top/modes.hpp"
#include "top/options.hpp"
#include "top/targets.hpp"
#include "top/terminal.hpp"
#include "top/watched.hpp"

namespace {

using namespace weft::top;

int reap(const std::filesystem::path& folder) {
  const auto reaped =
      weft::counters::reap_segments(folder, {.oldest = std::chrono::seconds(0), .most = 0});
  for (const auto& file : reaped) {
    (void)std::printf("removed %s\n", file.path.c_str());
  }
  (void)std::printf("%zu removed\n", reaped.size());
  return 0;
}

bool is_live(const top_options& options) {
  return options.format == output_format::text && !options.openmetrics && can_draw();
}

void show(watched& of, const top_options& options) {
  if (options.serve_port) {
    serve(of, *options.serve_port);
  } else if (options.is_once) {
    show_once(of, options);
  } else if (is_live(options)) {
    show_live(of, options);
  } else {
    show_stream(of, options);
  }
}

/// The file of the program's counters, once it has them; nothing if it ended before.
std::optional<std::filesystem::path> wait_for_file(launched& program,
                                                   const std::filesystem::path& folder) {
  constexpr double look_s = 0.02;
  while (!must_stop()) {
    const bool has_ended = program.has_ended();
    if (auto file = program.find_file(folder)) {
      return file;
    }
    if (has_ended) {
      break;
    }
    (void)wait_for(look_s);
  }
  return std::nullopt;
}

int run_program(const std::filesystem::path& folder, const top_options& options) {
  const bool is_kept = is_live(options) && !options.is_once && !options.serve_port;
  launched program(options.program,
                   is_kept ? program_output::kept : program_output::standard_error);
  const auto file = wait_for_file(program, folder);
  if (file) {
    watched of(read_process_file(*file), options.record);
    show(of, options);
  }
  const int code = program.finish();
  if (!file) {
    weft::send_message("weft top: " + options.program.front() + " ended, with code " +
                       std::to_string(code) +
                       ", before it started a weft task; nothing was seen\n");
  }
  return code;
}

int run(const top_options& options) {
  if (options.wants_help) {
    (void)std::fputs(help_text().c_str(), stdout);
    return 0;
  }
  const std::filesystem::path folder = stats_folder();
  if (options.wants_reap) {
    return reap(folder);
  }
  watch_signals();
  if (options.is_all) {
    show_all(folder, options);
    return 0;
  }
  if (!options.program.empty()) {
    return run_program(folder, options);
  }
  if (options.replay) {
    watched of(read_recording(*options.replay));
    show(of, options);
    return 0;
  }
  const auto path = options.pid ? find_pid(folder, *options.pid) : find_only(folder);
  (void)weft::counters::reap_segments(folder);
  watched of(read_process_file(path), options.record);
  show(of, options);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int wrong_options = 2;
  int code_of_failure = wrong_options;
  try {
    const top_options options = parse_options({argv + 1, argv + argc});
    code_of_failure = 1;
    return run(options);
  } catch (const std::exception& failure) {
    weft::send_message(std::string("weft top: ") + failure.what() + '\n');
  }
  return code_of_failure;
}
