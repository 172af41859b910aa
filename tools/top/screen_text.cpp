// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Puts a view into lines: what matters first, as much as there is room for.
#include "top/screen_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/counters/worker_block.hpp"

#include "top/numbers.hpp"
#include "top/process_state.hpp"
#include "top/styled_line.hpp"
#include "top/view.hpp"

namespace weft::top {

namespace {

using counters::worker_state;

/// A part of a worker's time: how it is drawn and called.
struct time_part {
  const char* name;
  const char* block;   // in Unicode
  const char* letter;  // in ASCII
  style as;
};

constexpr std::array parts = {time_part{"task", "█", "#", style::green},
                              time_part{"scheduling", "▓", "+", style::yellow},
                              time_part{"stealing", "▒", "x", style::magenta},
                              time_part{"searching", "░", "-", style::blue},
                              time_part{"parked", "·", ".", style::dim}};

constexpr std::size_t scheduling_part = 1;

std::array<double, parts.size()> seconds_of(const time_split& time) {
  return {
      time.task_s, time.scheduling_s.value_or(0), time.stealing_s, time.searching_s, time.parked_s};
}

double per_second(std::uint64_t count, const view& of) {
  return of.interval_s > 0 ? static_cast<double>(count) / of.interval_s : 0;
}

/// Draws the parts in proportion; every column stands for the part that has most of it.
void add_bar(styled_line& to, const time_split& time, std::size_t width, bool has_unicode) {
  const auto seconds = seconds_of(time);
  const double sum_s = time.sum_s();
  double end = 0;
  std::size_t drawn = 0;
  for (std::size_t i = 0; sum_s > 0 && i < parts.size(); ++i) {
    end += seconds[i] / sum_s * static_cast<double>(width);
    const auto last = std::min(width, static_cast<std::size_t>(std::llround(end)));
    std::string piece;
    for (; drawn < last; ++drawn) {
      piece += has_unicode ? parts[i].block : parts[i].letter;
    }
    to.add(piece, parts[i].as);
  }
  to.add(std::string(width - drawn, ' '));
}

std::string percent(double part, double whole) {
  return whole > 0 ? std::to_string(std::llround(100 * part / whole)) : no_number;
}

style style_of_flag(const flag& raised) {
  return raised.name == "LONG" ? style::yellow : style::alarm;
}

/// Columns of the table of workers. What does not fit is left out, the shares first.
struct table_columns {
  static constexpr std::size_t name_end = 7;
  static constexpr std::size_t state_end = 18;
  static constexpr std::size_t share_width = 7;
  static constexpr std::size_t rate_width = 10;
  static constexpr std::size_t queue_width = 7;
  static constexpr std::size_t shares_width = (parts.size() * share_width) + rate_width;
  static constexpr std::size_t least_width = rate_width + queue_width;
  static constexpr std::size_t smallest_bar = 10;
  static constexpr std::size_t largest_bar = 60;

  explicit table_columns(std::size_t width)
      : has_shares(width > state_end + smallest_bar + shares_width + least_width),
        has_numbers(width > state_end + smallest_bar + least_width) {
    const std::size_t taken =
        state_end + 1 + (has_shares ? shares_width : 0) + (has_numbers ? least_width : 0);
    bar = std::clamp(width - std::min(width, taken), smallest_bar, largest_bar);
  }

  [[nodiscard]] std::size_t numbers_start() const { return state_end + 1 + bar; }

  bool has_shares;
  bool has_numbers;
  std::size_t bar;
};

class screen {
 public:
  screen(const view& of, const screen_options& options)
      : of_(of), options_(options), columns_(options.width) {}

  std::vector<std::string> lines() {
    add_title();
    add_flags();
    add_summary();
    add_distributions();
    finish(line());
    add_table_head();
    add_workers();
    add_legend();
    add_labels();
    add_notes();
    return std::move(lines_);
  }

 private:
  [[nodiscard]] styled_line line() const { return {options_.width, options_.has_colour}; }

  void finish(const styled_line& made) {
    if (options_.height == 0 || lines_.size() < options_.height) {
      lines_.push_back(made.text());
    }
  }

  [[nodiscard]] std::size_t lines_left() const {
    return options_.height == 0 ? 1'000'000
                                : options_.height - std::min(options_.height, lines_.size());
  }

  void add_title() {
    styled_line title = line();
    title.add(of_.header.program, style::bold).add("  pid " + std::to_string(of_.header.pid));
    title.add("  up " + short_time(of_.uptime_s) + "  ");
    const std::string word = status_word(of_);
    title.add(of_.flags.empty() ? word : " " + word + " ",
              of_.flags.empty() ? style::plain : style_of_flag(of_.flags.front()));
    title.add("  " + of_.header.command_line, style::dim);
    finish(title);
  }

  void add_flags() {
    for (const flag& raised : of_.flags) {
      finish(line().add(raised.name, style_of_flag(raised)).add(": " + raised.reason));
    }
  }

  void add_item(styled_line& to, const char* name, const std::string& value) const {
    to.add(to.columns() == 0 ? "" : "   ").add(name, style::dim).add(" ").add(value);
  }

  void add_summary() {
    const counters::worker_totals& counts = of_.done.counts;
    styled_line summary = line();
    add_item(summary, "tasks", short_count(per_second(counts.tasks_executed, of_)) + "/s");
    add_item(summary,
             "steals",
             short_count(per_second(counts.steals_won, of_)) + "/s" +
                 (counts.steals_tried == 0 ? ""
                                           : " (" +
                                                 percent(static_cast<double>(counts.steals_won),
                                                         static_cast<double>(counts.steals_tried)) +
                                                 " % won)"));
    add_item(summary, "queued", of_.queue_length ? std::to_string(*of_.queue_length) : no_number);
    add_item(summary, "waiting", std::to_string(of_.num_suspended));
    add_item(summary, "RSS", of_.rss_bytes ? short_bytes(*of_.rss_bytes) : no_number);
    add_item(summary, "run delay", run_delay());
    finish(summary);
    styled_line totals = line();
    add_item(totals,
             "since start: tasks",
             short_count(static_cast<double>(of_.total.counts.tasks_executed)));
    add_item(totals, "steals", short_count(static_cast<double>(of_.total.counts.steals_won)));
    add_item(totals, "parks", short_count(static_cast<double>(of_.total.counts.parks)));
    finish(totals);
  }

  [[nodiscard]] std::string run_delay() const {
    const double all_s = of_.interval_s * static_cast<double>(of_.workers.size());
    return of_.run_delay_s && all_s > 0 && !of_.is_since_start
               ? short_share(std::min(1.0, *of_.run_delay_s / all_s))
               : no_number;
  }

  void add_distributions() {
    styled_line made = line();
    const auto add = [&](const char* name, const quantiles& of) {
      add_item(made, name, short_time(of.p50_s) + " / " + short_time(of.p99_s));
    };
    add("task", of_.task_duration);
    add("queue delay", of_.queue_delay);
    add("wake-up", of_.park_latency);
    made.add("   (p50 / p99)", style::dim);
    finish(made);
  }

  void add_workers() {
    const bool has_total = of_.workers.size() != 1;
    // Labels are worth a few lines, however many workers there are.
    const std::size_t for_labels =
        of_.labels.empty() ? 0 : std::min<std::size_t>(of_.labels.size(), 4) + 2;
    const std::size_t room = lines_left() - std::min(lines_left(), for_labels + 3);
    const std::size_t num_shown = of_.workers.size() <= room ? of_.workers.size() : room;
    for (std::size_t i = 0; i < num_shown; ++i) {
      add_worker(of_.workers[i]);
    }
    if (num_shown < of_.workers.size()) {
      finish(line().add("  and " + std::to_string(of_.workers.size() - num_shown) +
                            " more workers; a taller window shows them",
                        style::dim));
    }
    if (has_total) {
      add_total();
    }
  }

  void add_table_head() {
    styled_line head = line();
    head.add_right("worker", table_columns::name_end, style::dim).add("  state", style::dim);
    std::size_t end = columns_.numbers_start();
    if (columns_.has_shares) {
      for (const char* name : {"task", "sched", "steal", "search", "parked"}) {
        head.add_right(name, end += table_columns::share_width, style::dim);
      }
      head.add_right("steals/s", end += table_columns::rate_width, style::dim);
    }
    if (columns_.has_numbers) {
      head.add_right("tasks/s", end += table_columns::rate_width, style::dim);
      head.add_right("queue", end + table_columns::queue_width, style::dim);
    }
    finish(head);
  }

  void add_legend() {
    styled_line legend = line();
    legend.pad_to(table_columns::state_end + 1);
    for (const time_part& part : parts) {
      legend.add(options_.has_unicode ? part.block : part.letter, part.as);
      legend.add(std::string(" ") + part.name + "  ", style::dim);
    }
    finish(legend);
  }

  void add_worker(const worker_view& row) {
    styled_line made = line();
    const bool has_pools = of_.workers.front().pool != of_.workers.back().pool;
    // The columns have room for "v0", not for "visitor 0".
    const std::string name = row.worker < counters::first_visitor
                                 ? std::to_string(row.worker)
                                 : 'v' + std::to_string(row.worker - counters::first_visitor);
    made.add_right((has_pools ? std::to_string(row.pool) + "/" : "") + name,
                   table_columns::name_end);
    made.add("  ").add(name_of(row.state));
    made.pad_to(table_columns::state_end + 1);
    add_bar(made, row.done.time, columns_.bar, options_.has_unicode);
    add_numbers(made, row.done, row.queue_length);
    finish(made);
  }

  void add_total() {
    styled_line made = line();
    made.add_right("all", table_columns::name_end, style::bold).add("  ");
    made.add(of_.workers.empty() ? "gone" : "");
    made.pad_to(table_columns::state_end + 1);
    add_bar(made, of_.done.time, columns_.bar, options_.has_unicode);
    add_numbers(made, of_.done, of_.queue_length);
    finish(made);
  }

  void add_numbers(styled_line& to,
                   const activity& done,
                   const std::optional<std::uint64_t>& queue) const {
    std::size_t end = columns_.numbers_start();
    if (columns_.has_shares) {
      add_shares(to, done.time, end);
      end += parts.size() * table_columns::share_width;
      to.add_right(short_count(per_second(done.counts.steals_won, of_)),
                   end += table_columns::rate_width);
    }
    if (columns_.has_numbers) {
      to.add_right(short_count(per_second(done.counts.tasks_executed, of_)),
                   end += table_columns::rate_width);
      to.add_right(queue ? std::to_string(*queue) : no_number, end + table_columns::queue_width);
    }
  }

  static void add_shares(styled_line& to, const time_split& time, std::size_t end) {
    const auto seconds = seconds_of(time);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool is_known = i != scheduling_part || time.scheduling_s;
      const std::string share = percent(seconds[i], time.sum_s());
      to.add_right(is_known && share != no_number ? share + " %" : no_number,
                   end += table_columns::share_width);
    }
  }

  void add_labels() {
    if (of_.labels.empty() || lines_left() < 3) {
      return;
    }
    finish(line());
    finish(line().add("hottest tasks, by time in their bodies, last " + short_time(of_.sampled_s),
                      style::dim));
    const std::size_t num_shown = std::min({of_.labels.size(), lines_left(), std::size_t{10}});
    for (std::size_t i = 0; i < num_shown; ++i) {
      const label_view& label = of_.labels[i];
      styled_line made = line();
      made.add_right(short_share(label.share), table_columns::name_end + 1);
      made.add_right(short_count(std::round(label.num)), 19).add(" x ");
      made.add(label.num > 0 ? short_time(label.task_s / label.num) : no_number).pad_to(33);
      finish(made.add(label.name));
    }
  }

  void add_notes() {
    if (of_.largest_sample_period > 1) {
      finish(line().add("times of tasks are estimated: one in " +
                            std::to_string(of_.largest_sample_period) + " or fewer is timed",
                        style::dim));
    }
    if (!of_.missing.empty()) {
      finish(line().add(
          "this program's weft does not tell: " + of_.missing.front() +
              (of_.missing.size() > 1 ? " and " + std::to_string(of_.missing.size() - 1) + " more"
                                      : ""),
          style::dim));
    }
  }

  const view& of_;
  const screen_options& options_;
  table_columns columns_;
  std::vector<std::string> lines_;
};

}  // namespace

const char* name_of(worker_state state) noexcept {
  switch (state) {
    case worker_state::executing:
      return "executing";
    case worker_state::searching:
      return "searching";
    case worker_state::stealing:
      return "stealing";
    case worker_state::parked:
      return "parked";
    case worker_state::absent:
      return "absent";
  }
  return "unknown";  // to this build
}

std::string status_word(const view& of) {
  switch (of.status) {
    case process_status::ended:
      return "ended";
    case process_status::killed:
      return "killed";
    case process_status::running:
      break;
  }
  return of.flags.empty() ? "running" : of.flags.front().name;
}

std::vector<std::string> screen_lines(const view& of, const screen_options& options) {
  return screen(of, options).lines();
}

std::vector<std::string> overview_lines(const std::vector<view>& all,
                                        const screen_options& options) {
  std::vector<std::string> lines;
  styled_line head(options.width, options.has_colour);
  head.add_right("pid", 8, style::dim).add("  program", style::dim).pad_to(30);
  head.add("status", style::dim).pad_to(39).add_right("workers", 47, style::dim);
  head.add_right("in tasks", 57, style::dim).add_right("tasks/s", 68, style::dim);
  head.add_right("queued", 77, style::dim).add_right("RSS", 89, style::dim);
  lines.push_back(head.text());
  for (const view& of : all) {
    styled_line row(options.width, options.has_colour);
    row.add_right(std::to_string(of.header.pid), 8).add("  ").add(of.header.program.substr(0, 19));
    row.pad_to(30).add(status_word(of),
                       of.flags.empty() ? style::plain : style_of_flag(of.flags.front()));
    row.add_right(std::to_string(of.workers.size()), 47);
    row.add_right(percent(of.done.time.task_s, of.done.time.sum_s()) + " %", 57);
    row.add_right(short_count(per_second(of.done.counts.tasks_executed, of)), 68);
    row.add_right(of.queue_length ? std::to_string(*of.queue_length) : no_number, 77);
    row.add_right(of.rss_bytes ? short_bytes(*of.rss_bytes) : no_number, 89);
    lines.push_back(row.text());
  }
  return lines;
}

}  // namespace weft::top
