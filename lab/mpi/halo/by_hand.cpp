// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What programs write themselves: 26 receives, 26 sends, and loops between fields and buffers.
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <mpi.h>

#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

struct box {
  std::array<std::ptrdiff_t, 3> first{};
  std::array<std::ptrdiff_t, 3> count{};

  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(count[0] * count[1] * count[2]);
  }
};

struct neighbour {
  int rank = -1;
  int send_tag = 0;
  int receive_tag = 0;
  box sent;
  box received;
};

int index_of(const std::array<int, 3>& towards) {
  return ((towards[0] + 1) * 3 + towards[1] + 1) * 3 + towards[2] + 1;
}

box box_towards(const problem& what, const std::array<int, 3>& towards, bool is_halo) {
  box made;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::ptrdiff_t w = what.width;
    made.count[d] = towards[d] == 0 ? what.size : w;
    if (towards[d] == 0) {
      made.first[d] = w;
    } else if (towards[d] < 0) {
      made.first[d] = is_halo ? 0 : w;
    } else {
      made.first[d] = is_halo ? w + what.size : what.size;
    }
  }
  return made;
}

std::vector<neighbour> neighbours_of(const problem& what, const place& where) {
  std::vector<neighbour> found;
  for (int index = 0; index < 27; ++index) {
    const std::array<int, 3> towards{index / 9 - 1, index / 3 % 3 - 1, index % 3 - 1};
    std::array<int, 3> coords = where.coords;
    bool exists = index != 13;
    for (std::size_t d = 0; d < 3; ++d) {
      const int at = coords[d] + towards[d];
      exists = exists && (what.is_periodic || (at >= 0 && at < where.dims[d]));
      coords[d] = (at + where.dims[d]) % where.dims[d];
    }
    if (exists) {
      neighbour made{.sent = box_towards(what, towards, false),
                     .received = box_towards(what, towards, true)};
      MPI_Cart_rank(where.comm, coords.data(), &made.rank);
      made.send_tag = index_of(towards);
      made.receive_tag = index_of({-towards[0], -towards[1], -towards[2]});
      found.push_back(made);
    }
  }
  return found;
}

/// Calls `row(first cell of a row of the box)`.
template <class Row>
void for_rows(const problem& what, const box& in, double* field, const Row& row) {
  const std::ptrdiff_t length = what.length();
  for (std::ptrdiff_t i = in.first[0]; i < in.first[0] + in.count[0]; ++i) {
    for (std::ptrdiff_t j = in.first[1]; j < in.first[1] + in.count[1]; ++j) {
      row(field + (i * length + j) * length + in.first[2]);
    }
  }
}

class by_hand : public contestant {
 public:
  by_hand(const problem& what, const place& where, const own_fields& on)
      : what_(what), where_(where), all_(on.all()), neighbours_(neighbours_of(what, where)) {
    for (const neighbour& each : neighbours_) {
      out_.emplace_back(each.sent.size() * all_.data.size());
      in_.emplace_back(each.received.size() * all_.data.size());
    }
    sends_.resize(neighbours_.size(), MPI_REQUEST_NULL);
    receives_.resize(neighbours_.size(), MPI_REQUEST_NULL);
  }

  [[nodiscard]] const fields& cells() const override { return all_; }

  void exchange() override {
    const auto count = static_cast<int>(neighbours_.size());
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      MPI_Irecv(in_[n].data(),
                static_cast<int>(in_[n].size()),
                MPI_DOUBLE,
                neighbours_[n].rank,
                neighbours_[n].receive_tag,
                where_.comm,
                &receives_[n]);
    }
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      double* buffer = out_[n].data();
      for (double* const field : all_.data) {
        buffer = pack(neighbours_[n].sent, field, buffer);
      }
      MPI_Isend(out_[n].data(),
                static_cast<int>(out_[n].size()),
                MPI_DOUBLE,
                neighbours_[n].rank,
                neighbours_[n].send_tag,
                where_.comm,
                &sends_[n]);
    }
    MPI_Waitall(count, receives_.data(), MPI_STATUSES_IGNORE);
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      const double* buffer = in_[n].data();
      for (double* const field : all_.data) {
        buffer = unpack(neighbours_[n].received, field, buffer);
      }
    }
    MPI_Waitall(count, sends_.data(), MPI_STATUSES_IGNORE);
  }

 protected:
  virtual double* pack(const box& from, double* field, double* buffer) const = 0;
  virtual const double* unpack(const box& into, double* field, const double* buffer) const = 0;
  [[nodiscard]] const problem& what() const { return what_; }

 private:
  problem what_;
  place where_;
  const fields& all_;
  std::vector<neighbour> neighbours_;
  std::vector<std::vector<double>> out_;
  std::vector<std::vector<double>> in_;
  std::vector<MPI_Request> sends_;
  std::vector<MPI_Request> receives_;
};

class row_copies final : public by_hand {
 public:
  using by_hand::by_hand;
  [[nodiscard]] std::string_view name() const override { return "by_hand_rows"; }

 private:
  double* pack(const box& from, double* field, double* buffer) const override {
    for_rows(what(), from, field, [&](const double* row) {
      std::memcpy(buffer, row, static_cast<std::size_t>(from.count[2]) * sizeof(double));
      buffer += from.count[2];
    });
    return buffer;
  }
  const double* unpack(const box& into, double* field, const double* buffer) const override {
    for_rows(what(), into, field, [&](double* row) {
      std::memcpy(row, buffer, static_cast<std::size_t>(into.count[2]) * sizeof(double));
      buffer += into.count[2];
    });
    return buffer;
  }
};

class cell_copies final : public by_hand {
 public:
  using by_hand::by_hand;
  [[nodiscard]] std::string_view name() const override { return "by_hand_cells"; }

 private:
  double* pack(const box& from, double* field, double* buffer) const override {
    for_rows(what(), from, field, [&](const double* row) {
      for (std::ptrdiff_t k = 0; k < from.count[2]; ++k) {
        *buffer++ = row[k];
      }
    });
    return buffer;
  }
  const double* unpack(const box& into, double* field, const double* buffer) const override {
    for_rows(what(), into, field, [&](double* row) {
      for (std::ptrdiff_t k = 0; k < into.count[2]; ++k) {
        row[k] = *buffer++;
      }
    });
    return buffer;
  }
};

class datatypes final : public contestant {
 public:
  datatypes(const problem& what, const place& where, const own_fields& on)
      : where_(where), all_(on.all()), neighbours_(neighbours_of(what, where)) {
    for (const neighbour& each : neighbours_) {
      out_.push_back(type_of(what, each.sent));
      in_.push_back(type_of(what, each.received));
    }
    requests_.resize(2 * neighbours_.size(), MPI_REQUEST_NULL);
  }
  ~datatypes() override {
    for (std::vector<MPI_Datatype>* types : {&out_, &in_}) {
      for (MPI_Datatype& each : *types) {
        MPI_Type_free(&each);
      }
    }
  }

  [[nodiscard]] std::string_view name() const override { return "by_hand_datatypes"; }
  [[nodiscard]] const fields& cells() const override { return all_; }

  void exchange() override {
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      MPI_Irecv(MPI_BOTTOM,
                1,
                in_[n],
                neighbours_[n].rank,
                neighbours_[n].receive_tag,
                where_.comm,
                &requests_[2 * n]);
    }
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      MPI_Isend(MPI_BOTTOM,
                1,
                out_[n],
                neighbours_[n].rank,
                neighbours_[n].send_tag,
                where_.comm,
                &requests_[2 * n + 1]);
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

 private:
  [[nodiscard]] MPI_Datatype type_of(const problem& what, const box& cells) const {
    const auto length = static_cast<int>(what.length());
    const std::array<int, 3> all{length, length, length};
    std::array<int, 3> count{};
    std::array<int, 3> first{};
    for (std::size_t d = 0; d < 3; ++d) {
      count[d] = static_cast<int>(cells.count[d]);
      first[d] = static_cast<int>(cells.first[d]);
    }
    MPI_Datatype one = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(
        3, all.data(), count.data(), first.data(), MPI_ORDER_C, MPI_DOUBLE, &one);
    std::vector<MPI_Aint> at(all_.data.size());
    for (std::size_t f = 0; f < at.size(); ++f) {
      MPI_Get_address(all_.data[f], &at[f]);
    }
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed_block(static_cast<int>(at.size()), 1, at.data(), one, &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&one);
    return made;
  }

  place where_;
  const fields& all_;
  std::vector<neighbour> neighbours_;
  std::vector<MPI_Datatype> out_;
  std::vector<MPI_Datatype> in_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<contestant> make_row_copies(const problem& what,
                                            const place& where,
                                            const own_fields& on) {
  return std::make_unique<row_copies>(what, where, on);
}

std::unique_ptr<contestant> make_cell_copies(const problem& what,
                                             const place& where,
                                             const own_fields& on) {
  return std::make_unique<cell_copies>(what, where, on);
}

std::unique_ptr<contestant> make_datatypes(const problem& what,
                                           const place& where,
                                           const own_fields& on) {
  return std::make_unique<datatypes>(what, where, on);
}

}  // namespace weft::lab::halo_bench
