// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares descriptors with the neighbours' descriptors, so that a disagreement is an error message
// and not a wrong cell.
#include "halo/plan/agree.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <source_location>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/axis.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"
#include "weft/halo/options.hpp"

#include "halo/plan/plan.hpp"

namespace weft::halo::detail {
namespace {

using words = std::vector<std::int64_t>;

constexpr int tag_header = grid::num_plan_tags;
constexpr int tag_body = grid::num_plan_tags + 1;
constexpr std::size_t words_per_shape = 3 + 6 * max_dims;
constexpr std::size_t words_per_header = 9;

void append(const shape& field, words& into) {
  into.push_back(static_cast<std::int64_t>(field.num_dims));
  into.push_back(static_cast<std::int64_t>(field.element_bytes));
  into.push_back(static_cast<std::int64_t>(field.type));
  for (std::size_t d = 0; d < max_dims; ++d) {
    const axis& along = field.axes[d];
    for (const std::ptrdiff_t each :
         {along.minus, along.plus, along.begin, along.end, along.length, field.strides[d]}) {
      into.push_back(each);
    }
  }
}

shape shape_in(std::span<const std::int64_t> from) {
  shape made{.num_dims = static_cast<std::size_t>(from[0]),
             .element_bytes = static_cast<std::size_t>(from[1]),
             .type = static_cast<std::uint64_t>(from[2])};
  for (std::size_t d = 0; d < max_dims; ++d) {
    const auto numbers = from.subspan(3 + 6 * d, 6);
    axis& along = made.axes[d];
    along.minus = numbers[0];
    along.plus = numbers[1];
    along.begin = numbers[2];
    along.end = numbers[3];
    along.length = numbers[4];
    made.strides[d] = numbers[5];
  }
  return made;
}

/// Returns the neighbours in all directions. A plan may send nothing to some of them while they
/// expect cells from this rank; this comparison finds such differences.
std::vector<int> peers_of(const grid& processes) {
  std::vector<int> peers;
  for (const direction& each : directions_of(processes.num_dims())) {
    if (const int peer = processes.neighbour(each); peer >= 0 && peer != processes.rank()) {
      peers.push_back(peer);
    }
  }
  std::ranges::sort(peers);
  const auto repeated = std::ranges::unique(peers);
  peers.erase(repeated.begin(), repeated.end());
  return peers;
}

/// All words but the last must be equal on all ranks; some decide which collectives a rank calls.
/// The last word, the size of the staging area, only informs the peer.
words header_of(const agenda& about, std::ptrdiff_t staging_bytes) {
  const auto& [options, fields, what, way] = about;
  const bool packs_by_mpi =
      options.packing == packing::mpi_pack || options.packing == packing::mpi_datatype;
  return {static_cast<std::int64_t>(fields.size()),
          static_cast<std::int64_t>(options.schedule),
          static_cast<std::int64_t>(options.directions),
          static_cast<std::int64_t>(what.phases.size()),
          static_cast<std::int64_t>(options.transport),
          packs_by_mpi ? 1 : 0,
          static_cast<std::int64_t>(options.validate),
          way == flow::halo_to_owner ? 1 : 0,
          staging_bytes};
}

words body_for(int peer, std::span<const shape> fields, const plan& what, const own_facts& own) {
  words body;
  for (const shape& each : fields) {
    append(each, body);
  }
  for (std::size_t p = 0; p < what.phases.size(); ++p) {
    std::ptrdiff_t region = 0;
    for (std::size_t l = 0; l < what.phases[p].links.size(); ++l) {
      if (what.phases[p].links[l].peer == peer) {
        region = own.regions[p][l];
      }
    }
    body.push_back(region);
  }
  return body;
}

/// Sends `out[i]` to, and receives `in[i]` from, `peers[i]`.
void swap_words(MPI_Comm comm,
                const std::vector<int>& peers,
                std::vector<words>& out,
                std::vector<words>& in,
                int tag) {
  std::vector<MPI_Request> requests(2 * peers.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    check_mpi(MPI_Irecv(in[i].data(),
                        static_cast<int>(in[i].size()),
                        MPI_INT64_T,
                        peers[i],
                        tag,
                        comm,
                        &requests[2 * i]),
              "MPI_Irecv");
    check_mpi(MPI_Isend(out[i].data(),
                        static_cast<int>(out[i].size()),
                        MPI_INT64_T,
                        peers[i],
                        tag,
                        comm,
                        &requests[2 * i + 1]),
              "MPI_Isend");
  }
  check_mpi(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
            "MPI_Waitall");
}

std::string disagree(const grid& processes, int peer) {
  return "ranks " + std::to_string(std::min(processes.rank(), peer)) + " and " +
         std::to_string(std::max(processes.rank(), peer)) + " disagree: ";
}

std::string on_ranks(const grid& processes,
                     int peer,
                     const std::string& here,
                     const std::string& there) {
  return here + " on rank " + std::to_string(processes.rank()) + ", " + there + " on rank " +
         std::to_string(peer);
}
std::string on_ranks(const grid& processes, int peer, std::int64_t here, std::int64_t there) {
  return on_ranks(processes, peer, std::to_string(here), std::to_string(there));
}

std::string as_number(std::int64_t word) { return std::to_string(word); }
std::string as_answer(std::int64_t word) { return word != 0 ? "yes" : "no"; }
template <class Enum>
std::string as_name(std::int64_t word) {
  return std::string(to_string(static_cast<Enum>(word)));
}

std::string compare_headers(const grid& processes, int peer, const words& own, const words& their) {
  struct word {
    const char* name;
    std::string (*text)(std::int64_t);
  };
  constexpr std::array<word, words_per_header - 1> names{{{"number of fields", as_number},
                                                          {"schedule", as_name<schedule>},
                                                          {"directions", as_name<directions>},
                                                          {"number of phases", as_number},
                                                          {"transport", as_name<transport>},
                                                          {"packing by MPI", as_answer},
                                                          {"validate", as_name<validation>},
                                                          {"reverse", as_answer}}};
  for (std::size_t n = 0; n < names.size(); ++n) {
    if (own[n] != their[n]) {
      return disagree(processes, peer) + names[n].name + " is " +
             on_ranks(processes, peer, names[n].text(own[n]), names[n].text(their[n])) +
             "; pass the same fields and options on all ranks";
    }
  }
  return {};
}

/// Returns the difference of two descriptors that makes the boxes towards `towards` differ; empty:
/// none.
std::string difference(const grid& processes,
                       const direction& towards,
                       const shape& own,
                       const shape& their) {
  const int peer = processes.neighbour(towards);
  for (std::size_t d = 0; d < own.num_dims; ++d) {
    const std::string name = "axis " + std::to_string(d);
    if (own.axes[d].minus != their.axes[d].minus) {
      return name + " halo minus is " +
             on_ranks(processes, peer, own.axes[d].minus, their.axes[d].minus);
    }
    if (own.axes[d].plus != their.axes[d].plus) {
      return name + " halo plus is " +
             on_ranks(processes, peer, own.axes[d].plus, their.axes[d].plus);
    }
    if (towards[d] == 0 && own.axes[d].size() != their.axes[d].size()) {
      return name + " inner is " +
             on_ranks(processes, peer, own.axes[d].size(), their.axes[d].size());
    }
  }
  return {};
}

/// Returns the order of the strides of `field`, for the dimensions that are more than one cell long
/// on both sides. Other dimensions may have any position.
std::vector<std::size_t> packing_order(const shape& field, const shape& other) {
  std::vector<std::size_t> order = by_stride(field);
  std::erase_if(
      order, [&](std::size_t d) { return field.axes[d].length == 1 || other.axes[d].length == 1; });
  return order;
}

std::string compare_field(const grid& processes,
                          const direction& towards,
                          const shape& own,
                          const shape& their,
                          std::size_t index) {
  const int peer = processes.neighbour(towards);
  const std::string field = " of field " + std::to_string(index);
  if (own.type != their.type || own.element_bytes != their.element_bytes) {
    return disagree(processes, peer) + "the element type" + field + " differs (" +
           on_ranks(processes,
                    peer,
                    static_cast<std::int64_t>(own.element_bytes),
                    static_cast<std::int64_t>(their.element_bytes)) +
           " bytes)";
  }
  if (const std::string why = difference(processes, towards, own, their); !why.empty()) {
    const piece sent = piece_of(processes, their, opposite(towards), {}, false);
    const piece expected = piece_of(processes, own, towards, {}, true);
    return disagree(processes, peer) + "rank " + std::to_string(peer) + " sends " +
           std::to_string(sent.bytes) + " B" + field + " in direction " +
           to_string(opposite(towards), own.num_dims) + ", rank " +
           std::to_string(processes.rank()) + " expects " + std::to_string(expected.bytes) +
           " B; " + why;
  }
  if (packing_order(own, their) != packing_order(their, own)) {
    return disagree(processes, peer) + "the order of strides" + field +
           " differs; use the same layout on all ranks";
  }
  return {};
}

std::string compare_fields(const grid& processes, const agenda& about, const peer_facts& facts) {
  for (const direction& each : directions_of(processes.num_dims())) {
    if (processes.neighbour(each) != facts.rank || !is_wanted(each, about.options.directions)) {
      continue;
    }
    for (std::size_t field = 0; field < about.fields.size(); ++field) {
      std::string why =
          compare_field(processes, each, about.fields[field], facts.fields[field], field);
      if (!why.empty()) {
        return why;
      }
    }
  }
  return {};
}

/// Returns the text of rank `root`, on all ranks.
std::string told_by(const grid& processes, int root, std::string text) {
  auto length = static_cast<int>(text.size());
  check_mpi(MPI_Bcast(&length, 1, MPI_INT, root, processes.comm()), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(length));
  check_mpi(MPI_Bcast(text.data(), length, MPI_CHAR, root, processes.comm()), "MPI_Bcast");
  return text;
}

/// Returns the first rank for which `holds` is true; empty: no rank.
std::optional<int> first_rank_where(const grid& processes, bool holds) {
  const int mine = holds ? processes.rank() : processes.size();
  int first = 0;
  check_mpi(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, processes.comm()), "MPI_Allreduce");
  return first == processes.size() ? std::nullopt : std::optional<int>(first);
}

}  // namespace

void agree_on(const grid& processes,
              const std::vector<std::string>& lines,
              const std::source_location& where) {
  std::string own;
  for (const std::string& line : lines) {
    own += line + "\n";
  }
  const std::string text = told_by(processes, 0, own);
  const std::optional<int> other = first_rank_where(processes, own != text);
  if (!other.has_value()) {
    return;
  }
  std::istringstream ours(text);
  std::istringstream theirs(told_by(processes, *other, own));
  std::string here;
  std::string there;
  do {
    std::getline(ours, here);
    std::getline(theirs, there);
  } while (here == there);
  const std::string rank = std::to_string(*other);
  throw error(errc::ranks_disagree,
              "ranks 0 and " + rank + " disagree: " + here + " on rank 0, " + there + " on rank " +
                  rank + "; pass the same on all ranks",
              other,
              where);
}

void refuse_together(const grid& processes,
                     const refusal& trouble,
                     const std::source_location& where) {
  processes.require_mpi();
  const std::optional<int> first = first_rank_where(processes, !trouble.why.empty());
  if (!first.has_value()) {
    return;
  }
  const std::string text = told_by(processes, *first, trouble.why);
  if (!trouble.why.empty()) {
    throw error(trouble.code, trouble.why, processes.rank(), where);
  }
  throw error(errc::other_rank_refused,
              "rank " + std::to_string(*first) + " refused: " + text,
              first,
              where);
}

refusal trouble_of(const std::function<void()>& work, errc otherwise) {
  try {
    work();
  } catch (const error& failed) {
    return {std::string(failed.sentence()), failed.code()};
  } catch (const std::bad_alloc&) {
    return {"this rank has not enough memory", otherwise};
  } catch (const std::exception& failed) {
    return {failed.what(), otherwise};
  }
  return {};
}

std::vector<peer_facts> agree(const grid& processes,
                              const agenda& about,
                              const own_facts& own,
                              const std::source_location& where) {
  const auto& [options, fields, what, way] = about;
  const std::vector<int> peers = peers_of(processes);
  const words header = header_of(about, own.staging_bytes);
  std::vector<words> out(peers.size(), header);
  std::vector<words> headers(peers.size(), words(words_per_header));
  swap_words(processes.comm(), peers, out, headers, tag_header);
  std::string trouble;
  for (std::size_t i = 0; i < peers.size() && trouble.empty(); ++i) {
    trouble = compare_headers(processes, peers[i], header, headers[i]);
  }
  refuse_together(processes, {trouble, errc::ranks_disagree}, where);

  std::vector<words> bodies(peers.size(),
                            words(fields.size() * words_per_shape + what.phases.size()));
  for (std::size_t i = 0; i < peers.size(); ++i) {
    out[i] = body_for(peers[i], fields, what, own);
  }
  swap_words(processes.comm(), peers, out, bodies, tag_body);
  std::vector<peer_facts> known;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    peer_facts facts{.rank = peers[i], .staging_bytes = headers[i][words_per_header - 1]};
    const std::span<const std::int64_t> body = bodies[i];
    for (std::size_t field = 0; field < fields.size(); ++field) {
      facts.fields.push_back(shape_in(body.subspan(field * words_per_shape, words_per_shape)));
    }
    const auto regions = body.last(what.phases.size());
    facts.regions.assign(regions.begin(), regions.end());
    known.push_back(std::move(facts));
  }
  if (options.validate != validation::off) {
    for (const peer_facts& facts : known) {
      if (trouble.empty()) {
        trouble = compare_fields(processes, about, facts);
      }
    }
    refuse_together(processes, {trouble, errc::ranks_disagree}, where);
  }
  return known;
}

}  // namespace weft::halo::detail
