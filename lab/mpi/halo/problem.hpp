// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields that all contestants exchange, a check of every cell, and what a contestant is.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

namespace weft::lab::halo_bench {

using cells_3d = std::array<std::ptrdiff_t, 3>;

/// One case: as many cells on every rank, as wide a halo on all sides.
struct problem {
  cells_3d size{64, 64, 64};  // inner cells per rank
  std::ptrdiff_t width = 3;   // cells
  int num_fields = 3;
  std::array<int, 3> dims{0, 0, 0};  // processes
  bool is_periodic = true;

  /// Cells along a dimension of a field without padding.
  [[nodiscard]] std::ptrdiff_t length(std::size_t dim) const noexcept {
    return size[dim] + 2 * width;
  }
};

/// Fields of doubles in C order; rows may be longer than `length(2)`.
struct fields {
  std::vector<double*> data;
  std::ptrdiff_t row_length = 0;
};

/// One way to exchange.
class contestant {
 public:
  contestant() = default;
  contestant(const contestant&) = delete;
  contestant& operator=(const contestant&) = delete;
  virtual ~contestant() = default;

  [[nodiscard]] virtual const fields& cells() const = 0;
  /// The first part of an exchange; a program computes until it calls the second.
  virtual void start() = 0;
  virtual void finish() = 0;
  /// Between the two: lets messages move on, where there is a call for that.
  virtual void progress() {}
  [[nodiscard]] virtual bool has_progress() const { return false; }
  virtual void exchange() {
    start();
    finish();
  }
  /// What goes where and by which path; empty: it does not say.
  [[nodiscard]] virtual std::string report() const { return {}; }
  /// Whether an exchange can also be done in the three steps that Bianco's figures show.
  [[nodiscard]] virtual bool has_steps() const { return false; }
  virtual void pack() {}
  virtual void transfer() {}
  virtual void unpack() {}
};

/// Where a rank stands. The communicator is Cartesian.
struct place {
  MPI_Comm comm = MPI_COMM_NULL;
  std::array<int, 3> dims{};
  std::array<int, 3> coords{};
  int rank = 0;
};

/// Gives inner cells their numbers, all others a mark.
void fill(const problem& what, const place& where, const fields& all);
/// Empty: right; else the first cell that is not.
[[nodiscard]] std::string mismatch(const problem& what, const place& where, const fields& all);

/// Fields in ordinary memory, for all contestants that use such.
class own_fields {
 public:
  explicit own_fields(const problem& what);
  [[nodiscard]] const fields& all() const noexcept { return all_; }

 private:
  std::vector<std::vector<double>> memory_;
  fields all_;
};

/// A contestant that can be made. `make` is collective.
struct entry {
  std::string_view name;
  std::unique_ptr<contestant> (*make)(const problem&, const place&, const own_fields&);
  bool must_be_named = false;  // by --only: it has fields of its own beside those of all others
};

/// Written by hand, as one would without a library: 26 messages, or six in three rounds.
[[nodiscard]] std::span<const entry> by_hand();
/// Of those the one that copies rows, on fields that outlive it.
[[nodiscard]] std::unique_ptr<contestant> rows_by_hand(const problem& what,
                                                       const place& where,
                                                       const fields& all);
/// MPI's own means: a datatype per direction, and the same in one neighbourhood collective.
[[nodiscard]] std::span<const entry> by_datatypes();
/// weft's exchanges.
[[nodiscard]] std::span<const entry> by_weft();
/// The same cells by its subdomains and blocks.
[[nodiscard]] std::span<const entry> by_weft_parts();
/// Those between GPUs; none where there is no GPU.
[[nodiscard]] std::span<const entry> by_cuda();
/// Other libraries, as far as CMake found them; `end_petsc` ends what PETSc began.
[[nodiscard]] std::span<const entry> by_gcl();
[[nodiscard]] std::span<const entry> by_ghex();
[[nodiscard]] std::span<const entry> by_petsc();
void end_petsc();

}  // namespace weft::lab::halo_bench
