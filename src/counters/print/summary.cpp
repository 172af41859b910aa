// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints a bar per worker, followed by lines about tasks, steals, delays and memory.
#include "counters/print/summary.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/printable.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "counters/core/histograms.hpp"
#include "counters/print/formats.hpp"
#include "counters/print/number_text.hpp"

namespace weft::counters::detail {

namespace {

/// A share of a worker's time.
struct share {
  std::string_view type;
  std::string_view title;
  char mark;
};

constexpr std::array shares = {share{"/threads/time/executing", "tasks", '#'},
                               share{"/threads/time/scheduling", "sched", '+'},
                               share{"/threads/time/stealing", "steal", '-'},
                               share{"/threads/time/searching", "search", '.'},
                               share{"/threads/time/parked", "parked", ' '}};
constexpr std::size_t title_width = 8;
constexpr std::size_t bar_width = 30;
constexpr std::size_t column_width = 9;
constexpr std::size_t count_width = 16;

constexpr std::string_view num_tasks = "/threads/count/cumulative";
constexpr std::string_view mean_duration = "/threads/time/average";
constexpr std::string_view idle_rate = "/threads/idle-rate";
constexpr std::string_view steals_tried = "/threads/count/steals-tried";
constexpr std::string_view steals_won = "/threads/count/steals-won";
constexpr std::string_view durations = "/threads/histogram/task-duration";
constexpr std::string_view delays = "/threads/histogram/queue-delay";
constexpr std::string_view memory = "/runtime/memory/resident";
constexpr std::string_view peak_memory = "/runtime/memory/peak-resident";

constexpr std::array per_worker = {num_tasks};
constexpr std::array only_total = {
    mean_duration, idle_rate, steals_tried, steals_won, durations, delays, memory, peak_memory};

std::string right(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + std::string(text);
}

std::string left(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, text.size()), ' ');
}

/// The counts of one worker, or of all workers.
struct instance_readings {
  std::vector<instance_part> instance;
  std::vector<const session_reading*> values = {};

  [[nodiscard]] bool is_worker() const { return instance.back().name == "worker-thread"; }
  [[nodiscard]] const session_reading* find(std::string_view type) const {
    for (const session_reading* each : values) {
      if (type_name(parse_counter_name(each->name)) == type) {
        return each;
      }
    }
    return nullptr;
  }
  [[nodiscard]] std::optional<double> number(std::string_view type) const {
    const session_reading* reading = find(type);
    if (reading == nullptr || !reading->value.value) {
      return std::nullopt;
    }
    const counter_value::number& value = *reading->value.value;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      return static_cast<double>(*whole);
    }
    const auto* real = std::get_if<double>(&value);
    return real == nullptr ? std::nullopt : std::optional(*real);
  }
};

using instance_list = std::vector<instance_readings>;

/// Groups the readings by instance. `locality#0/total` is first, and exists even without values.
instance_list by_instance(const session_readings& readings) {
  instance_list all{{.instance = complete(parse_counter_name("/threads")).instance}};
  for (const session_reading& each : readings.values) {
    const counter_name name = parse_counter_name(each.name);
    auto found = std::ranges::find(all, name.instance, &instance_readings::instance);
    if (found == all.end()) {
      found = all.insert(all.end(), {.instance = name.instance});
    }
    found->values.push_back(&each);
  }
  return all;
}

std::string worker_title(const instance_readings& worker) {
  const auto* index = std::get_if<std::uint32_t>(&worker.instance.back().index);
  std::string number = index == nullptr ? "?" : std::to_string(*index);
  for (const instance_part& part : worker.instance) {
    const auto* pool = std::get_if<std::string>(&part.index);
    if (pool != nullptr && *pool != "default") {
      return *pool + '/' + number;
    }
  }
  return number;
}

using share_list = std::array<std::optional<double>, shares.size()>;

/// Returns each state's share of the workers' time. If all states are known, that time is their
/// sum, which is exact.
share_list shares_of(const instance_readings& whose, double wall_ns) {
  share_list values{};
  double sum = 0;
  bool has_all = true;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    values[i] = whose.number(shares[i].type);
    sum += std::max(0.0, values[i].value_or(0));
    has_all = has_all && values[i];
  }
  const double whole = has_all ? sum : std::max(sum, wall_ns);
  for (std::optional<double>& each : values) {
    each = each && whole > 0 ? std::optional(std::max(0.0, *each) / whole) : std::nullopt;
  }
  return values;
}

/// Prints the known shares, then the unknown rest.
std::string bar_of(const share_list& values) {
  std::string bar;
  double sum = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    sum += values[i].value_or(0);
    const auto end = static_cast<std::size_t>(std::lround(sum * static_cast<double>(bar_width)));
    bar.resize(std::clamp(end, bar.size(), bar_width), shares[i].mark);
  }
  bar.resize(bar_width, '?');
  return bar;
}

std::string row_of(const std::string& title, const instance_readings& whose, double wall_ns) {
  const share_list values = shares_of(whose, wall_ns);
  std::string row = "  " + left(title, title_width) + '|' + bar_of(values) + '|';
  for (const std::optional<double>& each : values) {
    row += right(each ? fixed(100 * *each, 1) + " %" : "?", column_width);
  }
  const auto tasks = whose.number(num_tasks);
  return row + right(tasks ? grouped(std::llround(*tasks)) : "?", count_width) + '\n';
}

std::string header() {
  std::string text = "  " + left("worker", title_width + bar_width + 2);
  for (const share& each : shares) {
    text += right(std::string(each.title) + (each.mark == ' ' ? "" : std::string(" ") + each.mark),
                  column_width);
  }
  return text + right("number of tasks", count_width) + '\n';
}

std::string line(std::string_view title, const std::string& text) {
  return "  " + left(title, 14) + text + '\n';
}

/// Returns a line about one counter: the text of `print`, or why it has no value.
template <class Print>
std::string line_about(const instance_readings& total,
                       std::string_view title,
                       std::string_view type,
                       Print print) {
  const session_reading* reading = total.find(type);
  if (reading == nullptr) {
    return {};
  }
  const counter_value& value = reading->value;
  return line(
      title,
      value.value ? print(*value.value, value.sampled) : "unavailable (" + value.reason + ')');
}

using sampled_how = std::optional<sampling>;

std::string time_quantiles(const counter_value::number& value, const sampled_how& /*sampled*/) {
  const auto* histogram = std::get_if<histogram_value>(&value);
  if (histogram == nullptr || total_weight(*histogram) <= 0) {
    return "none was sampled";
  }
  return "p50 " + human_time_ns(quantile(*histogram, 0.5)) + ", p90 " +
         human_time_ns(quantile(*histogram, 0.9)) + ", p99 " +
         human_time_ns(quantile(*histogram, 0.99));
}

std::string lines_about_tasks(const instance_readings& total) {
  const auto print_mean = [&](const counter_value::number& value, const sampled_how& sampled) {
    return human_time_ns(total.number(mean_duration).value_or(0)) +
           (sampled ? ' ' + sampling_text(*sampled, value, "ns") : "");
  };
  std::string text = line_about(total, "mean task", mean_duration, print_mean);
  text += line_about(total, "task duration", durations, time_quantiles);
  text += line_about(total, "queue delay", delays, time_quantiles);
  return text;
}

std::string lines_about_the_rest(const instance_readings& total) {
  std::string text = line_about(total, "idle rate", idle_rate, [&](const auto&...) {
    return fixed(total.number(idle_rate).value_or(0) / 100, 2) + " %";
  });
  text += line_about(total, "steals", steals_won, [&](const auto&...) {
    const double won = total.number(steals_won).value_or(0);
    const double tried = total.number(steals_tried).value_or(0);
    return grouped(std::llround(won)) + " won of " + grouped(std::llround(tried)) + " tried" +
           (tried > 0 ? " (" + fixed(100 * won / tried, 1) + " %)" : "");
  });
  const auto peak = total.number(peak_memory);
  text += line_about(total, "memory", memory, [&](const auto&...) {
    const double now = total.number(memory).value_or(0);
    // the kernel updates the peak later than the resident size
    return human_bytes(now) + " resident" +
           (peak ? ", at most " + human_bytes(std::max(now, *peak)) : "");
  });
  return text;
}

class summary_formatter final : public formatter {
 public:
  std::string print(const session_readings& readings, std::string_view description) override {
    return base::printable((description.empty() ? "" : std::string(description) + '\n') +
                           summary_text(readings));
  }
};

}  // namespace

std::string summary_text(const session_readings& readings) {
  const instance_list all = by_instance(readings);
  const double seconds = std::chrono::duration<double>(readings.since_start).count();
  std::string rows;
  std::size_t num_workers = 0;
  for (const instance_readings& each : all) {
    if (each.is_worker()) {
      rows += row_of(worker_title(each), each, seconds * 1e9);
      ++num_workers;
    }
  }
  const double tasks = all.front().number(num_tasks).value_or(0);
  return "weft: " + grouped(std::llround(tasks)) + " tasks in " + human_time_ns(seconds * 1e9) +
         " on " + std::to_string(num_workers) + (num_workers == 1 ? " worker" : " workers") +
         "; where the time went:\n" + header() + rows +
         row_of("all", all.front(), seconds * 1e9 * static_cast<double>(num_workers)) +
         lines_about_tasks(all.front()) + lines_about_the_rest(all.front());
}

std::vector<std::string> summary_counters(const registry& from) {
  std::vector<std::string> names;
  const auto add_if_known = [&](const std::string& name) {
    try {
      if (!from.discover(parse_counter_name(name)).empty()) {
        names.push_back(name);
      }
    } catch (const error&) {
      return;  // without this counter, the summary has no such line
    }
  };
  for (const share& each : shares) {
    add_if_known(std::string(each.type));
  }
  std::ranges::for_each(per_worker, [&](auto type) { add_if_known(std::string(type)); });
  for (const std::string_view type : only_total) {
    counter_name name = complete(parse_counter_name(type));
    add_if_known(to_string(name));
  }
  return names;
}

std::unique_ptr<formatter> make_summary_formatter() {
  return std::make_unique<summary_formatter>();
}

}  // namespace weft::counters::detail
