// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Affinity masks, and the restart that makes OpenMP see them.
#include "lab/harness/placement.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>  // setenv
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/base/text_file.hpp"
#include "weft/base/topology.hpp"

#include "lab/harness/experiment.hpp"

namespace weft::lab {
namespace {

/// The variable that tells the restarted program which hardware threads it is bound to.
constexpr const char* held_variable = "WEFT_BENCH_HELD_TO";

std::string reason(int error_number) { return std::generic_category().message(error_number); }

/// Returns the first usable hardware thread of every core that has one.
std::vector<int> one_per_core(const base::topology& machine) {
  std::vector<int> firsts;
  for (const base::core& each : machine.cores) {
    for (const int id : each.hardware_threads) {
      const auto& usable = machine.affinity;
      if (std::find(usable.begin(), usable.end(), id) != usable.end()) {
        firsts.push_back(id);
        break;
      }
    }
  }
  return firsts;
}

std::string joined(const std::vector<int>& ids, const std::string& before, const char* after) {
  std::string text;
  for (const int id : ids) {
    text += (text.empty() ? "" : ",") + before + std::to_string(id) + after;
  }
  return text;
}

}  // namespace

process_placement placement_of(const cell& what) {
  return {.placement = what.placement,
          .smt = what.smt,
          .threads = what.placement == "cores" ? what.threads : 0};
}

cpu_choice choose_cpus(const base::topology& machine, const process_placement& wanted) {
  cpu_choice choice;
  if (wanted.smt == "off" && !machine.has_smt()) {
    choice.impossible = skip{"no_smt",
                             "no core here has more than one hardware thread, so smt off is smt on",
                             "use the results with smt on"};
    return choice;
  }
  if (wanted.placement == "none" && wanted.smt == "on") {
    return choice;
  }
  choice.hardware_threads = one_per_core(machine);
  if (wanted.placement == "cores") {
    const auto num_wanted = static_cast<std::size_t>(wanted.threads);
    const std::size_t num_cores = choice.hardware_threads.size();
    if (num_cores < num_wanted) {
      choice.impossible =
          skip{"too_few_cores",
               "placement cores needs " + std::to_string(num_wanted) + " cores, " +
                   std::to_string(num_cores) + " are usable",
               "ask for at most " + std::to_string(num_cores) + " threads, or placement none"};
      return choice;
    }
    choice.hardware_threads.resize(num_wanted);
  }
  return choice;
}

void hold_to(const std::vector<int>& hardware_threads) {
  const int highest = *std::max_element(hardware_threads.begin(), hardware_threads.end());
  const auto num_bits = static_cast<std::size_t>(highest) + 1;
  const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(
      CPU_ALLOC(num_bits), [](cpu_set_t* set) { CPU_FREE(set); });
  const std::size_t num_bytes = CPU_ALLOC_SIZE(num_bits);
  CPU_ZERO_S(num_bytes, mask.get());
  for (const int id : hardware_threads) {
    CPU_SET_S(static_cast<std::size_t>(id), num_bytes, mask.get());
  }
  if (sched_setaffinity(0, num_bytes, mask.get()) != 0) {
    throw error("sched_setaffinity to CPUs " + joined(hardware_threads, "", "") +
                " failed: " + reason(errno) + "; use placement none");
  }
}

void restart_held_to(const std::vector<int>& hardware_threads, bool bind_openmp, char** argv) {
  if (getenv(held_variable) != nullptr) {
    return;
  }
  hold_to(hardware_threads);
  constexpr int keep_the_users_choice = 0;
  if (bind_openmp) {
    setenv("OMP_PLACES", joined(hardware_threads, "{", "}").c_str(), keep_the_users_choice);
    setenv("OMP_PROC_BIND", "close", keep_the_users_choice);
  }
  setenv(held_variable, joined(hardware_threads, "", "").c_str(), 1);
  execv("/proc/self/exe", argv);
  throw error("cannot start /proc/self/exe again to apply the placement: " + reason(errno) +
              "; use placement none");
}

std::vector<int> held_since_start() {
  const char* held = getenv(held_variable);
  return held == nullptr ? std::vector<int>{} : base::parse_cpu_list(held);
}

base::topology read_machine() {
  base::topology machine = base::read_topology({.reader = base::topology_reader::sysfs});
  if (const std::vector<int> held = held_since_start(); !held.empty()) {
    machine.affinity = held;
  }
  return machine;
}

bool has_openmp_runtime() { return dlsym(RTLD_DEFAULT, "omp_get_max_threads") != nullptr; }

}  // namespace weft::lab
