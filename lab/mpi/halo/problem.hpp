// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fields that all contestants exchange, and a check of every cell.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mpi.h>

namespace weft::lab::halo_bench {

/// One case: the same number of cells per rank in all dimensions, as wide a halo on all sides.
struct problem {
  std::ptrdiff_t size = 64;  // cells per rank and dimension
  std::ptrdiff_t width = 3;  // cells
  int num_fields = 3;
  std::array<int, 3> dims{0, 0, 0};  // processes
  bool is_periodic = true;

  /// Cells per dimension of a field without padding.
  [[nodiscard]] std::ptrdiff_t length() const noexcept { return size + 2 * width; }
};

/// Fields of doubles in C order; rows may be longer than `length()`.
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

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual const fields& cells() const = 0;
  virtual void exchange() = 0;
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

/// Written by hand, as one would without a library: 26 messages, rows copied with memcpy.
[[nodiscard]] std::unique_ptr<contestant> make_row_copies(const problem& what,
                                                          const place& where,
                                                          const own_fields& on);
/// The same, cell by cell.
[[nodiscard]] std::unique_ptr<contestant> make_cell_copies(const problem& what,
                                                           const place& where,
                                                           const own_fields& on);
/// One MPI datatype per direction for all fields.
[[nodiscard]] std::unique_ptr<contestant> make_datatypes(const problem& what,
                                                         const place& where,
                                                         const own_fields& on);
/// All ways of weft. Collective.
[[nodiscard]] std::vector<std::unique_ptr<contestant>> make_weft(const problem& what,
                                                                 const place& where,
                                                                 const own_fields& on);

}  // namespace weft::lab::halo_bench
