// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The net of problem intersim with a mutex per cell, for its concurrent forms.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "lab/inncabs/intersim/net.hpp"
#include "lab/inncabs/runtime_concepts.hpp"

namespace weft::lab::inncabs::intersim {

template <locking_runtime Runtime>
class guarded_net {
 public:
  explicit guarded_net(std::uint32_t factor) : net_(factor), mutexes_(net_.num_cells()) {}

  [[nodiscard]] active_pair first_pair() const noexcept { return net_.first_pair(); }
  [[nodiscard]] std::optional<std::uint64_t> value() const { return net_.value(); }

  /// Rewrites the pair; returns the pairs that became active.
  ///
  /// Reads the pair's neighbours, then locks them. If another task replaced a neighbour between
  /// these steps, it tries again.
  /// Threads: at any time for different pairs.
  active_pairs reduce(active_pair pair) {
    for (;;) {
      const neighbourhood seen = neighbours_of(pair);
      const locked all(mutexes_, seen);
      if (net_.around(pair) == seen) {
        return net_.interact(pair);
      }
    }
  }

 private:
  using mutexes = std::vector<typename Runtime::mutex>;

  /// Holds the mutexes of some cells.
  class locked {
   public:
    locked(mutexes& from, const auto& cells) : from_(from) {
      for (const cell_id each : cells) {
        cells_.add(each);
      }
      lock();
    }
    locked(const locked&) = delete;
    locked& operator=(const locked&) = delete;
    ~locked() {
      for (const cell_id each : cells_) {
        from_[each].unlock();
      }
    }

   private:
    void lock() {
      switch (cells_.size()) {
        case 2:
          return lock_first(std::make_index_sequence<2>());
        case 3:
          return lock_first(std::make_index_sequence<3>());
        case 4:
          return lock_first(std::make_index_sequence<4>());
        default:
          return lock_first(std::make_index_sequence<5>());
      }
    }

    template <std::size_t... i>
    void lock_first(std::index_sequence<i...> /*indices*/) {
      Runtime::lock(from_[cells_[i]]...);
    }

    mutexes& from_;
    neighbourhood cells_;
  };

  neighbourhood neighbours_of(active_pair pair) {
    const locked both(mutexes_, std::array{pair.operation, pair.number});
    return net_.around(pair);
  }

  net net_;
  mutexes mutexes_;
};

}  // namespace weft::lab::inncabs::intersim
