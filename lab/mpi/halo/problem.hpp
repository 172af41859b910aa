// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields that all contestants exchange, a check of every cell, and the interface of a
// contestant.
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

/// One case: every rank has the same number of cells, with halos of the same width on all sides.
struct problem {
  cells_3d size{64, 64, 64};  // inner cells per rank
  std::ptrdiff_t width = 3;   // cells
  int num_fields = 3;
  std::array<int, 3> dims{0, 0, 0};  // processes
  bool is_periodic = true;

  /// Returns the cells along a dimension of a field without padding.
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
  /// The first half of an exchange; a program computes until it calls the second.
  virtual void start() = 0;
  virtual void finish() = 0;
  /// Called between the two: lets messages make progress, if the contestant has a call for that.
  virtual void progress() {}
  [[nodiscard]] virtual bool has_progress() const { return false; }
  virtual void exchange() {
    start();
    finish();
  }
  /// Describes the messages and their paths; empty: not available.
  [[nodiscard]] virtual std::string report() const { return {}; }
  /// Whether an exchange can also be done in the three steps of Bianco's figures.
  [[nodiscard]] virtual bool has_steps() const { return false; }
  virtual void pack() {}
  virtual void transfer() {}
  virtual void unpack() {}
};

/// The position of a rank. The communicator is Cartesian.
struct place {
  MPI_Comm comm = MPI_COMM_NULL;
  std::array<int, 3> dims{};
  std::array<int, 3> coords{};
  int rank = 0;
};

/// Gives inner cells their numbers, and all others a mark.
void fill(const problem& what, const place& where, const fields& all);
/// Returns the first wrong cell, or an empty text.
[[nodiscard]] std::string mismatch(const problem& what, const place& where, const fields& all);

/// Fields in ordinary memory, for all contestants that use ordinary memory.
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
  // by --only: it allocates fields of its own in addition to the common ones
  bool must_be_named = false;
};

/// Hand-written, without a library: 26 messages, or six in three rounds.
[[nodiscard]] std::span<const entry> by_hand();
/// The hand-written one that copies rows, on fields that outlive it.
[[nodiscard]] std::unique_ptr<contestant> rows_by_hand(const problem& what,
                                                       const place& where,
                                                       const fields& all);
/// MPI's own means: a datatype per direction, and the same in one neighbourhood collective.
[[nodiscard]] std::span<const entry> by_datatypes();
/// weft's exchanges.
[[nodiscard]] std::span<const entry> by_weft();
/// The same cells by weft's subdomains and blocks.
[[nodiscard]] std::span<const entry> by_weft_parts();
/// weft's exchanges between GPUs; none if a rank has no GPU.
[[nodiscard]] std::span<const entry> by_cuda();
/// Other libraries, if CMake found them; `end_petsc` finalises PETSc.
[[nodiscard]] std::span<const entry> by_gcl();
[[nodiscard]] std::span<const entry> by_ghex();
[[nodiscard]] std::span<const entry> by_petsc();
void end_petsc();

}  // namespace weft::lab::halo_bench
