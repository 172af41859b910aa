// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of this process by sessions, and of other processes by the files that `weft top` reads.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <nanobind/nanobind.h>
// Conversions, which nothing names.
#include <nanobind/stl/optional.h>  // IWYU pragma: keep
#include <nanobind/stl/string.h>    // IWYU pragma: keep
#include <nanobind/stl/vector.h>    // IWYU pragma: keep

#include "weft/counters/counter.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/session.hpp"

#include "_weft_parts.hpp"
#include "counters/print/formats.hpp"
#include "top/report.hpp"
#include "top/targets.hpp"
#include "top/watched.hpp"

namespace weft::python {

namespace nb = nanobind;
using counters::session;

namespace {

nb::object object_of(const counters::histogram_value& histogram) {
  nb::list buckets;
  for (const auto& bucket : histogram.buckets) {
    buckets.append(nb::make_tuple(bucket.upper, bucket.weight));
  }
  return nb::make_tuple(buckets, histogram.sum);
}

template <class Number>
nb::object object_of(const Number& number) {
  return nb::cast(number);
}

nb::object value_of(const counters::counter_value& value) {
  if (!value.value) {
    return nb::none();
  }
  return std::visit([](const auto& number) { return object_of(number); }, *value.value);
}

nb::object sampling_of(const counters::counter_value& value) {
  if (!value.sampled) {
    return nb::none();
  }
  const auto& [one_in, num_samples, half_width] = *value.sampled;
  return nb::make_tuple(one_in, num_samples, half_width);
}

/// Number, seconds since the session's start, and the values, each as weft/counters.py takes it.
nb::tuple evaluate(session& from, bool resets) {
  const counters::session_readings found = [&] {
    const gil_released unlocked;
    return from.evaluate(resets ? counters::after_reading::reset : counters::after_reading::keep);
  }();
  nb::list values;
  for (const counters::session_reading& each : found.values) {
    values.append(nb::make_tuple(each.name,
                                 each.unit,
                                 counters::detail::kind_name(each.kind),
                                 value_of(each.value),
                                 each.value.reason,
                                 sampling_of(each.value),
                                 each.includes_pauses));
  }
  return nb::make_tuple(std::chrono::duration<double>(found.since_start).count(), values);
}

/// A process whose counters are read from outside.
class process {
 public:
  explicit process(std::uint64_t pid)
      : watched_(top::read_process_file(top::find_pid(top::stats_folder(), pid))) {}

  /// The JSON of `weft top --json`.
  [[nodiscard]] std::string look() {
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): a process file can always be looked at
    return top::json_text(watched_.look().value());
  }

 private:
  top::watched watched_;
};

nb::list processes() {
  const std::vector<top::target> found = [] {
    const gil_released unlocked;
    return top::all_targets(top::stats_folder());
  }();
  nb::list all;
  for (const top::target& each : found) {
    if (each.is_trusted()) {
      all.append(nb::make_tuple(each.file.name.pid, each.program, each.is_alive()));
    }
  }
  return all;
}

}  // namespace

void add_counters(nb::module_& to) {
  const nb::call_guard<gil_released> unlocked;
  to.def(
      "discover", [](const std::string& pattern) { return counters::discover(pattern); }, unlocked);
  nb::class_<session>(to, "session")
      .def(
          "__init__",
          [](session* self, const std::vector<std::string>& names) { new (self) session(names); },
          unlocked)
      .def("evaluate", &evaluate)
      .def("names", &session::names)
      .def("reset", &session::reset, unlocked)
      .def("stop", &session::stop, unlocked)
      .def("start", &session::start, unlocked);
  nb::class_<process>(to, "process")
      .def(nb::init<std::uint64_t>())
      .def("look", &process::look, unlocked);
  to.def("processes", &processes);
}

}  // namespace weft::python
