// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MPI's own means: datatypes instead of buffers, and neighbourhood collectives.
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <mpi.h>

#include "lab/mpi/halo/neighbours.hpp"
#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

/// A datatype per direction, for sends and for receives.
class typed : public contestant {
 public:
  typed(const problem& what, const place& where, const own_fields& on)
      : where_(where), all_(on.all()), neighbours_(neighbours_of(what, where)) {
    for (const neighbour& each : neighbours_) {
      out_.push_back(type_of(what, each.sent, all_));
      in_.push_back(type_of(what, each.received, all_));
    }
  }
  ~typed() override {
    for (std::vector<MPI_Datatype>* types : {&out_, &in_}) {
      for (MPI_Datatype& each : *types) {
        MPI_Type_free(&each);
      }
    }
  }

  [[nodiscard]] const fields& cells() const override { return all_; }
  /// The library packs, so the whole exchange is one step.
  [[nodiscard]] bool has_steps() const override { return true; }
  void transfer() override { exchange(); }

 protected:
  [[nodiscard]] const place& where() const noexcept { return where_; }
  [[nodiscard]] const std::vector<neighbour>& neighbours() const noexcept { return neighbours_; }
  [[nodiscard]] const std::vector<MPI_Datatype>& out() const noexcept { return out_; }
  [[nodiscard]] const std::vector<MPI_Datatype>& in() const noexcept { return in_; }

 private:
  place where_;
  const fields& all_;
  std::vector<neighbour> neighbours_;
  std::vector<MPI_Datatype> out_;
  std::vector<MPI_Datatype> in_;
};

class point_to_point final : public typed {
 public:
  point_to_point(const problem& what, const place& where, const own_fields& on)
      : typed(what, where, on), requests_(2 * neighbours().size(), MPI_REQUEST_NULL) {}

  void start() override {
    for (std::size_t n = 0; n < neighbours().size(); ++n) {
      const neighbour& each = neighbours()[n];
      MPI_Irecv(
          MPI_BOTTOM, 1, in()[n], each.rank, each.receive_tag, where().comm, &requests_[2 * n]);
    }
    for (std::size_t n = 0; n < neighbours().size(); ++n) {
      const neighbour& each = neighbours()[n];
      MPI_Isend(
          MPI_BOTTOM, 1, out()[n], each.rank, each.send_tag, where().comm, &requests_[2 * n + 1]);
    }
  }
  void finish() override {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }
  void progress() override {
    int are_complete = 0;
    MPI_Testall(
        static_cast<int>(requests_.size()), requests_.data(), &are_complete, MPI_STATUSES_IGNORE);
  }
  [[nodiscard]] bool has_progress() const override { return true; }

 private:
  std::vector<MPI_Request> requests_;
};

/// One MPI_Neighbor_alltoallw on a graph of all directions. Collectives on a Cartesian communicator
/// do not include corners.
class collective final : public typed {
 public:
  collective(const problem& what, const place& where, const own_fields& on)
      : typed(what, where, on),
        counts_(neighbours().size(), 1),
        displacements_(neighbours().size(), 0) {
    std::vector<int> destinations;
    std::vector<int> sources;
    for (const neighbour& each : neighbours()) {
      destinations.push_back(each.rank);
    }
    // Edges between the same two ranks are matched in the order of their lists. The neighbour lists
    // directions as this rank does, so its first message comes from the opposite side.
    for (std::size_t n = neighbours().size(); n-- > 0;) {
      sources.push_back(neighbours()[n].rank);
      types_in_.push_back(in()[n]);
    }
    MPI_Dist_graph_create_adjacent(where.comm,
                                   static_cast<int>(sources.size()),
                                   sources.data(),
                                   MPI_UNWEIGHTED,
                                   static_cast<int>(destinations.size()),
                                   destinations.data(),
                                   MPI_UNWEIGHTED,
                                   MPI_INFO_NULL,
                                   0,
                                   &graph_);
  }
  ~collective() override { MPI_Comm_free(&graph_); }

  void start() override {
    MPI_Ineighbor_alltoallw(MPI_BOTTOM,
                            counts_.data(),
                            displacements_.data(),
                            out().data(),
                            MPI_BOTTOM,
                            counts_.data(),
                            displacements_.data(),
                            types_in_.data(),
                            graph_,
                            &request_);
  }
  void finish() override { MPI_Wait(&request_, MPI_STATUS_IGNORE); }
  void progress() override {
    int is_complete = 0;
    MPI_Test(&request_, &is_complete, MPI_STATUS_IGNORE);
  }
  [[nodiscard]] bool has_progress() const override { return true; }
  void exchange() override {
    MPI_Neighbor_alltoallw(MPI_BOTTOM,
                           counts_.data(),
                           displacements_.data(),
                           out().data(),
                           MPI_BOTTOM,
                           counts_.data(),
                           displacements_.data(),
                           types_in_.data(),
                           graph_);
  }

 private:
  std::vector<int> counts_;
  std::vector<MPI_Aint> displacements_;
  std::vector<MPI_Datatype> types_in_;
  MPI_Comm graph_ = MPI_COMM_NULL;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

template <class Contestant>
std::unique_ptr<contestant> made(const problem& what, const place& where, const own_fields& on) {
  return std::make_unique<Contestant>(what, where, on);
}

constexpr std::array entries{
    entry{.name = "by_hand_datatypes", .make = made<point_to_point>},
    entry{.name = "neighbor_alltoallw", .make = made<collective>},
};

}  // namespace

std::span<const entry> by_datatypes() { return entries; }

}  // namespace weft::lab::halo_bench
