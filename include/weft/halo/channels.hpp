// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers to and from neighbours: what exchanges of anything can be built on.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <utility>

#include <mpi.h>

#include "weft/halo/cart.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/options.hpp"

namespace weft::halo {

/// The means that carries buffers between ranks.
enum class carrier : std::uint8_t {
  messages,       // a persistent MPI message per buffer
  one_sided,      // MPI puts into a window of the receiver, two copies
  shared_memory,  // memory of the node, two copies; all neighbours must be on it
};

namespace detail {

/// The data sent to, or received from, one direction.
struct channel_buffer {
  void* data = nullptr;
  std::ptrdiff_t count = 0;
  MPI_Datatype type = MPI_BYTE;
};

class channel_set {
 public:
  channel_set(std::shared_ptr<grid> processes,
              carrier by,
              std::optional<std::chrono::milliseconds> patience,
              const std::source_location& where);
  ~channel_set();
  channel_set(const channel_set&) = delete;
  channel_set& operator=(const channel_set&) = delete;

  void set(bool is_send,
           const direction& towards,
           const channel_buffer& what,
           const std::source_location& where);
  void resize(bool is_send,
              const direction& towards,
              std::ptrdiff_t count,
              const std::source_location& where);
  void post_receives(const std::source_location& where);
  void do_sends(const std::source_location& where);
  void wait(const std::source_location& where);

 private:
  class state;
  std::unique_ptr<state> state_;
};

}  // namespace detail

/// One buffer to, and one from, each of the 3^N - 1 directions of a grid.
///
/// Buffers are registered once and travel with each exchange. Those of directions without neighbour
/// are ignored, so all ranks may register the same. The buffer that a rank registers for direction
/// `d` matches the one that its neighbour there registers for `-d`. Both must register, with the
/// same size. The rank itself may be its own neighbour, on one or on both sides. With
/// `carrier::messages` buffers may lie in the memory of a GPU, if MPI reads that.
/// Cost:    with `carrier::messages` persistent messages, made again for buffers that changed. The
///          other carriers need memory for each received buffer, as large as at the first exchange.
///          Later a buffer may shrink or move, but not grow, and no other direction may be added.
///          `one_sided` also sends an empty message to each neighbour.
/// Threads: as MPI: one thread at a time; neighbours exchange in the same order. With carriers
///          other than `messages` the first exchange and the end are collective over the grid.
/// Errors:  `halo::error`. `bad_field`: an invalid direction. `wrong_state`: calls in the wrong
///          order. `ranks_disagree`: a message whose size is not that of the receiver's buffer.
///          `unsupported`: more than 2^31 - 1 elements of a datatype, or GPU memory that cannot be
///          read here. `unsupported` from `wait`: a buffer that may not grow but did; neighbours
///          get their data first. `mpi_call`: an error of MPI.
/// Source:  Bianco, "An interface for halo exchange pattern", section 3: Halo_Exchange_3D and _DT.
/// Example: tests/halo/channels_test.cpp: every_buffer_arrives_on_a_torus.
template <std::size_t num_dims>
class channels {
 public:
  using coordinates = std::array<int, num_dims>;

  /// `patience`: as `exchange_options::patience`.
  explicit channels(const cart<num_dims>& grid,
                    carrier by = carrier::messages,
                    std::optional<std::chrono::milliseconds> patience = default_patience,
                    std::source_location where = std::source_location::current())
      : set_(std::make_unique<detail::channel_set>(grid.shared_grid(), by, patience, where)) {}

  /// Registers what is sent towards `towards`; an empty buffer is a message of no bytes.
  void send_to(const coordinates& towards,
               std::span<const std::byte> bytes,
               std::source_location where = std::source_location::current()) {
    // MPI's persistent sends take pointers to what they only read.
    void* const data = const_cast<std::byte*>(bytes.data());
    set_->set(true, widened(towards), {data, static_cast<std::ptrdiff_t>(bytes.size())}, where);
  }
  /// The same with `count` elements of `type`, which must stay committed.
  void send_to(const coordinates& towards,
               const void* data,
               std::ptrdiff_t count,
               MPI_Datatype type,
               std::source_location where = std::source_location::current()) {
    set_->set(true, widened(towards), {const_cast<void*>(data), count, type}, where);
  }
  template <int... towards, class... Buffer>
    requires(sizeof...(towards) > 0)
  void send_to(Buffer&&... buffer) {
    send_to(checked<towards...>(), std::forward<Buffer>(buffer)...);
  }

  /// Registers where to put what comes from `from`.
  void receive_from(const coordinates& from,
                    std::span<std::byte> bytes,
                    std::source_location where = std::source_location::current()) {
    set_->set(
        false, widened(from), {bytes.data(), static_cast<std::ptrdiff_t>(bytes.size())}, where);
  }
  void receive_from(const coordinates& from,
                    void* data,
                    std::ptrdiff_t count,
                    MPI_Datatype type,
                    std::source_location where = std::source_location::current()) {
    set_->set(false, widened(from), {data, count, type}, where);
  }
  template <int... from, class... Buffer>
    requires(sizeof...(from) > 0)
  void receive_from(Buffer&&... buffer) {
    receive_from(checked<from...>(), std::forward<Buffer>(buffer)...);
  }

  /// Sends, or receives, this many bytes or elements from now on; the buffer must have room.
  void resize_send(const coordinates& towards,
                   std::ptrdiff_t count,
                   std::source_location where = std::source_location::current()) {
    set_->resize(true, widened(towards), count, where);
  }
  void resize_receive(const coordinates& from,
                      std::ptrdiff_t count,
                      std::source_location where = std::source_location::current()) {
    set_->resize(false, widened(from), count, where);
  }

  /// All at once; or `start()`, then `wait()`; or the two halves of `start()` one by one.
  void exchange(std::source_location where = std::source_location::current()) {
    start(where);
    wait(where);
  }
  void start(std::source_location where = std::source_location::current()) {
    post_receives(where);
    do_sends(where);
  }
  void post_receives(std::source_location where = std::source_location::current()) {
    set_->post_receives(where);
  }
  void do_sends(std::source_location where = std::source_location::current()) {
    set_->do_sends(where);
  }
  /// Returns when all has arrived and all buffers may be used again.
  void wait(std::source_location where = std::source_location::current()) { set_->wait(where); }

 private:
  static detail::direction widened(const coordinates& towards) {
    return detail::widened(towards, 0);
  }
  template <int... towards>
  static coordinates checked() {
    static_assert(sizeof...(towards) == num_dims, "one number per dimension");
    static_assert(((towards >= -1 && towards <= 1) && ...), "each number is -1, 0 or 1");
    static_assert(((towards != 0) || ...), "a rank has no channel to where it is");
    return {towards...};
  }

  std::unique_ptr<detail::channel_set> set_;
};

}  // namespace weft::halo
