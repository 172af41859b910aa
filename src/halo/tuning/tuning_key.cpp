// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes what makes one way of exchanging faster than another: machine, MPI, arrangement,
// fields.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/base/text_file.hpp"
#include "weft/halo/axis.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/options.hpp"

#include "halo/plan/plan.hpp"
#include "halo/tuning/tuning.hpp"

namespace weft::halo::detail {
namespace {

/// "Open MPI v4.1.4"
std::string mpi_library() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int length = 0;
  check_mpi(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  text.resize(static_cast<std::size_t>(length));
  const std::string_view known = text;
  // Open MPI appends more after a comma, MPICH after its first line.
  std::string first(known.substr(0, std::min(known.find_first_of(",\n"), known.size())));
  std::ranges::replace(first, '\t', ' ');
  while (!first.empty() && first.back() == ' ') {
    first.pop_back();
  }
  return first;
}

std::string processor() {
  const std::vector<std::string> lines = base::read_lines("/proc/cpuinfo");
  return base::keyed_value(lines, "model name").value_or("unknown processor");
}

template <class Numbers>
std::string listed(const Numbers& numbers, std::size_t num, char between) {
  std::string text;
  for (std::size_t n = 0; n < num; ++n) {
    text += (n == 0 ? std::string() : std::string(1, between)) + std::to_string(numbers[n]);
  }
  return text;
}

/// The numbers of one field that may differ between ranks.
constexpr std::size_t numbers_per_field = 4 * max_dims + 2;

std::vector<std::int64_t> numbers_of(const tuned_exchange& about) {
  std::vector<std::int64_t> numbers{about.processes->node_size()};
  for (std::size_t n = 0; n < about.fields.size(); ++n) {
    const shape& field = about.fields[n];
    const std::vector<std::size_t> order = by_stride(field);
    for (std::size_t d = 0; d < max_dims; ++d) {
      const axis& along = field.axes[d];
      numbers.insert(numbers.end(), {along.size(), along.minus, along.plus});
      numbers.push_back(d < order.size() ? static_cast<std::int64_t>(order[d]) : 0);
    }
    numbers.push_back(static_cast<std::int64_t>(field.element_bytes));
    numbers.push_back(about.processes->find(about.pointers[n]).segment >= 0 ? 1 : 0);
  }
  return numbers;
}

/// "8 B, inner 250x250x250, minus 3,3,3, plus 3,3,3, strides 2<1<0"
std::string field_in(const std::int64_t* numbers, std::size_t num_dims) {
  std::array<std::vector<std::int64_t>, 4> of;
  for (std::size_t d = 0; d < num_dims; ++d) {
    for (std::size_t n = 0; n < of.size(); ++n) {
      of[n].push_back(numbers[4 * d + n]);
    }
  }
  return std::to_string(numbers[4 * max_dims]) + " B, inner " + listed(of[0], num_dims, 'x') +
         ", minus " + listed(of[1], num_dims, ',') + ", plus " + listed(of[2], num_dims, ',') +
         ", strides " + listed(of[3], num_dims, '<') +
         (numbers[4 * max_dims + 1] != 0 ? ", shared" : "");
}

/// The text of rank 0: threads and processors may differ between ranks.
std::string broadcast_from_rank_0(const grid& processes, std::string text) {
  auto length = static_cast<int>(text.size());
  check_mpi(MPI_Bcast(&length, 1, MPI_INT, 0, processes.comm()), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(length));
  check_mpi(MPI_Bcast(text.data(), length, MPI_CHAR, 0, processes.comm()), "MPI_Bcast");
  return text;
}

}  // namespace

std::string tuning_key(const tuned_exchange& about) {
  const grid& processes = *about.processes;
  const std::size_t num_dims = processes.num_dims();
  std::vector<std::int64_t> numbers = numbers_of(about);
  check_mpi(MPI_Allreduce(MPI_IN_PLACE,
                          numbers.data(),
                          static_cast<int>(numbers.size()),
                          MPI_INT64_T,
                          MPI_MAX,
                          processes.comm()),
            "MPI_Allreduce");
  std::array<int, max_dims> periodic{};
  for (std::size_t d = 0; d < num_dims; ++d) {
    periodic[d] = processes.is_periodic(d) ? 1 : 0;
  }
  std::string key = processor() + "; " + mpi_library() + "; " + std::to_string(processes.size()) +
                    " ranks, " + std::to_string(numbers.front()) + " on a node; dims " +
                    listed(processes.dims(), num_dims, 'x') + ", periodic " +
                    listed(periodic, num_dims, ',') + ", map " +
                    listed(processes.maps_to(), num_dims, ',') + "; directions " +
                    std::string(to_string(about.options.directions)) + ", transport " +
                    std::string(to_string(about.options.transport)) + ", validate " +
                    std::string(to_string(about.options.validate)) + ", copying threads " +
                    std::to_string(about.options.executor.num_threads());
  for (std::size_t n = 0; n < about.fields.size(); ++n) {
    key += "; " + field_in(&numbers[1 + n * numbers_per_field], num_dims);
  }
  return broadcast_from_rank_0(processes, std::move(key));
}

}  // namespace weft::halo::detail
