// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-written exchanges: receives, sends, and loops between fields and buffers.
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <mpi.h>

#include "lab/mpi/halo/neighbours.hpp"
#include "lab/mpi/halo/problem.hpp"

namespace weft::lab::halo_bench {
namespace {

/// The layout of a field's rows in memory.
struct rows {
  std::ptrdiff_t num;     // of a plane
  std::ptrdiff_t length;  // cells, padding included
};

/// Calls `row(first cell of a row of the box)`.
template <class Row>
void for_rows(const rows& how, const box& in, double* field, const Row& row) {
  for (std::ptrdiff_t i = in.first[0]; i < in.first[0] + in.count[0]; ++i) {
    for (std::ptrdiff_t j = in.first[1]; j < in.first[1] + in.count[1]; ++j) {
      row(field + (i * how.num + j) * how.length + in.first[2]);
    }
  }
}

struct by_rows {
  static double* pack(const rows& how, const box& from, double* field, double* buffer) {
    for_rows(how, from, field, [&](const double* row) {
      std::memcpy(buffer, row, static_cast<std::size_t>(from.count[2]) * sizeof(double));
      buffer += from.count[2];
    });
    return buffer;
  }
  static const double* unpack(const rows& how,
                              const box& into,
                              double* field,
                              const double* buffer) {
    for_rows(how, into, field, [&](double* row) {
      std::memcpy(row, buffer, static_cast<std::size_t>(into.count[2]) * sizeof(double));
      buffer += into.count[2];
    });
    return buffer;
  }
};

struct by_cells {
  static double* pack(const rows& how, const box& from, double* field, double* buffer) {
    for_rows(how, from, field, [&](const double* row) {
      for (std::ptrdiff_t k = 0; k < from.count[2]; ++k) {
        *buffer++ = row[k];
      }
    });
    return buffer;
  }
  static const double* unpack(const rows& how,
                              const box& into,
                              double* field,
                              const double* buffer) {
    for_rows(how, into, field, [&](double* row) {
      for (std::ptrdiff_t k = 0; k < into.count[2]; ++k) {
        row[k] = *buffer++;
      }
    });
    return buffer;
  }
};

/// Messages with some neighbours, through buffers. `Copy`: how cells are copied to and from them.
template <class Copy>
class messages {
 public:
  messages(const problem& what, const place& where, const fields& all, std::vector<neighbour> who)
      : rows_{what.length(1), all.row_length},
        where_(where),
        all_(all),
        neighbours_(std::move(who)) {
    for (const neighbour& each : neighbours_) {
      out_.emplace_back(each.sent.size() * all_.data.size());
      in_.emplace_back(each.received.size() * all_.data.size());
    }
    sends_.resize(neighbours_.size(), MPI_REQUEST_NULL);
    receives_.resize(neighbours_.size(), MPI_REQUEST_NULL);
  }

  void receive() {
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      MPI_Irecv(in_[n].data(),
                static_cast<int>(in_[n].size()),
                MPI_DOUBLE,
                neighbours_[n].rank,
                neighbours_[n].receive_tag,
                where_.comm,
                &receives_[n]);
    }
  }
  void pack(std::size_t n) {
    double* buffer = out_[n].data();
    for (double* const field : all_.data) {
      buffer = Copy::pack(rows_, neighbours_[n].sent, field, buffer);
    }
  }
  void send(std::size_t n) {
    MPI_Isend(out_[n].data(),
              static_cast<int>(out_[n].size()),
              MPI_DOUBLE,
              neighbours_[n].rank,
              neighbours_[n].send_tag,
              where_.comm,
              &sends_[n]);
  }
  void wait_for_receives() {
    MPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE);
  }
  void wait_for_sends() {
    MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE);
  }
  void unpack() {
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      const double* buffer = in_[n].data();
      for (double* const field : all_.data) {
        buffer = Copy::unpack(rows_, neighbours_[n].received, field, buffer);
      }
    }
  }

  void start() {
    receive();
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      pack(n);
      send(n);
    }
  }
  void finish() {
    wait_for_receives();
    unpack();
    wait_for_sends();
  }
  void progress() {
    for (std::vector<MPI_Request>* const all : {&receives_, &sends_}) {
      int are_complete = 0;
      MPI_Testall(static_cast<int>(all->size()), all->data(), &are_complete, MPI_STATUSES_IGNORE);
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return neighbours_.size(); }

 private:
  rows rows_;
  place where_;
  const fields& all_;
  std::vector<neighbour> neighbours_;
  std::vector<std::vector<double>> out_;
  std::vector<std::vector<double>> in_;
  std::vector<MPI_Request> sends_;
  std::vector<MPI_Request> receives_;
};

/// A message to each of 26 directions.
template <class Copy>
class to_all final : public contestant {
 public:
  to_all(const problem& what, const place& where, const fields& all)
      : all_(all), messages_(what, where, all_, neighbours_of(what, where)) {}

  [[nodiscard]] const fields& cells() const override { return all_; }
  void start() override { messages_.start(); }
  void finish() override { messages_.finish(); }
  void progress() override { messages_.progress(); }
  [[nodiscard]] bool has_progress() const override { return true; }

  [[nodiscard]] bool has_steps() const override { return true; }
  void pack() override {
    for (std::size_t n = 0; n < messages_.size(); ++n) {
      messages_.pack(n);
    }
  }
  void transfer() override {
    messages_.receive();
    for (std::size_t n = 0; n < messages_.size(); ++n) {
      messages_.send(n);
    }
    messages_.wait_for_receives();
    messages_.wait_for_sends();
  }
  void unpack() override { messages_.unpack(); }

 private:
  const fields& all_;
  messages<Copy> messages_;
};

/// Two messages per dimension, one dimension after the other. Each includes the halos received in
/// the previous dimensions, so edges and corners need no messages of their own.
class in_rounds final : public contestant {
 public:
  in_rounds(const problem& what, const place& where, const fields& all) : all_(all) {
    for (std::size_t dim = 0; dim < 3; ++dim) {
      rounds_.push_back(
          std::make_unique<messages<by_rows>>(what, where, all_, sides(what, where, dim)));
    }
  }

  [[nodiscard]] const fields& cells() const override { return all_; }
  void start() override { rounds_.front()->start(); }
  void finish() override {
    rounds_[0]->finish();
    rounds_[1]->start();
    rounds_[1]->finish();
    rounds_[2]->start();
    rounds_[2]->finish();
  }
  void progress() override { rounds_.front()->progress(); }
  [[nodiscard]] bool has_progress() const override { return true; }

 private:
  static std::vector<neighbour> sides(const problem& what, const place& where, std::size_t dim) {
    const std::vector<neighbour> all = neighbours_of(what, where);
    std::vector<neighbour> found;
    const auto is_side = [](const neighbour& each, std::size_t along) {
      std::array<int, 3> only{};
      only[along] = each.towards[along];
      return each.towards == only;
    };
    for (neighbour each : all) {
      if (!is_side(each, dim)) {
        continue;
      }
      // Halos of previous dimensions are included only where a neighbour has filled them.
      for (const neighbour& other : all) {
        for (std::size_t d = 0; d < dim; ++d) {
          if (is_side(other, d)) {
            widen(what, each.sent, d, other.towards[d]);
            widen(what, each.received, d, other.towards[d]);
          }
        }
      }
      found.push_back(each);
    }
    return found;
  }
  static void widen(const problem& what, box& cells, std::size_t dim, int side) {
    cells.count[dim] += what.width;
    if (side < 0) {
      cells.first[dim] -= what.width;
    }
  }

  const fields& all_;
  std::vector<std::unique_ptr<messages<by_rows>>> rounds_;
};

template <class Contestant>
std::unique_ptr<contestant> made(const problem& what, const place& where, const own_fields& on) {
  return std::make_unique<Contestant>(what, where, on.all());
}

constexpr std::array entries{
    entry{.name = "by_hand_rows", .make = made<to_all<by_rows>>},
    entry{.name = "by_hand_cells", .make = made<to_all<by_cells>>},
    entry{.name = "by_hand_rounds", .make = made<in_rounds>},
};

}  // namespace

std::span<const entry> by_hand() { return entries; }

std::unique_ptr<contestant> rows_by_hand(const problem& what,
                                         const place& where,
                                         const fields& all) {
  return std::make_unique<to_all<by_rows>>(what, where, all);
}

}  // namespace weft::lab::halo_bench
