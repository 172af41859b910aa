// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers that land in memory of the receiver, to which senders write. The common part of carriers
// by puts and by stores.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/halo/detail/grid.hpp"
#include "weft/halo/error.hpp"

#include "halo/exchange/stall_watch.hpp"
#include "halo/plan/plan.hpp"
#include "halo/transport/channel_carriers.hpp"

namespace weft::halo::detail {

/// The distance from a `landing_head` to its bytes: two cache lines.
inline constexpr std::ptrdiff_t landing_head_bytes = 128;

/// Precedes the bytes that land. Only the carrier by stores uses the first two members.
struct landing_head {
  std::uint64_t sent = 0;   // written by the sender: how many exchanges have arrived
  std::uint64_t taken = 0;  // written by the receiver: how many exchanges it has read
  std::int64_t bytes = 0;
};

/// The place in the receiver's memory where the bytes of one direction land; -1: none is
/// registered.
struct landing {
  std::int64_t offset = -1;
  std::int64_t capacity = 0;
};

/// Returns the size of one slot of a landing, its head included.
[[nodiscard]] std::ptrdiff_t slot_bytes(std::int64_t capacity);

/// Returns the bytes of `what`: in its own memory, or packed by MPI into `room`.
[[nodiscard]] const std::byte* bytes_in(const grid& processes,
                                        const channel& what,
                                        std::vector<std::byte>& room);
/// The inverse: writes the bytes that landed into the buffer of `what`.
void take(const grid& processes, const channel& what, const std::byte* landed);

/// A carrier whose receivers announce the places of their buffers.
class landing_carrier : public channel_carrier {
 public:
  /// `num_slots`: slots for each received buffer, used in rotation.
  landing_carrier(std::shared_ptr<grid> with, stall_watch watch, std::ptrdiff_t num_slots);
  landing_carrier(const landing_carrier&) = delete;
  landing_carrier& operator=(const landing_carrier&) = delete;
  ~landing_carrier() override;

 protected:
  /// Collective before the first exchange. Later it checks that every buffer still fits, and
  /// otherwise keeps the error: buffers that do not fit are not read.
  void ensure_landings(const channel_side& receives);

  [[nodiscard]] virtual refusal trouble() const { return {}; }
  virtual void make_memory(std::ptrdiff_t bytes) = 0;

  [[nodiscard]] const landing& own_landing(const channel& what) const {
    return own_[travels(what, false)];
  }
  [[nodiscard]] bool has_landing(const channel& what) const {
    return own_landing(what).offset >= 0;
  }
  [[nodiscard]] bool has_room(const channel& what) const {
    return has_landing(what) && bytes_of(what) <= own_landing(what).capacity;
  }
  /// Returns the neighbour's landing for `what`. Null if it registered none; `keep` then keeps the
  /// error.
  [[nodiscard]] const landing* their_landing(const channel& what);
  /// Keeps the first error until the exchange has ended everywhere.
  template <class Body>
  void keep(const Body& body) {
    try {
      body();
    } catch (const error&) {
      first_error_ = first_error_ == nullptr ? std::current_exception() : first_error_;
    }
  }
  [[nodiscard]] std::exception_ptr& first_error() noexcept { return first_error_; }
  void throw_kept() {
    if (first_error_ != nullptr) {
      std::rethrow_exception(std::exchange(first_error_, nullptr));
    }
  }
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }

 private:
  using landings = std::array<landing, num_directions>;

  [[nodiscard]] std::ptrdiff_t lay_out(const channel_side& receives);
  void swap_landings();
  void check_room(const channel_side& receives) const;

  std::ptrdiff_t num_slots_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool is_ready_ = false;
  landings own_{};
  landings theirs_{};
  std::exception_ptr first_error_;
};

}  // namespace weft::halo::detail
