// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Senders describe to receivers what they send, and receivers reject what does not match.
#include "halo/plan/transfer_agreement.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/detail/transfer.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/device/device_pointers.hpp"
#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/memory_links.hpp"

namespace weft::halo::detail {
namespace {

constexpr int transfer_tag = grid::num_plan_tags + 2;
constexpr std::size_t words_per_transfer = 2 + max_dims;
using words = std::vector<std::int64_t>;

std::string extents(std::span<const std::int64_t> cells) {
  std::string text;
  for (const std::int64_t each : cells) {
    text += (text.empty() ? "" : "x") + std::to_string(each);
  }
  return text;
}

/// The type and extents of the boxes between this rank and `peer`.
words described(std::span<const shape> fields, const std::vector<transfer>& all, int peer) {
  words told;
  for (const transfer& each : all) {
    if (each.peer == peer) {
      told.push_back(static_cast<std::int64_t>(fields[each.field].type));
      told.push_back(static_cast<std::int64_t>(fields[each.field].element_bytes));
      told.insert(told.end(), each.cells.begin(), each.cells.end());
    }
  }
  return told;
}

refusal outside_of_field(const grid& processes,
                         std::span<const shape> fields,
                         const transfer& what) {
  if (what.peer < 0 || what.peer >= processes.size()) {
    return {"rank " + std::to_string(what.peer) + " is none of 0 .. " +
                std::to_string(processes.size() - 1),
            errc::bad_field};
  }
  for (std::size_t d = 0; d < fields[what.field].num_dims; ++d) {
    const std::ptrdiff_t length = fields[what.field].axes[d].length;
    if (what.first[d] < 0 || what.cells[d] < 0 || what.first[d] + what.cells[d] > length) {
      return {"a block of " + std::to_string(what.cells[d]) + " cells from index " +
                  std::to_string(what.first[d]) + " on does not fit into axis " +
                  std::to_string(d) + " of length " + std::to_string(length),
              errc::bad_field};
    }
  }
  return {};
}

/// Returns why this rank cannot take part.
refusal impossible(const grid& processes,
                   const exchange_options& options,
                   std::span<const shape> fields,
                   const transfers& what) {
  if (const std::string why = wrong_level(options); !why.empty()) {
    return {why, errc::unsupported};
  }
  for (const std::vector<transfer>* const side : {&what.out, &what.in}) {
    for (const transfer& each : *side) {
      if (refusal trouble = outside_of_field(processes, fields, each); !trouble.why.empty()) {
        return trouble;
      }
    }
  }
  if (what.pointers.empty()) {
    return {};
  }
  refusal trouble = null_field(moved_fields(what), what.pointers);
  if (trouble.why.empty() && host_copies(processes, options, what)) {
    trouble = trouble_of([&] { refuse_device_memory(what.pointers); }, errc::bad_field);
  }
  return trouble;
}

/// Sends `counts[r]` to rank r, and returns the counts that all ranks have for this one.
std::vector<int> swapped(const grid& processes, const std::vector<int>& counts) {
  std::vector<int> theirs(counts.size());
  check_mpi(MPI_Alltoall(counts.data(), 1, MPI_INT, theirs.data(), 1, MPI_INT, processes.comm()),
            "MPI_Alltoall");
  return theirs;
}

/// Returns the difference between what rank `from` sends here and what this rank expects.
std::string difference(const grid& processes, int from, const words& sent, const words& expected) {
  for (std::size_t n = 0; n < sent.size(); n += words_per_transfer) {
    const std::span theirs(&sent[n], words_per_transfer);
    const std::span own(&expected[n], words_per_transfer);
    if (std::ranges::equal(theirs, own)) {
      continue;
    }
    const std::string block = "ranks " + std::to_string(from) + " and " +
                              std::to_string(processes.rank()) + " disagree: block " +
                              std::to_string(n / words_per_transfer) + " from rank " +
                              std::to_string(from) + " to rank " + std::to_string(processes.rank());
    if (theirs[0] != own[0] || theirs[1] != own[1]) {
      return block + " has elements of another type (" + std::to_string(theirs[1]) +
             " B) than are expected (" + std::to_string(own[1]) + " B)";
    }
    return block + " has " + extents(theirs.subspan(2)) + " cells, " + extents(own.subspan(2)) +
           " are expected";
  }
  return {};
}

std::string wrong_number(const grid& processes,
                         const std::vector<int>& sent,
                         const std::vector<int>& expected) {
  for (std::size_t from = 0; from < sent.size(); ++from) {
    if (sent[from] != expected[from]) {
      return "ranks " + std::to_string(from) + " and " + std::to_string(processes.rank()) +
             " disagree: rank " + std::to_string(from) + " sends " + std::to_string(sent[from]) +
             " blocks to rank " + std::to_string(processes.rank()) + ", which expects " +
             std::to_string(expected[from]);
    }
  }
  return {};
}

}  // namespace

std::vector<std::size_t> moved_fields(const transfers& what) {
  std::vector<std::size_t> found;
  for (const std::vector<transfer>* const side : {&what.out, &what.in}) {
    for (const transfer& each : *side) {
      if (std::ranges::find(each.cells, 0) == each.cells.end()) {
        found.push_back(each.field);
      }
    }
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

refusal null_field(const std::vector<std::size_t>& moved, std::span<std::byte* const> pointers) {
  for (const std::size_t each : moved) {
    if (pointers[each] == nullptr) {
      return {"field " + std::to_string(each) + " is a null pointer", errc::bad_field};
    }
  }
  return {};
}

bool host_copies(const grid& processes, const exchange_options& options, const transfers& what) {
  const auto is_copied = [&](const transfer& each) {
    return each.peer == processes.rank() ||
           (uses_memory(processes, options) && processes.node_rank_of(each.peer) >= 0);
  };
  return options.packing == packing::automatic || options.packing == packing::loops ||
         std::ranges::any_of(what.out, is_copied) || std::ranges::any_of(what.in, is_copied);
}

std::vector<int> num_by_peer(const grid& processes, const std::vector<transfer>& all) {
  std::vector<int> num(static_cast<std::size_t>(processes.size()));
  for (const transfer& each : all) {
    ++num[static_cast<std::size_t>(each.peer)];
  }
  return num;
}

piece piece_of(const transfer& what, const shape& field) {
  piece made{.field = what.field, .first = what.first, .cells = what.cells};
  made.in_index_order = true;
  made.bytes = static_cast<std::ptrdiff_t>(field.element_bytes);
  for (const std::ptrdiff_t each : what.cells) {
    made.bytes *= each;
  }
  return made;
}

void swap_letters(const grid& processes, std::vector<letter>& out, std::vector<letter>& in) {
  std::vector<MPI_Request> requests;
  const auto begin = [&](std::vector<letter>& letters, auto* call, const char* name) {
    for (letter& each : letters) {
      check_mpi(call(each.words.data(),
                     static_cast<int>(each.words.size()),
                     MPI_INT64_T,
                     each.peer,
                     transfer_tag,
                     processes.comm(),
                     &requests.emplace_back(MPI_REQUEST_NULL)),
                name);
    }
  };
  begin(in, &MPI_Irecv, "MPI_Irecv");
  begin(out, &MPI_Isend, "MPI_Isend");
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
}

void agree(const grid& processes,
           const exchange_options& options,
           std::span<const shape> fields,
           const transfers& what,
           const std::source_location& where) {
  refuse_together(processes, impossible(processes, options, fields, what), where);
  const std::vector<int> num_out = num_by_peer(processes, what.out);
  const std::vector<int> num_in = num_by_peer(processes, what.in);
  refusal trouble{wrong_number(processes, swapped(processes, num_out), num_in),
                  errc::ranks_disagree};
  refuse_together(processes, trouble, where);

  std::vector<letter> out;
  std::vector<letter> in;
  for (int peer = 0; peer < processes.size(); ++peer) {
    const auto at = static_cast<std::size_t>(peer);
    if (num_out[at] > 0) {
      out.push_back({peer, described(fields, what.out, peer)});
    }
    if (num_in[at] > 0) {
      in.push_back({peer, words(static_cast<std::size_t>(num_in[at]) * words_per_transfer)});
    }
  }
  swap_letters(processes, out, in);
  for (const letter& each : in) {
    if (trouble.why.empty()) {
      const words expected = described(fields, what.in, each.peer);
      trouble.why = difference(processes, each.peer, each.words, expected);
    }
  }
  refuse_together(processes, trouble, where);
}

}  // namespace weft::halo::detail
