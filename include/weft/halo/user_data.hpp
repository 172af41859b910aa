// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchange of whatever a program keeps near its boundaries: particles, trees, unstructured cells.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>
#include <span>

#include "weft/halo/cart.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/options.hpp"

namespace weft::halo {

/// Data of the program's own making that knows what its neighbours need of it.
///
/// `size(towards)` returns the number of bytes that `gather` then writes; `towards` is one of -1,
/// 0, 1 per dimension of the data. `scatter(from, bytes)` takes the data of the neighbour at
/// `from`; seen from there, this rank lies in the opposite direction.
template <class Data, std::size_t num_dims>
concept halo_data = requires(Data& data,
                             const Data& constant,
                             const std::array<int, num_dims>& towards,
                             std::span<std::byte> into,
                             std::span<const std::byte> from) {
  { constant.size(towards) } -> std::convertible_to<std::size_t>;
  constant.gather(towards, into);
  data.scatter(towards, from);
};

namespace detail {

/// One object, its type forgotten.
struct erased_data {
  void* object;
  std::size_t (*size)(const void*, const direction&);
  void (*gather)(const void*, const direction&, std::span<std::byte>);
  void (*scatter)(void*, const direction&, std::span<const std::byte>);
};

template <std::size_t num_dims>
std::array<int, num_dims> shortened(const direction& towards) {
  return narrowed<num_dims>(towards);
}

template <std::size_t num_dims, class Data>
erased_data erase_data(Data& data) {
  return {.object = &data,
          .size = [](const void* object, const direction& towards) -> std::size_t {
            return static_cast<const Data*>(object)->size(shortened<num_dims>(towards));
          },
          .gather =
              [](const void* object, const direction& towards, std::span<std::byte> into) {
                static_cast<const Data*>(object)->gather(shortened<num_dims>(towards), into);
              },
          .scatter =
              [](void* object, const direction& from, std::span<const std::byte> bytes) {
                static_cast<Data*>(object)->scatter(shortened<num_dims>(from), bytes);
              }};
}

class data_set {
 public:
  data_set(std::shared_ptr<grid> processes,
           directions which,
           std::optional<std::chrono::milliseconds> patience,
           const std::source_location& where);
  ~data_set();
  data_set(const data_set&) = delete;
  data_set& operator=(const data_set&) = delete;

  void start(std::span<const erased_data> objects);
  void wait(std::span<const erased_data> objects);

 private:
  class state;
  std::source_location where_;  // of whoever made it: errors name it
  std::unique_ptr<state> state_;
};

}  // namespace detail

/// Moves what objects of any kind have for their neighbours; sizes may differ each time.
///
/// All calls of `gather` come before this rank sends, and all calls of `scatter` after everything
/// has arrived. Each call is for one object and one direction, in the same order each time. Objects
/// may grow in `scatter`.
/// Cost:    one message per neighbouring rank, however many objects and directions; its length
///          travels with it. Buffers are kept.
/// Threads: construction is collective; exchanges need the neighbours, in one order on all ranks.
/// Errors:  `halo::error` (`ranks_disagree`) if a neighbour passed another number of objects.
///          Exceptions of `size` and `gather` are thrown before anything is sent, those of
///          `scatter` when everything has arrived.
/// Source:  Bianco, "An interface for halo exchange pattern", section 1: the planned layer L1.
/// Example: tests/halo/user_data_test.cpp: particles_move_to_their_new_owners.
template <std::size_t num_dims>
class data_exchange {
 public:
  /// `patience`: as `exchange_options::patience`.
  explicit data_exchange(const cart<num_dims>& grid,
                         directions which = directions::all,
                         std::optional<std::chrono::milliseconds> patience = default_patience,
                         std::source_location where = std::source_location::current())
      : set_(std::make_unique<detail::data_set>(grid.shared_grid(), which, patience, where)) {}

  template <halo_data<num_dims>... Data>
    requires(sizeof...(Data) > 0)
  void operator()(Data&... objects) {
    start(objects...);
    wait(objects...);
  }
  /// Gathers and sends; the objects may change as soon as it returns.
  template <halo_data<num_dims>... Data>
    requires(sizeof...(Data) > 0)
  void start(const Data&... objects) {
    // `gather` is called on constant objects; `wait` is what scatters.
    set_->start(std::array{detail::erase_data<num_dims>(const_cast<Data&>(objects))...});
  }
  /// Waits for all neighbours, then scatters into these objects.
  template <halo_data<num_dims>... Data>
    requires(sizeof...(Data) > 0)
  void wait(Data&... objects) {
    set_->wait(std::array{detail::erase_data<num_dims>(objects)...});
  }

 private:
  std::unique_ptr<detail::data_set> set_;
};

}  // namespace weft::halo
