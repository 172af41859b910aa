// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interface that carries bytes from rank to rank: MPI, or a mailbox in tests.
#pragma once

#include <cstddef>

#include <mpi.h>

namespace weft::halo::detail {

/// Bytes in flight. They must stay in place until `is_done`.
struct parcel {
  MPI_Request request = MPI_REQUEST_NULL;
  std::size_t number = 0;  // used by other carriers
};

/// The other rank, and the tag that separates several exchanges with it.
struct partner {
  int rank = -1;
  int tag = 0;
};

/// Parcels between two partners arrive in the order in which they were sent.
class carrier {
 public:
  carrier() = default;
  carrier(const carrier&) = delete;
  carrier& operator=(const carrier&) = delete;
  virtual ~carrier() = default;

  /// At most `max_parcel_bytes`.
  virtual parcel send(const std::byte* from, std::ptrdiff_t bytes, const partner& to) = 0;
  virtual parcel receive(std::byte* into, std::ptrdiff_t bytes, const partner& from) = 0;
  /// Makes progress without waiting. Returns true from the end of the transfer on.
  [[nodiscard]] virtual bool is_done(parcel& what) = 0;
};

inline constexpr std::ptrdiff_t max_parcel_bytes = std::ptrdiff_t{1} << 30;

class mpi_carrier final : public carrier {
 public:
  explicit mpi_carrier(MPI_Comm comm) : comm_(comm) {}
  parcel send(const std::byte* from, std::ptrdiff_t bytes, const partner& to) override;
  parcel receive(std::byte* into, std::ptrdiff_t bytes, const partner& from) override;
  [[nodiscard]] bool is_done(parcel& what) override;

 private:
  MPI_Comm comm_;
};

}  // namespace weft::halo::detail
