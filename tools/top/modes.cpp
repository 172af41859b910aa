// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of looking, printing and waiting.
#include "top/modes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/message.hpp"

#include "base/output_file.hpp"
#include "top/metrics_server.hpp"
#include "top/options.hpp"
#include "top/process_state.hpp"
#include "top/reader.hpp"
#include "top/report.hpp"
#include "top/screen_text.hpp"
#include "top/snapshot.hpp"
#include "top/targets.hpp"
#include "top/terminal.hpp"
#include "top/view.hpp"
#include "top/watched.hpp"

namespace weft::top {

namespace {

constexpr double live_interval_s = 0.25;
constexpr double stream_interval_s = 1;
constexpr double once_interval_s = 0.5;

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw error("cannot write to standard output: " + std::generic_category().message(errno));
  }
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

/// Replaced as a whole: who reads it sees the old text or the new one.
void replace_file(const std::filesystem::path& path, const std::string& text) {
  const std::string problem = weft::detail::replace_file(path, path.string() + ".new", text);
  if (!problem.empty()) {
    throw error("cannot write " + path.string() + ": " + problem +
                "; give --openmetrics a file in a folder that you may write to");
  }
}

screen_options plain_screen() {
  return {.width = 120, .has_colour = wants_colour(), .has_unicode = wants_unicode()};
}

/// Prints a view in the format asked for; `is_first`: nothing was printed before.
void print_view(const view& of, const top_options& options, bool is_first) {
  if (options.openmetrics) {
    replace_file(*options.openmetrics, metrics_text(of));
    return;
  }
  switch (options.format) {
    case output_format::json:
      print(json_text(of) + "\n");
      return;
    case output_format::csv:
      print((is_first ? csv_header() : "") + csv_text(of));
      return;
    case output_format::text:
      print((is_first ? "" : "\n") + joined(screen_lines(of, plain_screen())));
      return;
  }
}

/// The last of a recording, or the second of two looks.
view settled_look(watched& of, const top_options& options) {
  std::optional<view> last;
  while (std::optional<view> next = of.look()) {
    const bool is_first = !last;
    last = std::move(next);
    if (!options.replay && (!is_first || last->status != process_status::running)) {
      break;
    }
    if (!options.replay) {
      (void)wait_for(options.interval_s.value_or(once_interval_s));
    }
  }
  if (!last) {
    throw error("the recording holds no look; make one with: weft top --record FILE");
  }
  return *std::move(last);
}

/// How long to wait before the next look: as between the looks that were recorded.
double pause_s(const view& now,
               const std::optional<view>& before,
               const top_options& options,
               double standard_s) {
  if (options.replay && before && !options.interval_s) {
    constexpr double longest_s = 5;
    const auto passed_ns = static_cast<double>(difference_ns(now.realtime_ns, before->realtime_ns));
    return std::clamp(passed_ns * 1e-9, 0.0, longest_s);
  }
  return options.interval_s.value_or(standard_s);
}

/// Looks at one process among others; one that cannot be read is left out.
std::optional<view> try_look(watched& of) {
  try {
    return of.look();
  } catch (const error&) {
    return std::nullopt;
  }
}

/// All processes of a folder, each with its own history.
class overview {
 public:
  explicit overview(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::vector<view> look() {
    std::map<std::filesystem::path, std::unique_ptr<watched>> kept;
    std::vector<view> views;
    for (const target& each : all_targets(folder_)) {
      if (!each.is_trusted()) {
        continue;
      }
      auto known = processes_.extract(each.file.path);
      std::unique_ptr<watched> of = known ? std::move(known.mapped()) : open(each);
      if (std::optional<view> seen = of ? try_look(*of) : std::nullopt) {
        views.push_back(*std::move(seen));
        kept[each.file.path] = std::move(of);
      }
    }
    processes_ = std::move(kept);
    return views;
  }

 private:
  static std::unique_ptr<watched> open(const target& of) {
    try {
      return std::make_unique<watched>(read_process_file(of.file.path));
    } catch (const error&) {
      return nullptr;  // of another version, or gone meanwhile
    }
  }

  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::unique_ptr<watched>> processes_;
};

/// Says which files are left out, and why.
void say_what_is_not_trusted(const std::filesystem::path& folder) {
  int num_said = 0;
  constexpr int most_said = 8;
  for (const target& each : all_targets(folder)) {
    if (!each.is_trusted() && num_said++ < most_said) {
      send_message("weft top: " + why_not_trusted(each.file.path, each.check.reason) + "\n");
    }
  }
}

void print_all(const std::vector<view>& views, const top_options& options, bool is_first) {
  if (options.format == output_format::text) {
    print((is_first ? "" : "\n") + joined(overview_lines(views, plain_screen())));
    return;
  }
  for (const view& of : views) {
    print_view(of, options, is_first && &of == &views.front());
  }
}

}  // namespace

void show_once(watched& of, const top_options& options) {
  print_view(settled_look(of, options), options, true);
}

void show_stream(watched& of, const top_options& options) {
  std::optional<view> before;
  while (std::optional<view> now = of.look()) {
    print_view(*now, options, !before);
    const bool is_over = now->status != process_status::running && !options.replay;
    if (is_over || must_stop()) {
      return;
    }
    if (!options.replay) {
      (void)wait_for(options.interval_s.value_or(stream_interval_s));
    }
    before = std::move(now);
  }
}

void show_live(watched& of, const top_options& options) {
  std::optional<view> last;
  {
    const terminal screen;
    for (bool goes_on = true; goes_on;) {
      std::optional<view> now = of.look();
      if (!now) {
        break;
      }
      const terminal::size size = screen.current_size();
      screen.draw(screen_lines(*now,
                               {.width = size.width,
                                .height = size.height,
                                .has_colour = wants_colour(),
                                .has_unicode = wants_unicode()}));
      goes_on = (now->status == process_status::running || options.replay) &&
                screen.wait(pause_s(*now, last, options, live_interval_s));
      last = std::move(now);
    }
  }
  if (last) {
    screen_options kept = plain_screen();
    print(joined(screen_lines(*last, kept)));
  }
}

void serve(watched& of, std::uint16_t port) {
  metrics_server server(port);
  print("serving http://127.0.0.1:" + std::to_string(port) + "/metrics\n");
  while (!must_stop()) {
    server.serve_for(stream_interval_s, [&] {
      const std::optional<view> now = of.look();
      return now ? metrics_text(*now) : std::string();
    });
    const std::optional<view> now = of.look();
    if (!now || now->status != process_status::running) {
      return;
    }
  }
}

void show_all(const std::filesystem::path& folder, const top_options& options) {
  overview processes(folder);
  const bool is_live = !options.is_once && options.format == output_format::text && can_draw();
  if (!is_live) {
    say_what_is_not_trusted(folder);
  }
  if (options.is_once) {
    (void)processes.look();
    (void)wait_for(options.interval_s.value_or(once_interval_s));
    print_all(processes.look(), options, true);
    return;
  }
  if (!is_live) {
    for (bool is_first = true; !must_stop(); is_first = false) {
      print_all(processes.look(), options, is_first);
      (void)wait_for(options.interval_s.value_or(stream_interval_s));
    }
    return;
  }
  const terminal screen;
  do {
    screen.draw(overview_lines(processes.look(),
                               {.width = screen.current_size().width,
                                .has_colour = wants_colour(),
                                .has_unicode = wants_unicode()}));
  } while (screen.wait(options.interval_s.value_or(live_interval_s)));
}

}  // namespace weft::top
