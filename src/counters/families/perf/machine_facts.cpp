// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The facts that decide whether a kernel counter is available, and the messages if it is not.
#include "counters/families/perf/machine_facts.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "weft/base/text_file.hpp"

namespace weft::counters::detail {
namespace {

namespace fs = std::filesystem;

int number(const std::optional<std::string>& text) {
  return static_cast<int>(base::parse_integer(text.value_or("")).value_or(0));
}

/// Parses text such as "0xd40"; 0 if it is not a number.
int hex_number(const std::string& text) {
  return static_cast<int>(std::strtol(text.c_str(), nullptr, 16));
}

std::string explain_missing(const machine_facts& machine) {
  if (machine.has_cpu_pmu) {
    return "this processor's performance monitoring unit has no such event (ENOENT)";
  }
  return std::string("no performance monitoring unit in this ") +
         (machine.is_virtual ? "virtual machine" : "kernel") +
         " (ENOENT); PAPI and LIKWID need one too: measure on bare metal, or have a virtual PMU "
         "switched on";
}

std::string explain_denied(const char* code, privilege needed, const machine_facts& machine) {
  const auto level = static_cast<int>(needed);
  const std::string remedy = "`sysctl kernel.perf_event_paranoid=" + std::to_string(level) + "`";
  if (!machine.perf_event_paranoid) {
    return std::string("not permitted (") + code + "); as root, type " + remedy +
           ", or grant CAP_PERFMON";
  }
  const std::string found = std::to_string(*machine.perf_event_paranoid);
  if (*machine.perf_event_paranoid <= level) {
    return std::string("not permitted (") + code + ") although kernel.perf_event_paranoid is " +
           found + ": a container's seccomp filter or a security module; grant CAP_PERFMON";
  }
  return std::string("not permitted (") + code + "): kernel.perf_event_paranoid is " + found +
         "; as root, type " + remedy + ", or grant CAP_PERFMON" +
         (needed == privilege::kernel_mode
              ? ""
              : " (LIKWID reads hardware counters without it, through its access daemon)");
}

}  // namespace

machine_facts read_machine_facts(const fs::path& root) {
  machine_facts facts;
  const std::vector<std::string> cpuinfo = base::read_lines(root / "proc/cpuinfo");
  facts.vendor = base::keyed_value(cpuinfo, "vendor_id").value_or("");
  facts.family = number(base::keyed_value(cpuinfo, "cpu family"));
  facts.model = number(base::keyed_value(cpuinfo, "model"));
  if (base::keyed_value(cpuinfo, "CPU implementer") == "0x41") {
    facts.vendor = "Arm";
    facts.family = number(base::keyed_value(cpuinfo, "CPU architecture"));
    facts.model = hex_number(base::keyed_value(cpuinfo, "CPU part").value_or(""));
  }
  // built by appending: g++ 12 falsely warns of overlap in `literal + string`
  std::string flags = " ";
  flags.append(base::keyed_value(cpuinfo, "flags").value_or("")).append(" ");
  facts.is_virtual = flags.find(" hypervisor ") != std::string::npos;
  std::error_code unreadable;  // set if unreadable; the loop then has no entries
  for (const auto& entry :
       fs::directory_iterator(root / "sys/bus/event_source/devices", unreadable)) {
    const std::string name = entry.path().filename();  // "cpu", "cpu_core", "armv8_pmuv3_0"
    facts.has_cpu_pmu |= name.starts_with("cpu") || name.find("pmuv3") != std::string::npos;
  }
  facts.perf_event_paranoid = base::read_integer(root / "proc/sys/kernel/perf_event_paranoid");
  return facts;
}

std::string explain_open_error(int error_code, privilege needed, const machine_facts& machine) {
  switch (-error_code) {
    case ENOENT:
      return explain_missing(machine);
    case EACCES:
      return explain_denied("EACCES", needed, machine);
    case EPERM:
      return explain_denied("EPERM", needed, machine);
    case ENOSYS:
      return "no system call perf_event_open (ENOSYS): a container's seccomp filter hides it, or "
             "the kernel lacks CONFIG_PERF_EVENTS";
    case EMFILE:
      return "too many open files (EMFILE): every counter needs one per thread that exists; type "
             "`ulimit -n 4096`, or make the session before the threads";
    case ENFILE:
      return "too many open files on the whole machine (ENFILE)";
    case EOPNOTSUPP:
      return "the hypervisor's performance monitoring unit refuses it (EOPNOTSUPP)";
    case EBUSY:
      return "another profiler holds the performance monitoring unit (EBUSY)";
    case EINVAL:
      return "this kernel does not know how to count it (EINVAL)";
    case ENODEV:
    case ENXIO:
      return "the performance monitoring unit is not there (ENODEV or ENXIO)";
    default:
      return "perf_event_open failed: " + std::generic_category().message(-error_code) +
             " (error " + std::to_string(-error_code) + ")";
  }
}

}  // namespace weft::counters::detail
