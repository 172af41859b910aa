// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes boxes from axes and neighbours.
#include "halo/plan/plan.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/base/options.hpp"
#include "weft/halo/axis.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/fields/copy.hpp"
#include "halo/plan/local_copies.hpp"

namespace weft::halo::detail {
namespace {

struct range {
  std::ptrdiff_t first;
  std::ptrdiff_t count;
};

range halo_cells(const axis& along, int side) {
  return side > 0 ? range{along.end + 1, along.plus}
                  : range{along.begin - along.minus, along.minus};
}

/// Returns the halo width of the neighbour at `side`: as wide as this rank's halo on the other
/// side.
range border_cells(const axis& along, int side) {
  return side > 0 ? range{along.end - along.minus + 1, along.minus}
                  : range{along.begin, along.plus};
}

range all_cells(const grid& processes, const axis& along, std::size_t dim, bool is_extended) {
  const std::ptrdiff_t below = is_extended && processes.has_neighbour(dim, -1) ? along.minus : 0;
  const std::ptrdiff_t above = is_extended && processes.has_neighbour(dim, 1) ? along.plus : 0;
  return {along.begin - below, along.size() + below + above};
}

std::size_t num_nonzero(const direction& towards) {
  return static_cast<std::size_t>(std::ranges::count_if(towards, [](int d) { return d != 0; }));
}

struct stages {
  std::vector<stage> remote;
  std::vector<stage> local;
};

bool lies_in(const direction& towards, const extension& dims) {
  for (std::size_t d = 0; d < max_dims; ++d) {
    if (towards[d] != 0 && !dims[d]) {
      return false;
    }
  }
  return true;
}

stages bulk_stages(const grid& processes, directions which) {
  stage remote;
  stage local;
  for (const direction& each : directions_of(processes.num_dims())) {
    if (is_wanted(each, which) && processes.neighbour(each) >= 0) {
      (processes.neighbour(each) == processes.rank() ? local : remote).served.push_back(each);
    }
  }
  return {.remote = {remote}, .local = {local}};
}

direction unit(std::size_t dim, int side) {
  direction made{};
  made[dim] = side;
  return made;
}

/// One dimension after the other; each includes the halos of the dimensions before it.
stages staged_stages(const grid& processes, const shape& first, bool one_by_one) {
  stages made;
  extension remote_dims{};
  extension extended{};
  for (std::size_t d = 0; d < processes.num_dims(); ++d) {
    remote_dims[d] = processes.num_processes(d) > 1;
    if (remote_dims[d] && one_by_one) {
      made.remote.push_back({.served = {unit(d, -1), unit(d, 1)}, .extended = extended});
      extended[d] = true;
    }
  }
  if (!one_by_one) {
    stage all;
    for (const direction& each : directions_of(processes.num_dims())) {
      if (num_nonzero(each) > 0 && lies_in(each, remote_dims)) {
        all.served.push_back(each);
      }
    }
    made.remote.push_back(all);
  }
  if (made.remote.empty()) {
    made.remote.emplace_back();
  }
  extended = remote_dims;
  // Boxes across the smallest stride cost most per byte. They are copied first, since they are
  // smallest before other dimensions extend them.
  for (const std::size_t d : by_stride(first)) {
    if (processes.num_processes(d) == 1 && processes.is_periodic(d)) {
      made.local.push_back({.served = {unit(d, -1), unit(d, 1)}, .extended = extended});
      extended[d] = true;
    }
  }
  return made;
}

stages stages_of(const grid& processes,
                 const exchange_options& options,
                 std::span<const shape> fields,
                 flow way) {
  if (way == flow::halo_to_owner || options.schedule == schedule::bulk ||
      options.directions != directions::all || fields.empty()) {
    return bulk_stages(processes, options.directions);
  }
  return staged_stages(processes, fields.front(), options.schedule == schedule::staged);
}

link& link_to(phase& where, const grid& processes, const exchange_options& options, int peer) {
  for (link& each : where.links) {
    if (each.peer == peer) {
      return each;
    }
  }
  const bool by_memory = options.transport == transport::automatic &&
                         options.packing != packing::mpi_pack &&
                         options.packing != packing::mpi_datatype;
  where.links.push_back({.peer = peer, .node_rank = by_memory ? processes.node_rank_of(peer) : -1});
  return where.links.back();
}

void append(piece what, std::size_t field, std::vector<piece>& pieces, std::ptrdiff_t& bytes) {
  if (what.bytes == 0) {
    return;
  }
  what.field = field;
  what.buffer_offset = bytes;
  bytes += what.bytes;
  pieces.push_back(what);
}

phase phase_of(const grid& processes,
               const exchange_options& options,
               std::span<const shape> fields,
               const stage& what,
               flow way) {
  phase made{.extended = what.extended};
  const bool sends_halo = way == flow::halo_to_owner;
  for (std::size_t field = 0; field < fields.size(); ++field) {
    const auto add = [&](const direction& towards, bool is_out) {
      const int peer = processes.neighbour(towards);
      if (peer < 0 || peer == processes.rank()) {
        return;
      }
      link& with = link_to(made, processes, options, peer);
      const piece cells = piece_of(
          processes, fields[field], towards, what.extended, is_out ? sends_halo : !sends_halo);
      append(cells, field, is_out ? with.out : with.in, is_out ? with.out_bytes : with.in_bytes);
    };
    for (std::size_t n = 0; n < what.served.size(); ++n) {
      add(what.served[n], true);
    }
    // The sender goes through its directions in order; here they are the opposite ones.
    for (std::size_t n = what.served.size(); n-- > 0;) {
      add(what.served[n], false);
    }
  }
  std::erase_if(made.links, [](const link& each) { return each.out.empty() && each.in.empty(); });
  return made;
}

std::string axis_named(std::size_t dim) {
  constexpr std::array<const char*, max_dims> names{"i", "j", "k", "l"};
  return "axis " + std::to_string(dim) + " (\"" + names[dim] + "\")";
}

std::string narrow_inner(const grid& processes, const axis& along, std::size_t dim) {
  const bool sends_minus = processes.has_neighbour(dim, 1);
  const bool sends_plus = processes.has_neighbour(dim, -1);
  const std::ptrdiff_t sent = std::max(sends_minus ? along.minus : 0, sends_plus ? along.plus : 0);
  if (along.size() >= sent) {
    return {};
  }
  return "rank " + std::to_string(processes.rank()) + ": inner width " +
         std::to_string(along.size()) + " along " + axis_named(dim) + " is smaller than the halo " +
         std::to_string(sent) +
         " it must send; a cell would have to come from the neighbour's neighbour. Use fewer "
         "processes along grid dim " +
         std::to_string(processes.maps_to()[dim]) + " (now " +
         std::to_string(processes.num_processes(dim)) + ") or a narrower halo";
}

/// Returns why the number of cells is too large (sums of their bytes must not overflow); empty if
/// it is not.
std::string too_large(const shape& field) {
  constexpr double most_bytes = 9007199254740992.0;  // 2^53; processors address 2^57
  auto bytes = static_cast<double>(field.element_bytes);
  std::string extents;
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    bytes *= static_cast<double>(field.axes[d].length);
    extents += (d == 0 ? "" : "x") + std::to_string(field.axes[d].length);
  }
  return bytes <= most_bytes
             ? std::string()
             : " has " + extents + " cells of " + std::to_string(field.element_bytes) +
                   " B, more than the 2^53 B that a field may have";
}

/// Whether i steps along one dimension reach the same address as j steps along another one.
bool meet(const shape& field, std::size_t d, std::size_t other) {
  const std::ptrdiff_t a = std::abs(field.strides[d]);
  const std::ptrdiff_t b = std::abs(field.strides[other]);
  const std::ptrdiff_t common = std::gcd(a, b);
  return b / common < field.axes[d].length && a / common < field.axes[other].length;
}

}  // namespace

std::string shared_addresses(const shape& field) {
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    if (field.axes[d].length <= 1) {
      continue;
    }
    if (std::abs(field.strides[d]) < static_cast<std::ptrdiff_t>(field.element_bytes)) {
      return "neighbours along " + axis_named(d) + " lie " + std::to_string(field.strides[d]) +
             " bytes apart, elements have " + std::to_string(field.element_bytes) +
             "; every cell needs memory of its own";
    }
    for (std::size_t other = 0; other < d; ++other) {
      if (field.axes[other].length > 1 && meet(field, d, other)) {
        return "strides of " + std::to_string(field.strides[other]) + " and " +
               std::to_string(field.strides[d]) +
               " bytes put several cells at one address; every cell needs memory of its own";
      }
    }
  }
  return {};
}

std::vector<sweep> sweeps_of(const std::vector<box_copy>& boxes, flow way) {
  if (way == flow::owner_to_halo) {
    return paired(boxes);
  }
  std::vector<sweep> single;
  single.reserve(boxes.size());
  for (const box_copy& each : boxes) {
    single.push_back({.first = each});
  }
  return single;
}

bool is_wanted(const direction& towards, directions which) {
  const std::size_t dims = num_nonzero(towards);
  switch (which) {
    case directions::faces:
      return dims == 1;
    case directions::faces_edges:
      return dims == 1 || dims == 2;
    case directions::all:
      return dims >= 1;
  }
  return false;
}

std::vector<direction> directions_of(std::size_t num_dims) {
  std::vector<direction> found;
  const auto reach = [=](std::size_t d) { return d < num_dims ? 1 : 0; };
  for (int i = -reach(0); i <= reach(0); ++i) {
    for (int j = -reach(1); j <= reach(1); ++j) {
      for (int k = -reach(2); k <= reach(2); ++k) {
        for (int l = -reach(3); l <= reach(3); ++l) {
          found.push_back({i, j, k, l});
        }
      }
    }
  }
  return found;
}

std::string to_string(const direction& towards, std::size_t num_dims) {
  std::string text;
  for (std::size_t d = 0; d < num_dims; ++d) {
    text +=
        (d == 0 ? "(" : ",") + std::string(towards[d] > 0 ? "+" : "") + std::to_string(towards[d]);
  }
  return text + ")";
}

std::vector<std::size_t> by_stride(const shape& field) {
  std::vector<std::size_t> dims;
  dims.reserve(field.num_dims);
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    dims.push_back(d);
  }
  std::ranges::sort(dims, [&](std::size_t a, std::size_t b) {
    return std::pair(std::abs(field.strides[a]), a) < std::pair(std::abs(field.strides[b]), b);
  });
  return dims;
}

std::ptrdiff_t offset_of(const shape& field, const box_counts& cell) {
  std::ptrdiff_t offset = 0;
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    offset += cell[d] * field.strides[d];
  }
  return offset;
}

std::vector<std::size_t> packing_order(const shape& field, const piece& what) {
  std::vector<std::size_t> order = by_stride(field);
  if (what.in_index_order) {
    std::ranges::sort(order, std::greater<>());
  }
  return order;
}

box_strides packed_strides(const shape& field, const piece& what) {
  box_strides strides{};
  auto stride = static_cast<std::ptrdiff_t>(field.element_bytes);
  for (const std::size_t d : packing_order(field, what)) {
    strides[d] = stride;
    stride *= what.cells[d];
  }
  return strides;
}

piece piece_of(const grid& processes,
               const shape& field,
               const direction& towards,
               const extension& extended,
               bool takes_halo) {
  piece made{.towards = towards};
  made.bytes = static_cast<std::ptrdiff_t>(field.element_bytes);
  for (std::size_t d = 0; d < field.num_dims; ++d) {
    const axis& along = field.axes[d];
    range cells{};
    if (towards[d] == 0) {
      cells = all_cells(processes, along, d, extended[d]);
    } else {
      cells = takes_halo ? halo_cells(along, towards[d]) : border_cells(along, towards[d]);
    }
    made.first[d] = cells.first;
    made.cells[d] = cells.count;
    made.bytes *= cells.count;
  }
  return made;
}

plan make_plan(const grid& processes,
               const exchange_options& options,
               std::span<const shape> fields,
               flow way) {
  plan made;
  const stages wanted = stages_of(processes, options, fields, way);
  for (const stage& each : wanted.remote) {
    made.phases.push_back(phase_of(processes, options, fields, each, way));
  }
  for (std::size_t field = 0; field < fields.size(); ++field) {
    for (local_copies& each : local_copies_of(processes, fields[field], wanted.local, way)) {
      each.field = field;
      made.locals.push_back(std::move(each));
    }
  }
  return made;
}

std::optional<validation> level_of_environment() {
  const std::string level = base::process_environment("WEFT_HALO_VALIDATE").value_or("1");
  if (level.size() != 1 || level.front() < '0' || level.front() > '3') {
    return std::nullopt;
  }
  return static_cast<validation>(level.front() - '0');
}

std::string wrong_level(const exchange_options& options) {
  if (options.validate != validation::automatic || level_of_environment().has_value()) {
    return {};
  }
  return "WEFT_HALO_VALIDATE is \"" + base::process_environment("WEFT_HALO_VALIDATE").value_or("") +
         "\"; it takes 0, 1, 2 or 3";
}

exchange_options with_widest_directions(exchange_options options, std::size_t num_dims) {
  if (options.directions != directions::all &&
      num_dims <= (options.directions == directions::faces ? 1U : 2U)) {
    options.directions = directions::all;
  }
  return options;
}

refusal trouble_with(const grid& processes,
                     const exchange_options& options,
                     std::span<const shape> fields) {
  if (const std::string why = wrong_level(options); !why.empty()) {
    return {why, errc::unsupported};
  }
  if (options.max_fields == std::size_t{0}) {
    return {"max_fields is 0; pass at least 1, or leave it out for any number", errc::unsupported};
  }
  if (options.schedule == schedule::staged && options.directions != directions::all) {
    return {"schedule staged fills corners as well; use directions::all, or schedule bulk for " +
                std::string(halo::to_string(options.directions)) + " alone",
            errc::unsupported};
  }
  for (std::size_t field = 0; field < fields.size(); ++field) {
    if (fields[field].num_dims != processes.num_dims()) {
      return {"field " + std::to_string(field) + " has " + std::to_string(fields[field].num_dims) +
                  " dimensions, the grid has " + std::to_string(processes.num_dims()) +
                  "; make the grid with as many, of 1 process where fields are not cut",
              errc::bad_field};
    }
    if (const std::string why = too_large(fields[field]); !why.empty()) {
      return {"field " + std::to_string(field) + why, errc::bad_field};
    }
    for (std::size_t d = 0; d < fields[field].num_dims; ++d) {
      const axis& along = fields[field].axes[d];
      if (const std::string why = along.trouble(); !why.empty()) {
        return {axis_named(d) + " of field " + std::to_string(field) + ": " + why, errc::bad_axis};
      }
      if (const std::string why = narrow_inner(processes, along, d); !why.empty()) {
        return {why, errc::narrow_inner};
      }
    }
    if (const std::string why = shared_addresses(fields[field]); !why.empty()) {
      return {"field " + std::to_string(field) + ": " + why, errc::bad_field};
    }
  }
  return {};
}

}  // namespace weft::halo::detail
