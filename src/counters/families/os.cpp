// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters that every Linux kernel keeps for a process. A new counter is a new row here.
#include "counters/families/os.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "weft/base/text_file.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"

#include "counters/core/family_rows.hpp"
#include "counters/core/thread_ids.hpp"
#include "counters/core/unavailable.hpp"
#include "counters/core/worker_threads.hpp"
#include "counters/families/proc_counter.hpp"

namespace weft::counters::detail {
namespace {

namespace fs = std::filesystem;
using usage = ::rusage;

/// The value in a line "key: value".
struct keyed_field {
  proc_file file;
  std::string_view key;
  std::int64_t unit_per_count = 1;
};

/// A field of /proc/self/statm.
struct pages_field {
  std::size_t index;
};

/// The total in a line "some avg10=... total=N", in microseconds.
struct stall_field {
  proc_file file;
};

struct usage_field {
  std::int64_t (*value)(const usage& of);
};

/// The time that threads waited for a CPU. It is kept only per thread.
struct delay_field {};

using field = std::variant<keyed_field, pages_field, stall_field, usage_field, delay_field>;

/// Where a thread's folder in /proc holds the same number: behind a key, or in a column of the only
/// line. Columns are counted from the one after the program's name.
struct thread_field {
  std::string_view file = {};  // empty: the kernel does not keep it for threads
  std::string_view key = {};
  std::size_t column = 0;
};

struct os_row {
  std::string_view name;
  std::string_view unit;
  counter_kind kind;
  field how;
  std::string_view help;
  thread_field of_thread = {};
};

constexpr std::int64_t kib = 1024;

constexpr std::int64_t nanoseconds(const ::timeval& time) noexcept {
  return (time.tv_sec * 1'000'000'000) + (time.tv_usec * 1'000);
}

constexpr keyed_field io(std::string_view key) { return {.file = proc_file::io, .key = key}; }

template <auto member>
constexpr usage_field used = {[](const usage& of) -> std::int64_t { return of.*member; }};
constexpr usage_field user_time = {[](const usage& of) { return nanoseconds(of.ru_utime); }};
constexpr usage_field system_time = {[](const usage& of) { return nanoseconds(of.ru_stime); }};
constexpr usage_field cpu_time = {
    [](const usage& of) { return nanoseconds(of.ru_utime) + nanoseconds(of.ru_stime); }};
constexpr usage_field peak_memory = {[](const usage& of) { return of.ru_maxrss * kib; }};

using enum counter_kind;

// clang-format off
constexpr std::array rows{
os_row{"/runtime/memory/virtual", "bytes", gauge, pages_field{0},
  "Address space that the process has mapped."},
os_row{"/runtime/memory/resident", "bytes", gauge, pages_field{1},
  "Memory of the process that is in RAM."},
os_row{"/runtime/memory/peak-resident", "bytes", gauge, peak_memory,
  "The most memory of the process that was ever in RAM."},
os_row{"/runtime/memory/total", "bytes", gauge, keyed_field{proc_file::memory_info, "MemAvailable", kib},
  "Memory that this machine could give to programs without swapping."},
os_row{"/runtime/io/read_bytes_issued", "bytes", total, io("rchar"),
  "Bytes that the process asked to read, from caches too."},
os_row{"/runtime/io/write_bytes_issued", "bytes", total, io("wchar"),
  "Bytes that the process asked to write, to caches too."},
os_row{"/runtime/io/read_syscalls", "", total, io("syscr"), "System calls that read."},
os_row{"/runtime/io/write_syscalls", "", total, io("syscw"), "System calls that write."},
os_row{"/runtime/io/read_bytes_transferred", "bytes", total, io("read_bytes"),
  "Bytes that came from storage for the process."},
os_row{"/runtime/io/write_bytes_transferred", "bytes", total, io("write_bytes"),
  "Bytes that went to storage for the process."},
os_row{"/runtime/io/write_bytes_cancelled", "bytes", total, io("cancelled_write_bytes"),
  "Bytes that never went to storage because the process truncated or removed the file."},
os_row{"/os/cpu-time/total", "ns", total, cpu_time,
  "Time that all threads of the process spent on CPUs."},
os_row{"/os/cpu-time/user", "ns", total, user_time,
  "Time that all threads of the process spent on CPUs in user mode."},
os_row{"/os/cpu-time/system", "ns", total, system_time,
  "Time that all threads of the process spent on CPUs in the kernel."},
os_row{"/os/context-switches/voluntary", "", total, used<&usage::ru_nvcsw>,
  "How often a thread gave up its CPU to wait.", {"status", "voluntary_ctxt_switches"}},
os_row{"/os/context-switches/involuntary", "", total, used<&usage::ru_nivcsw>,
  "How often a thread was pushed off its CPU.", {"status", "nonvoluntary_ctxt_switches"}},
os_row{"/os/page-faults/minor", "", total, used<&usage::ru_minflt>,
  "Page faults served without reading storage: first touches, mostly.", {"stat", "", 7}},
os_row{"/os/page-faults/major", "", total, used<&usage::ru_majflt>,
  "Page faults that had to read storage.", {"stat", "", 9}},
os_row{"/os/run-delay", "ns", total, delay_field{},
  "Time that threads were ready to run but waited for a CPU: others had it.", {"schedstat", "", 1}},
os_row{"/os/pressure/cpu", "ns", total, stall_field{proc_file::pressure_cpu},
  "Time in which some task of this machine, of other processes too, was held up for lack of a CPU."},
os_row{"/os/pressure/io", "ns", total, stall_field{proc_file::pressure_io},
  "Time in which some task of this machine, of other processes too, was held up for lack of storage."},
os_row{"/os/pressure/memory", "ns", total, stall_field{proc_file::pressure_memory},
  "Time in which some task of this machine, of other processes too, was held up for lack of memory."},
};
// clang-format on

kept_number missing(proc_file file, std::string_view hint) {
  return {.value = std::nullopt,
          .reason = std::string(proc_files::path_of(file)) +
                    " is not there or says nothing about it: " + std::string(hint)};
}

/// Reads the number that a row describes.
class row_reader {
 public:
  row_reader(const proc_files& files, evaluation& now) : files_(&files), now_(&now) {}

  kept_number operator()(const keyed_field& how) const {
    const auto text = base::keyed_value(*files_->lines(how.file, *now_), how.key);
    const auto value = text ? base::parse_integer(*text) : std::nullopt;
    return value ? kept_number{.value = *value * how.unit_per_count}
                 : missing(how.file, "the kernel keeps no such account, or /proc is restricted");
  }

  kept_number operator()(const pages_field& how) const {
    const auto lines = files_->lines(proc_file::memory_pages, *now_);
    std::istringstream fields(lines->empty() ? "" : lines->front());
    std::int64_t value = 0;
    for (std::size_t i = 0; i <= how.index; ++i) {
      fields >> value;
    }
    return fields ? kept_number{.value = value * ::sysconf(_SC_PAGESIZE)}
                  : missing(proc_file::memory_pages, "/proc is not mounted");
  }

  kept_number operator()(const stall_field& how) const {
    constexpr std::string_view before = "total=";
    const auto lines = files_->lines(how.file, *now_);
    const std::string some = lines->empty() ? "" : lines->front();
    const std::size_t found = some.find(before);
    const auto value = some.starts_with("some ") && found != std::string::npos
                           ? base::parse_integer(some.substr(found + before.size()))
                           : std::nullopt;
    return value ? kept_number{.value = *value * 1'000}
                 : missing(how.file, "the kernel lacks CONFIG_PSI, or was booted with psi=0");
  }

  kept_number operator()(const usage_field& how) const {
    static constexpr char key = 0;
    const auto read = now_->once<usage>(&key, [] {
      auto fresh = std::make_shared<usage>();
      ::getrusage(RUSAGE_SELF, fresh.get());
      return fresh;
    });
    return {.value = how.value(*read)};
  }

  kept_number operator()(const delay_field& /*how*/) const { return {.value = std::nullopt}; }

 private:
  const proc_files* files_;
  evaluation* now_;
};

/// The time that threads waited for a CPU. A thread that starts and ends between two readings is
/// missed.
///
/// Cost:    about 10 us per thread and reading. That is too much around each call of a short
///          function, so the counter does not pause.
class run_delay_counter final : public counter {
 public:
  explicit run_delay_counter(fs::path root) : root_(std::move(root)), begin_(take()) {}

  counter_value evaluate(evaluation& /*now*/) override {
    const sample end = take();
    if (end.num_timeslices == 0) {  // the reading thread has had at least one timeslice
      return unavailable(
          "/proc/self/task/*/schedstat is missing or reads 0: this kernel keeps no run delay "
          "(CONFIG_SCHED_INFO)");
    }
    std::int64_t sum_ns = 0;
    for (const auto& [id, delay_ns] : end.delay_ns) {
      const auto before = begin_.delay_ns.find(id);
      sum_ns += delay_ns - (before == begin_.delay_ns.end() ? 0 : before->second);
    }
    int num_ended = 0;
    for (const auto& [id, delay_ns] : begin_.delay_ns) {
      num_ended += end.delay_ns.contains(id) ? 0 : 1;
    }
    return num_ended == 0 ? counter_value{.value = sum_ns}
                          : unavailable(std::to_string(num_ended) +
                                        " threads ended since counting began and took their run "
                                        "delay along; keep them until it is read, or reset to "
                                        "count from now on");
  }
  void reset(evaluation& /*now*/) override { begin_ = take(); }

 private:
  struct sample {
    std::map<int, std::int64_t> delay_ns;  // by thread id
    std::int64_t num_timeslices = 0;
  };

  [[nodiscard]] sample take() const {
    sample result;
    for (const int id : thread_ids(root_)) {
      const auto text =
          base::read_text(root_ / "proc/self/task" / std::to_string(id) / "schedstat");
      std::istringstream fields(text.value_or(""));
      std::int64_t running_ns = 0;
      std::int64_t waiting_ns = 0;
      std::int64_t timeslices = 0;
      if (fields >> running_ns >> waiting_ns >> timeslices) {
        result.delay_ns[id] = waiting_ns;
        result.num_timeslices += timeslices;
      }
    }
    return result;
  }

  fs::path root_;
  sample begin_;
};

/// Reads a column of the only line, counted after the program's name, which stands in parentheses
/// and may contain any character.
std::optional<std::int64_t> read_column(const std::string& line, std::size_t column) {
  const std::size_t name_end = line.rfind(')');
  std::istringstream words(name_end == std::string::npos ? line : line.substr(name_end + 1));
  std::string word;
  for (std::size_t i = 0; i <= column; ++i) {
    words >> word;
  }
  return words ? base::parse_integer(word) : std::nullopt;
}

std::optional<std::int64_t> read_field(const thread_field& of_thread, const fs::path& thread) {
  const std::vector<std::string> lines = base::read_lines(thread / of_thread.file);
  if (lines.empty()) {
    return std::nullopt;
  }
  if (of_thread.key.empty()) {
    return read_column(lines.front(), of_thread.column);
  }
  const auto text = base::keyed_value(lines, of_thread.key);
  return text ? base::parse_integer(*text) : std::nullopt;
}

/// Reads the number of the thread that is the worker named by `name` at this moment.
kept_number read_worker(const thread_field& of_thread,
                        const counter_name& name,
                        const os_surroundings& where) {
  for (const worker_thread& each : where.workers()) {
    if (is_instance_of(name, each)) {
      const fs::path thread = where.root / "proc/self/task" / std::to_string(each.thread_id);
      const auto value = read_field(of_thread, thread);
      return {
          .value = value,
          .reason = (thread / of_thread.file).string() + " is not there or says nothing about it"};
    }
  }
  return {.value = std::nullopt,
          .reason = "there is no such worker now, or its thread is not known yet"};
}

std::vector<counter_name> instances(const counter_type& type, const os_surroundings& where) {
  std::vector<counter_name> names{total_of(type)};
  for (const worker_thread& worker : where.workers()) {
    names.push_back(names.front());
    names.back().instance = instance_of(worker);
  }
  return names;
}

std::unique_ptr<counter> make(const os_row& row,
                              const counter_name& name,
                              const os_surroundings& where,
                              const std::shared_ptr<const proc_files>& files) {
  if (name.instance.back().name == "worker-thread") {
    return std::make_unique<proc_counter>(row.kind, [&row, name, where](evaluation& /*now*/) {
      return read_worker(row.of_thread, name, where);
    });
  }
  if (std::holds_alternative<delay_field>(row.how)) {
    return std::make_unique<run_delay_counter>(where.root);
  }
  return std::make_unique<proc_counter>(row.kind, [&row, files](evaluation& now) {
    return std::visit(row_reader(*files, now), row.how);
  });
}

}  // namespace

std::vector<counter_family> os_families(const os_surroundings& where) {
  const auto files = std::make_shared<const proc_files>(where.root);
  std::vector<counter_family> families;
  for (const os_row& row : rows) {
    counter_family& added = families.emplace_back();
    added.type = type_of_row(row);
    added.instances = [type = added.type, &row, where] {
      return row.of_thread.file.empty() ? std::vector{total_of(type)} : instances(type, where);
    };
    added.make = [&row, where, files](const counter_name& name) {
      return make(row, name, where, files);
    };
  }
  return families;
}

}  // namespace weft::counters::detail
