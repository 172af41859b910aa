// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cells of problem intersim, their links, and the rules by which pairs are rewritten.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft::lab::inncabs::intersim {

using cell_id = std::uint32_t;

/// A list of at most `capacity` elements, without heap memory.
template <class T, std::size_t capacity>
class short_list {
 public:
  void add(T each) { items_[size_++] = each; }
  void add_if_new(T each) {
    if (std::find(begin(), end(), each) == end()) {
      add(each);
    }
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const T* begin() const noexcept { return items_.data(); }
  [[nodiscard]] const T* end() const noexcept { return items_.data() + size_; }
  T operator[](std::size_t i) const { return items_[i]; }
  bool operator==(const short_list& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  std::array<T, capacity> items_{};
  std::size_t size_ = 0;
};

/// Two cells linked by their principal ports: an operation and its number.
struct active_pair {
  cell_id operation;
  cell_id number;
  bool operator==(const active_pair&) const = default;
};

/// In order of creation: pairs that pass a number to another operation come before the pair that
/// continues the same operation.
using active_pairs = short_list<active_pair, 3>;

/// The cells that an interaction reads and writes, all different.
using neighbourhood = short_list<cell_id, 5>;

/// An interaction net for one product.
///
/// The replacement of a pair reuses its two cells. So a cell's kind and links change, but its
/// number stays valid as long as the net exists.
/// Threads: `around(pair)` while the pair's two cells are locked, `interact(pair)` while all cells
///          `around` it are. A pair is passed to `interact` once; until then its two cells stay
///          linked to each other, even if their neighbours change.
class net {
 public:
  explicit net(std::uint32_t factor);

  [[nodiscard]] std::size_t num_cells() const noexcept { return cells_.size(); }
  [[nodiscard]] active_pair first_pair() const noexcept { return first_pair_; }

  [[nodiscard]] neighbourhood around(active_pair pair) const;

  /// Rewrites the pair; returns the pairs that became active.
  active_pairs interact(active_pair pair);

  /// Returns the net's number, if it is one; call it when no pair is left.
  [[nodiscard]] std::optional<std::uint64_t> value() const;

 private:
  enum class cell_kind : std::uint8_t { zero, successor, add, multiply, copy, erase, output };

  /// One end of a link. Slot 0 is the principal port.
  struct port {
    cell_id cell;
    std::uint32_t slot;
  };

  // Slot 1 of a successor is its predecessor; slots 1 and 2 of a sum or product the other operand
  // and the result; of a copy the two copies; slot 1 of the output the number.
  struct cell {
    cell_kind kind;
    std::array<port, 3> links;
  };

  [[nodiscard]] std::size_t num_auxiliary(cell_id of) const;
  [[nodiscard]] port link(cell_id from, std::uint32_t slot) const {
    return cells_[from].links[slot];
  }
  cell_id make_cell(cell_kind kind);
  cell_id make_number(std::uint32_t value);
  void connect(port one, port other, active_pairs& made);

  void add(active_pair pair, active_pairs& made);
  void multiply(active_pair pair, active_pairs& made);
  void copy(active_pair pair, active_pairs& made);
  void erase(active_pair pair, active_pairs& made);

  std::vector<cell> cells_;
  std::atomic<cell_id> num_used_ = 0;
  cell_id output_ = 0;
  active_pair first_pair_{};
};

}  // namespace weft::lab::inncabs::intersim
