// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules of problem intersim: the replacement of each kind of active pair.
#include "lab/inncabs/intersim/net.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace weft::lab::inncabs::intersim {
namespace {

/// Two numbers, the product and the output; a copy for each successor of one factor; and a
/// successor for each meeting of such a copy with a successor of the other factor.
std::size_t num_cells_for(std::size_t factor) {
  return 2 * (factor + 1) + 2 + factor + factor * factor;
}

}  // namespace

net::net(std::uint32_t factor) : cells_(num_cells_for(factor)) {
  output_ = make_cell(cell_kind::output);
  const cell_id product = make_cell(cell_kind::multiply);
  const cell_id number = make_number(factor);
  const cell_id other = make_number(factor);
  active_pairs made;
  connect({product, 2}, {output_, 1}, made);
  connect({product, 1}, {other, 0}, made);
  connect({product, 0}, {number, 0}, made);
  first_pair_ = made[0];
}

cell_id net::make_number(std::uint32_t value) {
  active_pairs none;
  cell_id number = make_cell(cell_kind::zero);
  for (std::uint32_t i = 0; i < value; ++i) {
    const cell_id next = make_cell(cell_kind::successor);
    connect({next, 1}, {number, 0}, none);
    number = next;
  }
  return number;
}

cell_id net::make_cell(cell_kind kind) {
  // relaxed: others find the cell through a link that they read under the mutex of one of its
  // neighbours.
  const cell_id made = num_used_.fetch_add(1, std::memory_order_relaxed);
  cells_[made].kind = kind;
  return made;
}

void net::connect(port one, port other, active_pairs& made) {
  cells_[one.cell].links[one.slot] = other;
  cells_[other.cell].links[other.slot] = one;
  if (one.slot == 0 && other.slot == 0) {
    // A link connects a number with its user, so one of the two is an operation.
    const cell_kind kind = cells_[one.cell].kind;
    const bool is_number = kind == cell_kind::zero || kind == cell_kind::successor;
    made.add(is_number ? active_pair{other.cell, one.cell} : active_pair{one.cell, other.cell});
  }
}

std::size_t net::num_auxiliary(cell_id of) const {
  switch (cells_[of].kind) {
    case cell_kind::zero:
    case cell_kind::erase:
      return 0;
    case cell_kind::successor:
    case cell_kind::output:
      return 1;
    case cell_kind::add:
    case cell_kind::multiply:
    case cell_kind::copy:
      break;
  }
  return 2;
}

neighbourhood net::around(active_pair pair) const {
  neighbourhood found;
  found.add(pair.operation);
  found.add(pair.number);
  for (const cell_id each : {pair.operation, pair.number}) {
    for (std::uint32_t slot = 1; slot <= num_auxiliary(each); ++slot) {
      found.add_if_new(link(each, slot).cell);
    }
  }
  return found;
}

active_pairs net::interact(active_pair pair) {
  active_pairs made;
  switch (cells_[pair.operation].kind) {
    case cell_kind::add:
      add(pair, made);
      break;
    case cell_kind::multiply:
      multiply(pair, made);
      break;
    case cell_kind::copy:
      copy(pair, made);
      break;
    case cell_kind::erase:
      erase(pair, made);
      break;
    case cell_kind::zero:
    case cell_kind::successor:
    case cell_kind::output:
      break;  // not operations: no pair has them as one
  }
  return made;
}

// 0 + y = y; (x + 1) + y = (x + y) + 1.
void net::add(active_pair pair, active_pairs& made) {
  const auto [sum, number] = pair;
  const port result = link(sum, 2);
  if (cells_[number].kind == cell_kind::zero) {
    connect(link(sum, 1), result, made);
    return;
  }
  const port predecessor = link(number, 1);
  connect({number, 0}, result, made);
  connect({number, 1}, {sum, 2}, made);
  connect({sum, 0}, predecessor, made);
}

// 0 * y = 0, and y is erased; (x + 1) * y = x * y + y, for which y is copied.
void net::multiply(active_pair pair, active_pairs& made) {
  const auto [product, number] = pair;
  const port other = link(product, 1);
  const port result = link(product, 2);
  if (cells_[number].kind == cell_kind::zero) {
    cells_[product].kind = cell_kind::erase;
    connect({number, 0}, result, made);
    connect({product, 0}, other, made);
    return;
  }
  const port predecessor = link(number, 1);
  const cell_id sum = number;
  cells_[sum].kind = cell_kind::add;
  const cell_id copies = make_cell(cell_kind::copy);
  connect({sum, 2}, result, made);
  connect({sum, 1}, {copies, 2}, made);
  connect({sum, 0}, {product, 2}, made);
  connect({product, 1}, {copies, 1}, made);
  connect({copies, 0}, other, made);
  connect({product, 0}, predecessor, made);
}

// Both copies of 0 are 0; both copies of x + 1 are successors of copies of x.
void net::copy(active_pair pair, active_pairs& made) {
  const auto [copies, number] = pair;
  const port one = link(copies, 1);
  const port other = link(copies, 2);
  if (cells_[number].kind == cell_kind::zero) {
    cells_[copies].kind = cell_kind::zero;
    connect({number, 0}, one, made);
    connect({copies, 0}, other, made);
    return;
  }
  const port predecessor = link(number, 1);
  const cell_id second = make_cell(cell_kind::successor);
  connect({number, 1}, {copies, 1}, made);
  connect({second, 1}, {copies, 2}, made);
  connect({number, 0}, one, made);
  connect({second, 0}, other, made);
  connect({copies, 0}, predecessor, made);
}

void net::erase(active_pair pair, active_pairs& made) {
  const auto [eraser, number] = pair;
  if (cells_[number].kind == cell_kind::successor) {
    connect({eraser, 0}, link(number, 1), made);
  }
}

std::optional<std::uint64_t> net::value() const {
  std::uint64_t found = 0;
  port at = link(output_, 1);
  while (at.slot == 0 && cells_[at.cell].kind == cell_kind::successor) {
    if (++found > cells_.size()) {
      return std::nullopt;  // a circle
    }
    at = link(at.cell, 1);
  }
  if (at.slot != 0 || cells_[at.cell].kind != cell_kind::zero) {
    return std::nullopt;
  }
  return found;
}

}  // namespace weft::lab::inncabs::intersim
