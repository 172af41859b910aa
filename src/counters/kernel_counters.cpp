// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The catalog's kernel counters on this machine: each is open and proven to count, or has a reason.
#include "counters/kernel_counters.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <linux/perf_event.h>

#include "counters/catalog_rows.hpp"
#include "counters/cpu_events.hpp"
#include "counters/environment.hpp"
#include "counters/event_counter.hpp"
#include "counters/event_source.hpp"
#include "counters/known_work.hpp"
#include "counters/machine_facts.hpp"
#include "counters/perf_kernel.hpp"
#include "counters/thread_ids.hpp"

namespace weft::counters::detail {
namespace {

constexpr int max_proofs = 20;  // known work is repeated while a counter has not moved enough

/// What a recipe needs opened, or why it cannot be had.
struct plan {
  std::vector<event_place> places;
  std::string reason;
  privilege needed = privilege::user_only;
  double least = 0;
  bool is_core_event = false;
};

/// Turns recipes into plans for this machine and the threads that exist now.
class planner {
 public:
  explicit planner(const std::filesystem::path& root)
      : root_(root), machine_(read_machine_facts(root)), threads_(thread_ids(root)) {
    if (threads_.empty()) {
      threads_.push_back(0);
    }
  }

  [[nodiscard]] const machine_facts& machine() const { return machine_; }

  std::optional<plan> operator()(const event_recipe& how) const {
    return plan{.places = on_every_thread(how.code, how.unit_per_count),
                .reason = {},
                .needed = how.code.is_user_only ? privilege::user_only : privilege::kernel_mode,
                .least = how.least,
                .is_core_event = how.code.type != PERF_TYPE_SOFTWARE};
  }

  std::optional<plan> operator()(const fp_recipe& how) const {
    const cpu_events* cpu = find_cpu(machine_.vendor, machine_.family, machine_.model);
    plan result{.places = {}, .reason = {}, .least = how.least, .is_core_event = true};
    if (cpu == nullptr) {
      result.reason = "weft knows no floating-point event of this processor (" + identity() +
                      "); PAPI may: see `papi_avail`";
    } else if (const auto code = cpu->codes[static_cast<std::size_t>(how.event)]; code == 0) {
      result.reason = absent_event(how.event, *cpu);
    } else {
      result.places = on_every_thread({.type = PERF_TYPE_RAW, .config = code}, 1);
    }
    return result;
  }

  std::optional<plan> operator()(const memory_recipe& how) const {
    plan result{.places = memory_event_places(root_, how.direction),
                .reason = {},
                .needed = privilege::whole_machine,
                .least = 1};
    if (result.places.empty()) {
      result.reason =
          "no memory controller counts transfers here: /sys/bus/event_source/devices has no "
          "uncore_imc and no amd_umc unit that does; LIKWID reaches more of them on bare metal";
    }
    return result;
  }

  template <class Other>
  std::optional<plan> operator()(const Other& /*how*/) const {
    return std::nullopt;  // not a kernel counter
  }

 private:
  [[nodiscard]] std::vector<event_place> on_every_thread(const event_code& code,
                                                         double unit_per_count) const {
    std::vector<event_place> places;
    places.reserve(threads_.size());
    for (const int id : threads_) {
      places.push_back(
          {.code = code, .thread_id = id, .cpu = -1, .unit_per_count = unit_per_count});
    }
    return places;
  }

  [[nodiscard]] std::string identity() const {
    return (machine_.vendor.empty() ? "vendor not known" : machine_.vendor) + ", family " +
           std::to_string(machine_.family) + ", model " + std::to_string(machine_.model);
  }

  static std::string absent_event(fp_event event, const cpu_events& cpu) {
    std::string text = std::string(cpu.name) + " processors ";
    if (event == fp_event::operations) {
      return text + "count instructions by width, not operations: see fp_scalar, fp_128, fp_256";
    }
    return text + (cpu.codes[static_cast<std::size_t>(fp_event::operations)] != 0
                       ? "count operations, not instructions by width: see fp_operations"
                       : "have no instructions of this width");
  }

  std::filesystem::path root_;
  machine_facts machine_;
  std::vector<int> threads_;
};

}  // namespace

std::optional<scaled_value> kernel_counters::slot::read() const {
  const std::optional<event_sum> sum = counter ? counter->counted() : std::nullopt;
  return sum ? extrapolate(*sum) : std::nullopt;
}

void kernel_counters::slot::reject(std::string why) {
  counter.reset();
  reason = std::move(why);
}

kernel_counters::kernel_counters(const environment& where) {
  open(where);
  prove();
  rebase();
}

void kernel_counters::open(const environment& where) {
  const planner plan_for(where.root);
  for (const catalog_row& row : catalog_rows()) {
    slot& added = slots_.emplace_back();
    const std::optional<plan> wanted = std::visit(plan_for, row.how);
    if (!wanted) {
      continue;
    }
    added.reason = wanted->reason;
    added.least = wanted->least;
    added.is_core_event = wanted->is_core_event;
    if (!wanted->places.empty()) {
      opened_counter opened = open_counter(*where.kernel, wanted->places);
      added.counter = std::move(opened.counter);
      added.reason =
          added.counter ? ""
                        : explain_open_error(opened.error_code, wanted->needed, plan_for.machine());
    }
  }
}

void kernel_counters::prove() {
  const auto is_proven = [](const slot& each) {
    const auto value = each.read();
    return !each.counter || (value && value->value >= each.least);
  };
  set(event_state::counting);
  for (int i = 0; i < max_proofs && !std::ranges::all_of(slots_, is_proven); ++i) {
    known_work();
  }
  set(event_state::paused);
  bool is_core_stuck = false;
  judge(is_core_stuck);
  for (slot& each : slots_) {
    // a counter that may rightly read 0 is only as good as those that may not
    if (is_core_stuck && each.counter && each.is_core_event && each.least == 0) {
      each.reject("the performance monitoring unit opens other events but counts nothing");
    }
  }
}

void kernel_counters::judge(bool& is_core_stuck) {
  for (slot& each : slots_) {
    if (!each.counter) {
      continue;
    }
    const std::optional<scaled_value> value = each.read();
    if (!value) {
      each.reject(
          "the kernel never scheduled it: another profiler or the NMI watchdog holds the hardware "
          "counters (`sysctl kernel.nmi_watchdog=0`)");
    } else if (value->value < each.least) {
      is_core_stuck |= each.is_core_event && value->value == 0;
      each.reject("opens, but counts nothing plausible: known work read " +
                  std::to_string(value->value) + ", at least " + std::to_string(each.least) +
                  " is certain");
    }
  }
}

void kernel_counters::set(event_state state) noexcept {
  for (slot& each : slots_) {
    if (each.counter) {
      each.counter->set(state);
    }
  }
}

void kernel_counters::rebase() noexcept {
  for (slot& each : slots_) {
    if (each.counter) {
      each.counter->rebase();
    }
  }
}

kernel_value kernel_counters::read(std::size_t row) const {
  const slot& asked = slots_[row];
  if (!asked.counter) {
    return {.value = std::nullopt, .reason = asked.reason};
  }
  const std::optional<event_sum> sum = asked.counter->counted();
  if (!sum) {
    return {.value = std::nullopt, .reason = "the kernel no longer delivers it"};
  }
  const std::optional<scaled_value> value = extrapolate(*sum);
  if (!value) {
    return {.value = std::nullopt,
            .reason =
                "the kernel scheduled it at no time between start() and stop(): too many "
                "counters for the hardware, or too short a time"};
  }
  return {.value = value, .reason = {}};
}

}  // namespace weft::counters::detail
