// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers that land in memory of the receiver, to which senders write: what carriers by puts and by
// stores share.
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

/// From a `landing_head` to the bytes that it is for: two cache lines.
inline constexpr std::ptrdiff_t landing_head_bytes = 128;

/// Before the bytes that land. Only stores use the first two.
struct landing_head {
  std::uint64_t sent = 0;   // by the sender, how many exchanges are here
  std::uint64_t taken = 0;  // by the receiver, how many it has read
  std::int64_t bytes = 0;
};

/// Where in its owner's memory what travels in one direction lands; -1: it is not received.
struct landing {
  std::int64_t offset = -1;
  std::int64_t capacity = 0;
};

/// Of one of the places of a landing, its head included.
[[nodiscard]] std::ptrdiff_t slot_bytes(std::int64_t capacity);

/// The bytes of `what`: where they lie, or packed by MPI into `room`.
[[nodiscard]] const std::byte* bytes_in(const grid& processes,
                                        const channel& what,
                                        std::vector<std::byte>& room);
/// The other way: puts into the buffer of `what` what has landed.
void take(const grid& processes, const channel& what, const std::byte* landed);

/// Who receives what where.
class landing_carrier : public channel_carrier {
 public:
  /// `num_slots` places for each received buffer, one after the other.
  landing_carrier(std::shared_ptr<grid> with, stall_watch watch, std::ptrdiff_t num_slots);
  landing_carrier(const landing_carrier&) = delete;
  landing_carrier& operator=(const landing_carrier&) = delete;
  ~landing_carrier() override;

 protected:
  /// Collective before the first exchange; later it checks that all still fits, and keeps the
  /// error if not: what does not fit is not taken.
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
  /// Where the neighbour wants it; null: it registered nothing there, which `keep` notes.
  [[nodiscard]] const landing* their_landing(const channel& what);
  /// Errors wait until the exchange is over everywhere: the first of them counts.
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
