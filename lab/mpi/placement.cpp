// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads affinity masks and the kernel's description of the CPUs.
#include "lab/mpi/placement.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

namespace {

constexpr int cache_entries = 8;  // of a CPU in sysfs, at most

int first_number(const std::filesystem::path& file) {
  std::ifstream in(file);
  int value = -1;
  in >> value;
  return in ? value : -1;
}

std::vector<int> allowed_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) {
        cpus.push_back(static_cast<int>(cpu));
      }
    }
  }
  return cpus;
}

std::filesystem::path cache_folder(const std::filesystem::path& cpu, int index) {
  return cpu / "cache" / ("index" + std::to_string(index));
}

/// Returns the first CPU that shares the cache of that level; its number identifies the cache.
int cache_of(const std::filesystem::path& cpu, int level) {
  for (int index = 0; index < cache_entries; ++index) {
    const std::filesystem::path folder = cache_folder(cpu, index);
    if (first_number(folder / "level") == level) {
      return first_number(folder / "shared_cpu_list");
    }
  }
  return -1;
}

std::array<long long, cache_levels> data_caches(const std::filesystem::path& cpu) {
  std::array<long long, cache_levels> bytes = place{}.cache_bytes;
  for (int index = 0; index < cache_entries; ++index) {
    const std::filesystem::path folder = cache_folder(cpu, index);
    const int level = first_number(folder / "level");
    const int kib = first_number(folder / "size");  // written as "48K"
    std::string type;
    std::ifstream(folder / "type") >> type;
    if (level >= 1 && level <= cache_levels && kib > 0 && type != "Instruction") {
      bytes[static_cast<std::size_t>(level) - 1] = 1024LL * kib;
    }
  }
  return bytes;
}

int numa_of(const std::filesystem::path& cpu) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(cpu, failed)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("node") && name.size() > 4) {
      return std::stoi(name.substr(4));
    }
  }
  return -1;
}

std::string written(const place& what) {
  std::ostringstream out;
  out << what.host << ' ' << what.is_bound << ' ' << what.core << ' ' << what.l2 << ' ' << what.l3
      << ' ' << what.numa << ' ' << what.package;
  for (const long long bytes : what.cache_bytes) {
    out << ' ' << bytes;
  }
  for (const int cpu : what.cpus) {
    out << ' ' << cpu;
  }
  return out.str();
}

place read(const std::string& text) {
  std::istringstream in(text);
  place what;
  in >> what.host >> what.is_bound >> what.core >> what.l2 >> what.l3 >> what.numa >> what.package;
  for (long long& bytes : what.cache_bytes) {
    in >> bytes;
  }
  for (int cpu = 0; in >> cpu;) {
    what.cpus.push_back(cpu);
  }
  return what;
}

/// The first CPU of the core identifies the core, as core ids repeat in every package.
int core_of(const std::filesystem::path& cpu) {
  return first_number(cpu / "topology" / "thread_siblings_list");
}

bool same(int first, int second) { return first >= 0 && first == second; }

}  // namespace

place place_of(std::vector<int> cpus, const std::filesystem::path& known) {
  place here;
  here.cpus = std::move(cpus);
  if (here.cpus.empty()) {
    return here;
  }
  const auto folder_of = [&](int cpu) { return known / ("cpu" + std::to_string(cpu)); };
  const std::filesystem::path cpu = folder_of(here.cpus.front());
  here.core = core_of(cpu);
  here.is_bound = here.cpus.size() == 1 || std::ranges::all_of(here.cpus, [&](int each) {
                    return same(core_of(folder_of(each)), here.core);
                  });
  here.package = first_number(cpu / "topology" / "physical_package_id");
  here.l2 = cache_of(cpu, 2);
  here.l3 = cache_of(cpu, 3);
  here.cache_bytes = data_caches(cpu);
  here.numa = numa_of(cpu);
  return here;
}

place own_place() {
  place here = place_of(allowed_cpus(), "/sys/devices/system/cpu");
  std::array<char, 256> name{};
  here.host = gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
  return here;
}

std::vector<place> all_places(const world& ranks) {
  std::string joined;
  for (const std::string& each : ranks.gather(written(own_place()))) {
    joined += each + '\n';
  }
  joined.resize(static_cast<std::size_t>(ranks.agree(static_cast<long long>(joined.size()))));
  check(MPI_Bcast(joined.data(), static_cast<int>(joined.size()), MPI_CHAR, 0, ranks.comm()),
        "MPI_Bcast");
  std::istringstream lines(joined);
  std::vector<place> places;
  for (std::string line; std::getline(lines, line);) {
    places.push_back(read(line));
  }
  return places;
}

std::string pair_class(const place& first, const place& second) {
  if (first.host != second.host) {
    return "hosts";
  }
  if (!first.is_bound || !second.is_bound) {
    return "unbound";
  }
  if (same(first.core, second.core)) {
    return "core";
  }
  if (same(first.l2, second.l2)) {
    return "l2";
  }
  if (same(first.l3, second.l3)) {
    return "l3";
  }
  if (same(first.numa, second.numa)) {
    return "numa";
  }
  return same(first.package, second.package) ? "package" : "machine";
}

bool share_a_cpu(const std::vector<place>& places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::set<int> free(places[i].cpus.begin(), places[i].cpus.end());
    std::size_t rivals = 0;
    for (std::size_t j = 0; j < places.size(); ++j) {
      const bool meets =
          places[i].host == places[j].host &&
          std::ranges::any_of(places[j].cpus, [&](int cpu) { return free.contains(cpu); });
      rivals += meets ? 1U : 0U;
    }
    if (rivals > free.size()) {
      return true;
    }
  }
  return false;
}

}  // namespace weft::lab::mpi
