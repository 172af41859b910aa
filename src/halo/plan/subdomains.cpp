// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the neighbours of each subdomain, and the boxes to transfer between them.
#include "weft/halo/subdomains.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/axis.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/detail/transfer.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"

namespace weft::halo::detail {
namespace {

/// Gives each rank the same number of consecutive subdomains.
std::vector<int> even_owners(std::size_t num_subdomains, int num_ranks) {
  std::vector<int> owners(num_subdomains);
  for (std::size_t n = 0; n < num_subdomains; ++n) {
    owners[n] = static_cast<int>(n * static_cast<std::size_t>(num_ranks) / num_subdomains);
  }
  return owners;
}

refusal wrong_arrangement(std::span<const int> dims,
                          std::span<const int> owners,
                          std::size_t num_subdomains,
                          int num_ranks) {
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] < 1) {
      return {"dims[" + std::to_string(d) + "] is " + std::to_string(dims[d]) +
                  "; there is at least 1 subdomain along each dimension",
              errc::bad_grid};
    }
  }
  if (!owners.empty() && owners.size() != num_subdomains) {
    return {std::to_string(owners.size()) + " owners for " + std::to_string(num_subdomains) +
                " subdomains; name one rank for each, or none",
            errc::bad_grid};
  }
  for (std::size_t n = 0; n < owners.size(); ++n) {
    if (owners[n] < 0 || owners[n] >= num_ranks) {
      return {"subdomain " + std::to_string(n) + " belongs to rank " + std::to_string(owners[n]) +
                  ", which is none of 0 .. " + std::to_string(num_ranks - 1),
              errc::bad_grid};
    }
  }
  return {};
}

/// All ranks must describe the same subdomains. Their hash is compared first, as there may be many.
void agree_on_subdomains(const grid& processes,
                         std::span<const int> dims,
                         std::span<const bool> periodic,
                         std::span<const int> owners,
                         const std::source_location& where) {
  std::vector<int> all{static_cast<int>(dims.size())};
  all.insert(all.end(), dims.begin(), dims.end());
  all.insert(all.end(), periodic.begin(), periodic.end());
  all.insert(all.end(), owners.begin(), owners.end());
  // NOLINTNEXTLINE(*-reinterpret-cast): the bytes of the numbers as a text
  const auto* const bytes = reinterpret_cast<const char*>(all.data());
  const std::uint64_t hash = hash_of({bytes, all.size() * sizeof(int)});
  std::array<std::uint64_t, 2> most{hash, ~hash};
  check_mpi(MPI_Allreduce(
                MPI_IN_PLACE, most.data(), most.size(), MPI_UINT64_T, MPI_MAX, processes.comm()),
            "MPI_Allreduce");
  if (most[0] == ~most[1]) {
    return;
  }
  std::vector<std::string> lines{"there are " + std::to_string(dims.size()) + " dimensions"};
  for (std::size_t d = 0; d < dims.size(); ++d) {
    lines.push_back("dims[" + std::to_string(d) + "] is " + std::to_string(dims[d]));
    lines.push_back("periodic[" + std::to_string(d) + "] is " +
                    std::to_string(periodic[d] ? 1 : 0));
  }
  for (std::size_t n = 0; n < owners.size(); ++n) {
    lines.push_back("the owner of subdomain " + std::to_string(n) + " is " +
                    std::to_string(owners[n]));
  }
  agree_on(processes, lines, where);
}

/// The key of a transfer between two ranks: both ranks sort by it.
struct place_in_message {
  std::size_t field;
  int sender;           // subdomain
  std::size_t travels;  // direction
  auto operator<=>(const place_in_message&) const = default;
};

struct placed_transfer {
  place_in_message at;
  transfer what;
};

std::vector<transfer> in_order(std::vector<placed_transfer>& all) {
  std::ranges::sort(all, {}, &placed_transfer::at);
  std::vector<transfer> sorted;
  sorted.reserve(all.size());
  for (const placed_transfer& each : all) {
    sorted.push_back(each.what);
  }
  return sorted;
}

std::string name_of(const subdomain_map& among, std::size_t part, std::size_t dim) {
  return "axis " + std::to_string(dim) + " of subdomain " + std::to_string(among.mine()[part]);
}

refusal wrong_boxes(const subdomain_map& among, std::span<const shape> boxes) {
  if (boxes.size() != among.mine().size()) {
    return {std::to_string(boxes.size()) + " boxes passed, rank " +
                std::to_string(among.processes()->rank()) + " has " +
                std::to_string(among.mine().size()) + " subdomains",
            errc::bad_field};
  }
  for (std::size_t part = 0; part < boxes.size(); ++part) {
    for (std::size_t d = 0; d < among.num_dims(); ++d) {
      const axis& along = boxes[part].axes[d];
      if (const std::string why = along.trouble(); !why.empty()) {
        return {name_of(among, part, d) + ": " + why, errc::bad_axis};
      }
      direction above{};
      above[d] = 1;
      const int number = among.mine()[part];
      const std::ptrdiff_t sent =
          std::max(among.neighbour(number, above) >= 0 ? along.minus : 0,
                   among.neighbour(number, opposite(above)) >= 0 ? along.plus : 0);
      if (along.size() < sent) {
        return {name_of(among, part, d) + ": inner width " + std::to_string(along.size()) +
                    " is smaller than the halo " + std::to_string(sent) +
                    " it must send; use fewer subdomains along it or a narrower halo",
                errc::narrow_inner};
      }
    }
    if (const std::string why = shared_addresses(boxes[part]); !why.empty()) {
      return {"subdomain " + std::to_string(among.mine()[part]) + ": " + why, errc::bad_field};
    }
  }
  return {};
}

}  // namespace

subdomain_map::subdomain_map(MPI_Comm comm,
                             std::size_t num_dims,
                             const std::array<int, max_dims>& dims,
                             const std::array<bool, max_dims>& periodic,
                             std::vector<int> owners,
                             const std::source_location& where)
    : num_dims_(num_dims), dims_(dims), periodic_(periodic), owners_(std::move(owners)) {
  grid_request line{.num_dims = 1, .dims = {0, 1, 1, 1}};
  processes_ = std::make_shared<grid>(comm, line, where);
  std::size_t num_subdomains = 1;
  for (const int each : dims_) {
    num_subdomains *= static_cast<std::size_t>(std::max(each, 0));
  }
  refuse_together(
      *processes_,
      wrong_arrangement(
          std::span(dims_).first(num_dims), owners_, num_subdomains, processes_->size()),
      where);
  if (owners_.empty()) {
    owners_ = even_owners(num_subdomains, processes_->size());
  }
  agree_on_subdomains(*processes_,
                      std::span(dims_).first(num_dims),
                      std::span(periodic_).first(num_dims),
                      owners_,
                      where);
  for (int number = 0; number < this->num_subdomains(); ++number) {
    if (owner(number) == processes_->rank()) {
      mine_.push_back(number);
    }
  }
}

std::array<int, max_dims> subdomain_map::coords(int number) const {
  std::array<int, max_dims> found{};
  for (std::size_t d = num_dims_; d-- > 0;) {
    found[d] = number % dims_[d];
    number /= dims_[d];
  }
  return found;
}

int subdomain_map::neighbour(int number, const direction& towards) const {
  const std::array<int, max_dims> own = coords(number);
  int found = 0;
  for (std::size_t d = 0; d < num_dims_; ++d) {
    int at = own[d] + towards[d];
    if (at < 0 || at >= dims_[d]) {
      if (!periodic_[d]) {
        return -1;
      }
      at = (at + dims_[d]) % dims_[d];
    }
    found = found * dims_[d] + at;
  }
  return found;
}

void check_boxes(const subdomain_map& among,
                 std::span<const shape> boxes,
                 const std::source_location& where) {
  refuse_together(*among.processes(), wrong_boxes(among, boxes), where);
}

std::unique_ptr<transfer_set> halos_of(const subdomain_map& among,
                                       std::span<const shape> parts,
                                       std::size_t num_fields,
                                       const exchange_options& options,
                                       const std::source_location& where) {
  const grid& processes = *among.processes();
  const std::size_t num_parts = parts.size() / num_fields;
  refusal trouble;
  for (std::size_t field = 0; field < num_fields && trouble.why.empty(); ++field) {
    trouble = wrong_boxes(among, parts.subspan(field * num_parts, num_parts));
  }
  refuse_together(processes, trouble, where);
  std::vector<placed_transfer> out;
  std::vector<placed_transfer> in;
  std::vector<shape> fields;
  for (std::size_t field = 0; field < num_fields; ++field) {
    for (std::size_t part = 0; part < num_parts; ++part) {
      const shape& box = parts[field * num_parts + part];
      const int number = among.mine()[part];
      for (const direction& towards : directions_of(among.num_dims())) {
        const int other = among.neighbour(number, towards);
        if (!is_wanted(towards, options.directions) || other < 0) {
          continue;
        }
        const auto add = [&](std::vector<placed_transfer>& to, bool is_out) {
          const piece cells = piece_of(processes, box, towards, {}, !is_out);
          to.push_back(
              {{field, is_out ? number : other, index_of(is_out ? towards : opposite(towards))},
               {.peer = among.owner(other),
                .field = fields.size(),
                .first = cells.first,
                .cells = cells.cells}});
        };
        add(out, true);
        add(in, false);
      }
      fields.push_back(box);
    }
  }
  return std::make_unique<transfer_set>(
      among.processes(),
      options,
      std::move(fields),
      transfers{.out = in_order(out), .in = in_order(in), .parts_per_field = num_parts},
      where);
}

}  // namespace weft::halo::detail
