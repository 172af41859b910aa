// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges faces through buffers, one message each: hand-written; and by weft::halo if it was
// built in.
#include "lab/mpi/halos.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

#ifdef WEFT_LAB_HAS_HALO
#include <optional>

#include "weft/halo.hpp"
#endif

#include "lab/mpi/decomposition.hpp"
#include "lab/mpi/stencil.hpp"
#include "lab/mpi/world.hpp"

namespace weft::lab::mpi {

namespace {

class plain final : public halos {
 public:
  plain(const seat& at, const block& shape) : comm_(at.comm), neighbours_(neighbours(at)) {
    for (std::size_t face = 0; face < neighbours_.size(); ++face) {
      out_[face].resize(shape.face_cells(face / 2));
      in_[face].resize(shape.face_cells(face / 2));
    }
  }

  void start(block& cells) override {
    num_ = 0;
    for (std::size_t face = 0; face < neighbours_.size(); ++face) {
      // A message's tag is the side that it leaves; it arrives at the opposite side.
      if (neighbours_[face] >= 0) {
        check(MPI_Irecv(in_[face].data(),
                        static_cast<int>(in_[face].size()),
                        MPI_DOUBLE,
                        neighbours_[face],
                        static_cast<int>(face ^ 1U),
                        comm_,
                        &requests_[num_++]),
              "MPI_Irecv");
      }
    }
    for (std::size_t face = 0; face < neighbours_.size(); ++face) {
      if (neighbours_[face] >= 0) {
        cells.pack(face / 2, face % 2 != 0, out_[face]);
        check(MPI_Isend(out_[face].data(),
                        static_cast<int>(out_[face].size()),
                        MPI_DOUBLE,
                        neighbours_[face],
                        static_cast<int>(face),
                        comm_,
                        &requests_[num_++]),
              "MPI_Isend");
      }
    }
  }

  void wait() override {
    check(MPI_Waitall(static_cast<int>(num_), requests_.data(), MPI_STATUSES_IGNORE),
          "MPI_Waitall");
  }

  void unpack(block& cells) override {
    for (std::size_t face = 0; face < neighbours_.size(); ++face) {
      if (neighbours_[face] >= 0) {
        cells.unpack(face / 2, face % 2 != 0, in_[face]);
      }
    }
  }

 private:
  MPI_Comm comm_;
  std::array<int, 6> neighbours_;
  std::array<std::vector<double>, 6> out_, in_;
  std::array<MPI_Request, 12> requests_{};
  std::size_t num_ = 0;
};

#ifdef WEFT_LAB_HAS_HALO
constexpr std::array<std::string_view, 2> names{"mpi", "weft"};

halo::axes<3> box_of(const block& shape) {
  const auto along = [&](std::size_t axis) {
    return halo::axis::inner(static_cast<int>(shape.size()[axis])).halo(1);
  };
  return {along(0), along(1), along(2)};
}

/// Blocks keep their memory: the exchange uses plain pointers, which may be swapped between sweeps.
class by_weft final : public halos {
 public:
  by_weft(const seat& at, const block& shape)
      : grid_(at.comm,
              {.dims = {static_cast<int>(at.grid[0]),
                        static_cast<int>(at.grid[1]),
                        static_cast<int>(at.grid[2])},
               .periodic = {false, false, false}}),
        exchange_(grid_, box_of(shape), {.directions = halo::directions::faces}) {}

  void start(block& cells) override { under_way_.emplace(exchange_.start(cells.data())); }
  void wait() override {
    if (under_way_.has_value()) {
      under_way_->wait();
      under_way_.reset();
    }
  }
  void unpack(block& /*cells*/) override {}

 private:
  halo::cart<3> grid_;
  halo::exchange<double, halo::layout::right<3>> exchange_;
  std::optional<halo::pending<3>> under_way_;
};
#else
constexpr std::array<std::string_view, 1> names{"mpi"};
#endif

}  // namespace

std::array<int, 6> neighbours(const seat& at) {
  const box here = coordinates(at.rank, at.grid);
  std::array<int, 6> found{};
  for (std::size_t face = 0; face < found.size(); ++face) {
    box there = here;
    there[face / 2] += face % 2 != 0 ? 1 : -1;
    found[face] = rank_at(there, at.grid);
  }
  return found;
}

std::span<const std::string_view> halo_names() { return names; }

std::unique_ptr<halos> make_halos(std::string_view name, const seat& at, const block& shape) {
#ifdef WEFT_LAB_HAS_HALO
  if (name == "weft") {
    return std::make_unique<by_weft>(at, shape);
  }
#endif
  if (name != "mpi") {
    throw bad_request(
        "halos by '" + std::string(name) +
        "' are not built into this program; take one that CMake built with weft::halo, "
        "or --halo mpi");
  }
  return std::make_unique<plain>(at, shape);
}

}  // namespace weft::lab::mpi
