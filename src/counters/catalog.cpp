// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of counters: a new counter is a new row here.
#include "weft/counters/catalog.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include <sys/resource.h>
#include <sys/time.h>

#include "counters/catalog_rows.hpp"

namespace weft::counters {
namespace {

using detail::catalog_row;
using detail::usage_recipe;
using enum counter_scope;

constexpr double seconds(const timeval& time) noexcept {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

constexpr catalog_row usage_row(std::string_view name,
                                std::string_view unit,
                                std::string_view note,
                                double (*value)(const rusage&)) {
  return {{name, unit, process, "getrusage", note}, usage_recipe{value}};
}

constexpr std::array rows{
    usage_row("cpu_time",
              "s",
              "user and system time of all threads",
              [](const rusage& u) { return seconds(u.ru_utime) + seconds(u.ru_stime); }),
    usage_row(
        "user_time", "s", "time in user mode", [](const rusage& u) { return seconds(u.ru_utime); }),
    usage_row("system_time",
              "s",
              "time in the kernel",
              [](const rusage& u) { return seconds(u.ru_stime); }),
    usage_row("page_faults_minor",
              "events",
              "faults served without reading a disk: first touches",
              [](const rusage& u) { return static_cast<double>(u.ru_minflt); }),
    usage_row("page_faults_major",
              "events",
              "faults that had to read a disk",
              [](const rusage& u) { return static_cast<double>(u.ru_majflt); }),
    usage_row("context_switches_voluntary",
              "events",
              "a thread waited",
              [](const rusage& u) { return static_cast<double>(u.ru_nvcsw); }),
    usage_row("context_switches_involuntary",
              "events",
              "a thread was pushed off its CPU",
              [](const rusage& u) { return static_cast<double>(u.ru_nivcsw); }),
};

constexpr auto infos = [] {
  std::array<counter_info, rows.size()> result{};
  std::ranges::transform(rows, result.begin(), &catalog_row::info);
  return result;
}();

}  // namespace

std::span<const counter_info> catalog() noexcept { return infos; }

std::span<const catalog_row> detail::catalog_rows() noexcept { return rows; }

}  // namespace weft::counters
