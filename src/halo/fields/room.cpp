// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks Linux for the available memory, as MPI does not tell.
#include "halo/fields/room.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>
#include <sys/statvfs.h>

#include "weft/base/text_file.hpp"
#include "weft/halo/detail/grid.hpp"

#include "base/cgroup.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {
namespace {

// Sums have type double, which is exact up to 2^53 and does not wrap around.
constexpr double unknown = std::numeric_limits<double>::infinity();
// Smaller requests are not checked: the check would take longer than the rest of a plan.
constexpr double small_bytes = 64.0 * 1024 * 1024;
constexpr const char* file_system = "/dev/shm";  // the folder that Open MPI and MPICH use

double shared_left() {
  struct statvfs room{};
  return statvfs(file_system, &room) == 0
             ? static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize)
             : unknown;
}

double memory_left() {
  constexpr double kib = 1024;
  const std::vector<std::string> lines = base::read_lines("/proc/meminfo");
  const auto text = base::keyed_value(lines, "MemAvailable");
  const auto available = text ? base::parse_integer(*text) : std::nullopt;
  const double left = available ? static_cast<double>(*available) * kib : unknown;
  const auto limit = weft::detail::read_cgroup_limits("/").memory_bytes;
  return limit && static_cast<double>(*limit) < left ? static_cast<double>(*limit) : left;
}

std::string bytes_text(double bytes) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  return bytes < exact ? std::to_string(static_cast<std::int64_t>(bytes)) + " B"
                       : "more than 2^53 B";
}

std::string too_much(const grid& processes, double wanted, double left, const std::string& place) {
  return "the " + std::to_string(processes.node_size()) + " ranks of the node of rank " +
         std::to_string(processes.rank()) + " want " + bytes_text(wanted) + " together, and " +
         bytes_text(left) + " are available " + place +
         "; use smaller or fewer fields, or more nodes";
}

}  // namespace

refusal no_room(const grid& processes, const wanted_bytes& wanted) {
  std::array<double, 2> all{static_cast<double>(wanted.shared), static_cast<double>(wanted.own)};
  check_mpi(MPI_Allreduce(
                MPI_IN_PLACE, all.data(), all.size(), MPI_DOUBLE, MPI_SUM, processes.node_comm()),
            "MPI_Allreduce");
  const auto [shared, own] = all;
  if (processes.node_size() > 1 && shared > 0) {  // a single rank uses no file there
    if (const double left = shared_left(); shared > left) {
      return {too_much(processes, shared, left, std::string("in ") + file_system)};
    }
  }
  if (shared + own > small_bytes) {
    if (const double left = memory_left(); shared + own > left) {
      return {too_much(processes, shared + own, left, "in memory")};
    }
  }
  return {};
}

bool has_shared_room(const grid& processes, std::size_t bytes, int times) {
  const auto own = static_cast<double>(bytes);
  const double left = shared_left();
  double sum = 0;
  double least = 0;
  check_mpi(MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, processes.node_comm()),
            "MPI_Allreduce");
  check_mpi(MPI_Allreduce(&left, &least, 1, MPI_DOUBLE, MPI_MIN, processes.node_comm()),
            "MPI_Allreduce");
  return times * sum <= least;
}

}  // namespace weft::halo::detail
