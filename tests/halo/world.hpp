// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An oracle for exchanges: fields whose cells know which cell of the world they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "weft/halo.hpp"

namespace weft::halo::test {

/// splitmix64.
inline std::uint64_t mixed(std::uint64_t state) {
  state += 0x9e3779b97f4a7c15U;
  state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31U);
}

/// Reproducible random numbers, the same on all ranks.
class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(seed) {}
  /// 0 .. sides-1
  std::ptrdiff_t roll(std::ptrdiff_t sides) {
    state_ = mixed(state_);
    return static_cast<std::ptrdiff_t>(state_ % static_cast<std::uint64_t>(sides));
  }
  bool flip() { return roll(2) == 1; }

 private:
  std::uint64_t state_;
};

/// The part of a world that one rank owns, worked out from the arrangement alone, without asking
/// the library who is whose neighbour.
template <std::size_t num_dims>
struct world {
  std::array<int, num_dims> processes{};  // along each dimension of the data
  std::array<int, num_dims> position{};   // of this rank
  std::array<bool, num_dims> periodic{};
  std::array<std::ptrdiff_t, num_dims> cells_per_process{};  // the first has one more
  directions which = directions::all;

  [[nodiscard]] std::ptrdiff_t inner(std::size_t d) const {
    return cells_per_process[d] + (position[d] == 0 ? 1 : 0);
  }
  [[nodiscard]] std::ptrdiff_t first(std::size_t d) const {
    return position[d] * cells_per_process[d] + (position[d] > 0 ? 1 : 0);
  }
  [[nodiscard]] std::ptrdiff_t length(std::size_t d) const {
    return processes[d] * cells_per_process[d] + 1;
  }
};

template <class Value>
Value value_of(std::uint64_t number) {
  if constexpr (std::is_arithmetic_v<Value>) {
    return static_cast<Value>(number % (sizeof(Value) == 1 ? 251U : 30000U) + 1);
  } else {
    Value made{};
    std::memcpy(&made, &number, sizeof(Value) < sizeof(number) ? sizeof(Value) : sizeof(number));
    return made;
  }
}

/// Bytes, not values: an exchange moves those, NaNs and padding included.
template <class Value>
bool has_same_bytes(const Value& one, const Value& other) {
  return std::memcmp(
             static_cast<const void*>(&one), static_cast<const void*>(&other), sizeof(Value)) == 0;
}

/// A field of a world: what it holds before an exchange, and what it has to hold afterwards. What
/// each cell is, is worked out once.
template <class Value, std::size_t num_dims>
class known_field {
 public:
  using index = std::array<std::ptrdiff_t, num_dims>;

  known_field(const world<num_dims>& around, const field_view<Value, num_dims>& cells, int number)
      : around_(around), cells_(cells), number_(number) {
    for_all([&](const index& at, Value& cell) {
      const where found = place_of(at);
      known_.push_back({.hash = hash_of(found.global),
                        .cell = &cell,
                        .side = number_of_side(found.beyond),
                        .num_beyond = found.num_beyond,
                        .has_owner = found.has_owner});
    });
  }

  /// From now on halos are filled in these directions.
  void expect(directions which) { around_.which = which; }
  /// Inner cells get their numbers, all others a mark.
  void fill(int round) {
    round_ = round;
    for (const known_cell& each : known_) {
      *each.cell = each.num_beyond == 0 ? number_of(each) : mark_;
    }
  }
  enum class kind : std::uint8_t { inner, filled, other };
  /// Calls `body(kind, global, cell)` for each cell. `global`: the same for its owner's cell and
  /// all copies of that, and for no other one.
  template <class Body>
  void for_kinds(const Body& body) const {
    for (const known_cell& each : known_) {
      body(each.num_beyond == 0 ? kind::inner
           : is_filled(each)    ? kind::filled
                                : kind::other,
           each.hash,
           *each.cell);
    }
  }
  /// Empty: every cell is as it has to be; else the first that is not.
  [[nodiscard]] std::string mismatch() const {
    return mismatch_of([](const known_cell&) { return true; });
  }
  /// The same of the halo cells in one direction.
  [[nodiscard]] std::string mismatch_towards(const std::array<int, num_dims>& side) const {
    return mismatch_of(
        [number = number_of_side(side)](const known_cell& each) { return each.side == number; });
  }

 private:
  struct where {
    bool has_owner = true;  // beyond the inner region: a halo cell, of a rank that there is
    index global{};
    std::array<int, num_dims> beyond{};  // on which side of the inner region
    int num_beyond = 0;                  // dimensions in which it lies outside of that
  };
  struct known_cell {
    std::uint64_t hash;
    Value* cell;
    int side;
    int num_beyond;
    bool has_owner;
  };

  /// Another one for each.
  [[nodiscard]] static int number_of_side(const std::array<int, num_dims>& side) {
    int number = 0;
    for (const int each : side) {
      number = 3 * number + each + 1;
    }
    return number;
  }

  template <class Wanted>
  [[nodiscard]] std::string mismatch_of(const Wanted& is_wanted) const {
    for (std::size_t n = 0; n < known_.size(); ++n) {
      const known_cell& each = known_[n];
      if (!is_wanted(each)) {
        continue;
      }
      const bool is_known = each.num_beyond == 0 || is_filled(each);
      if (!has_same_bytes(*each.cell, is_known ? number_of(each) : mark_)) {
        return "field " + std::to_string(number_) + ", round " + std::to_string(round_) +
               ", cell (" + index_text(n) + ") is wrong; it " +
               (is_filled(each) ? "is a halo cell" : "had to stay as it was") +
               (has_same_bytes(*each.cell, mark_) ? ", and untouched" : "");
      }
    }
    return {};
  }

  [[nodiscard]] where place_of(const index& at) const {
    where found;
    for (std::size_t d = 0; d < num_dims; ++d) {
      const axis& along = cells_.box[d];
      const std::ptrdiff_t from_begin = at[d] - along.begin;
      const bool is_beyond = from_begin < 0 || from_begin >= around_.inner(d);
      const bool is_halo =
          is_beyond && from_begin >= -along.minus && from_begin < around_.inner(d) + along.plus;
      std::ptrdiff_t global = around_.first(d) + from_begin;
      const bool is_outside = global < 0 || global >= around_.length(d);
      if (is_beyond) {
        ++found.num_beyond;
        found.beyond[d] = from_begin < 0 ? -1 : 1;
        found.has_owner = found.has_owner && is_halo && (!is_outside || around_.periodic[d]);
      }
      global = (global % around_.length(d) + around_.length(d)) % around_.length(d);
      found.global[d] = global;
    }
    return found;
  }
  [[nodiscard]] bool is_filled(const known_cell& what) const {
    const int most = around_.which == directions::faces         ? 1
                     : around_.which == directions::faces_edges ? 2
                                                                : static_cast<int>(num_dims);
    return what.num_beyond > 0 && what.has_owner && what.num_beyond <= most;
  }
  [[nodiscard]] std::uint64_t hash_of(const index& global) const {
    std::uint64_t hash = mixed(static_cast<std::uint64_t>(number_));
    for (const std::ptrdiff_t each : global) {
      hash = mixed(hash ^ static_cast<std::uint64_t>(each));
    }
    return hash;
  }
  [[nodiscard]] Value number_of(const known_cell& what) const {
    return value_of<Value>(mixed(what.hash + static_cast<std::uint64_t>(round_)));
  }
  /// Of the n-th cell: the last dimension is the fastest.
  [[nodiscard]] std::string index_text(std::size_t n) const {
    auto rest = static_cast<std::ptrdiff_t>(n);
    std::string text;
    for (std::size_t d = num_dims; d-- > 0;) {
      text.insert(0, std::to_string(rest % cells_.box[d].length) + " ");
      rest /= cells_.box[d].length;
    }
    return text;
  }
  template <class Body>
  void for_all(const Body& body) const {
    index at{};
    visit(0, at, body);
  }
  template <class Body>
  void visit(std::size_t d, index& at, const Body& body) const {
    if (d == num_dims) {
      std::ptrdiff_t offset = 0;
      for (std::size_t n = 0; n < num_dims; ++n) {
        offset += at[n] * cells_.strides[n];
      }
      body(at, cells_.data[offset]);
      return;
    }
    for (at[d] = 0; at[d] < cells_.box[d].length; ++at[d]) {
      visit(d + 1, at, body);
    }
  }

  world<num_dims> around_;
  field_view<Value, num_dims> cells_;
  int number_;
  int round_ = 0;
  std::vector<known_cell> known_;
  Value mark_ = value_of<Value>(static_cast<std::uint64_t>(0));
};

}  // namespace weft::halo::test
