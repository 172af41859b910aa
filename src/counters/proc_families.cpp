// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counters of the process that every Linux kernel keeps: a new one is a new row here.
#include "counters/proc_families.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
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

#include "counters/proc_counter.hpp"
#include "counters/proc_files.hpp"
#include "counters/proc_threads.hpp"
#include "counters/run_delay.hpp"
#include "counters/unavailable.hpp"
#include "counters/worker_threads.hpp"

namespace weft::counters::detail {
namespace {

/// The value of the line "key: value".
struct keyed_field {
  proc_file file;
  std::string_view key;
  std::int64_t unit_per_count = 1;
};

/// A field of /proc/self/statm.
struct pages_field {
  std::size_t index;
};

/// The total of the line "some avg10=... total=N", which is in microseconds.
struct stall_field {
  proc_file file;
};

struct usage_field {
  std::int64_t (*value)(const ::rusage& usage);
};

using field = std::variant<keyed_field, pages_field, stall_field, usage_field>;

struct proc_row {
  std::string_view name;
  std::string_view unit;
  counter_kind kind;
  field how;
  std::string_view help;
};

constexpr std::int64_t kib = 1024;

constexpr std::int64_t nanoseconds(const ::timeval& time) noexcept {
  return (time.tv_sec * 1'000'000'000) + (time.tv_usec * 1'000);
}

constexpr keyed_field io(std::string_view key) { return {.file = proc_file::io, .key = key}; }

constexpr std::string_view stall_help =
    "Time in which some task of this machine, of other processes too, was held up for lack of ";

using enum counter_kind;

constexpr std::array rows{
    proc_row{"/runtime/memory/virtual",
             "bytes",
             gauge,
             pages_field{0},
             "Address space that the process has mapped."},
    proc_row{"/runtime/memory/resident",
             "bytes",
             gauge,
             pages_field{1},
             "Memory of the process that is in RAM."},
    proc_row{"/runtime/memory/peak-resident",
             "bytes",
             gauge,
             usage_field{[](const ::rusage& u) { return u.ru_maxrss * kib; }},
             "The most memory of the process that was ever in RAM."},
    proc_row{"/runtime/memory/total",
             "bytes",
             gauge,
             keyed_field{proc_file::memory_info, "MemAvailable", kib},
             "Memory that this machine could give to programs without swapping."},
    proc_row{"/runtime/io/read_bytes_issued",
             "bytes",
             total,
             io("rchar"),
             "Bytes that the process asked to read, from caches too."},
    proc_row{"/runtime/io/write_bytes_issued",
             "bytes",
             total,
             io("wchar"),
             "Bytes that the process asked to write, to caches too."},
    proc_row{"/runtime/io/read_syscalls", "", total, io("syscr"), "System calls that read."},
    proc_row{"/runtime/io/write_syscalls", "", total, io("syscw"), "System calls that write."},
    proc_row{"/runtime/io/read_bytes_transferred",
             "bytes",
             total,
             io("read_bytes"),
             "Bytes that came from storage for the process."},
    proc_row{"/runtime/io/write_bytes_transferred",
             "bytes",
             total,
             io("write_bytes"),
             "Bytes that went to storage for the process."},
    proc_row{"/runtime/io/write_bytes_cancelled",
             "bytes",
             total,
             io("cancelled_write_bytes"),
             "Bytes that never went to storage because the process truncated or removed the file."},
    proc_row{"/os/cpu-time/user",
             "ns",
             total,
             usage_field{[](const ::rusage& u) { return nanoseconds(u.ru_utime); }},
             "Time that all threads of the process spent on CPUs in user mode."},
    proc_row{"/os/cpu-time/system",
             "ns",
             total,
             usage_field{[](const ::rusage& u) { return nanoseconds(u.ru_stime); }},
             "Time that all threads of the process spent on CPUs in the kernel."},
    proc_row{"/os/context-switches/voluntary",
             "",
             total,
             usage_field{[](const ::rusage& u) -> std::int64_t { return u.ru_nvcsw; }},
             "How often a thread gave up its CPU to wait."},
    proc_row{"/os/context-switches/involuntary",
             "",
             total,
             usage_field{[](const ::rusage& u) -> std::int64_t { return u.ru_nivcsw; }},
             "How often a thread was pushed off its CPU."},
    proc_row{"/os/page-faults/minor",
             "",
             total,
             usage_field{[](const ::rusage& u) -> std::int64_t { return u.ru_minflt; }},
             "Page faults served without reading storage: first touches, mostly."},
    proc_row{"/os/page-faults/major",
             "",
             total,
             usage_field{[](const ::rusage& u) -> std::int64_t { return u.ru_majflt; }},
             "Page faults that had to read storage."},
    proc_row{"/os/pressure/cpu", "ns", total, stall_field{proc_file::pressure_cpu}, "a CPU."},
    proc_row{"/os/pressure/io", "ns", total, stall_field{proc_file::pressure_io}, "storage."},
    proc_row{
        "/os/pressure/memory", "ns", total, stall_field{proc_file::pressure_memory}, "memory."},
};

counter_value whole(std::int64_t value) { return {.value = counter_value::number(value)}; }

counter_value missing(proc_file file, std::string_view hint) {
  return unavailable(std::string(proc_files::path_of(file)) +
                     " is not there or says nothing about it: " + std::string(hint));
}

/// Reads a row.
class row_reader {
 public:
  row_reader(const proc_files& files, evaluation& now) : files_(&files), now_(&now) {}

  counter_value operator()(const keyed_field& how) const {
    const auto text = keyed_value(*files_->lines(how.file, *now_), how.key);
    const auto value = text ? parse_integer(*text) : std::nullopt;
    return value ? whole(*value * how.unit_per_count)
                 : missing(how.file, "the kernel keeps no such account, or /proc is restricted");
  }

  counter_value operator()(const pages_field& how) const {
    const auto lines = files_->lines(proc_file::memory_pages, *now_);
    std::istringstream fields(lines->empty() ? "" : lines->front());
    std::int64_t value = 0;
    for (std::size_t i = 0; i <= how.index; ++i) {
      fields >> value;
    }
    return fields ? whole(value * ::sysconf(_SC_PAGESIZE))
                  : missing(proc_file::memory_pages, "/proc is not mounted");
  }

  counter_value operator()(const stall_field& how) const {
    constexpr std::string_view before = "total=";
    const auto lines = files_->lines(how.file, *now_);
    const std::string some = lines->empty() ? "" : lines->front();
    const std::size_t found = some.find(before);
    const auto value = some.starts_with("some ") && found != std::string::npos
                           ? parse_integer(some.substr(found + before.size()))
                           : std::nullopt;
    return value ? whole(*value * 1'000)
                 : missing(how.file, "the kernel lacks CONFIG_PSI, or was booted with psi=0");
  }

  counter_value operator()(const usage_field& how) const {
    static constexpr char key = 0;
    const auto usage = now_->once<::rusage>(&key, [] {
      auto read = std::make_shared<::rusage>();
      ::getrusage(RUSAGE_SELF, read.get());
      return read;
    });
    return whole(how.value(*usage));
  }

 private:
  const proc_files* files_;
  evaluation* now_;
};

/// The delay of threads that live through an interval, which only a window over it knows.
class run_delay_counter final : public counter {
 public:
  explicit run_delay_counter(const std::filesystem::path& root) : window_(root) {}

  counter_value evaluate(evaluation& /*now*/) override {
    delay_result delay = window_.elapsed();
    if (!delay.seconds) {
      return unavailable(std::move(delay.reason));
    }
    return whole(std::llround(*delay.seconds * 1e9));
  }
  void reset(evaluation& /*now*/) override { window_.begin(); }

 private:
  run_delay_window window_;
};

counter_type type_of(const proc_row& row) {
  const bool is_stall = std::holds_alternative<stall_field>(row.how);
  return {.name = std::string(row.name),
          .unit = std::string(row.unit),
          .help = std::string(is_stall ? stall_help : "") + std::string(row.help),
          .kind = row.kind};
}

/// What makes the total of a type.
using maker = std::function<std::unique_ptr<counter>()>;

std::vector<counter_name> instances(const counter_type& type, const worker_source& workers) {
  std::vector<counter_name> names{total_of(type)};
  if (find_thread_field(type.name) != nullptr) {
    for (const worker_thread& worker : workers()) {
      names.push_back(names.front());
      names.back().instance = instance_of(worker);
    }
  }
  return names;
}

counter_family family_of(const counter_type& type, const proc_surroundings& where, maker make) {
  const thread_field* const of_threads = find_thread_field(type.name);
  return {.type = type,
          .instances = [type, workers = where.workers] { return instances(type, workers); },
          .make = [of_threads, where, kind = type.kind, make = std::move(make)](
                      const counter_name& name) -> std::unique_ptr<counter> {
            if (of_threads == nullptr || name.instance.back().name != "worker-thread") {
              return make();
            }
            return std::make_unique<proc_counter>(
                kind, read_worker(*of_threads, name, where.root, where.workers));
          }};
}

counter_family run_delay_family(const proc_surroundings& where) {
  return family_of({.name = "/os/run-delay",
                    .unit = "ns",
                    .help = "Time that threads were ready to run but waited for a CPU: others had "
                            "it.",
                    .kind = total},
                   where,
                   [root = where.root] { return std::make_unique<run_delay_counter>(root); });
}

}  // namespace

std::vector<counter_family> proc_families(const proc_surroundings& where) {
  const auto files = std::make_shared<const proc_files>(where.root);
  std::vector<counter_family> families{run_delay_family(where)};
  for (const proc_row& row : rows) {
    families.push_back(family_of(type_of(row), where, [&row, files] {
      return std::make_unique<proc_counter>(row.kind, [&row, files](evaluation& now) {
        return std::visit(row_reader(*files, now), row.how);
      });
    }));
  }
  return families;
}

}  // namespace weft::counters::detail
