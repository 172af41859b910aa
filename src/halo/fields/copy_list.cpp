// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits copies into parts of equal bytes, one per thread; a part may begin within a box.
#include "halo/fields/copy_list.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "weft/halo/executor.hpp"

#include "halo/exchange/counts.hpp"
#include "halo/fields/copy.hpp"

namespace weft::halo::detail {
namespace {

// Below this size, waking a thread costs more than it saves.
constexpr std::ptrdiff_t least_part_bytes = std::ptrdiff_t{64} * 1024;
constexpr std::ptrdiff_t page_bytes = 4096;  // multiple at which one long block may be cut

std::ptrdiff_t bytes_of(const sweep& what) {
  return what.first.bytes() + (what.is_pair ? what.second.bytes() : 0);
}

std::size_t longest_dim(const box_copy& what) {
  return static_cast<std::size_t>(std::ranges::max_element(what.counts) - what.counts.begin());
}

/// Returns how many pieces a box can be cut into.
std::ptrdiff_t num_cuts(const box_copy& what) {
  return what.is_contiguous() ? (what.block_bytes + page_bytes - 1) / page_bytes
                              : what.counts[longest_dim(what)];
}

/// Returns the pieces from `first` to before `last`.
box_copy part_of(const box_copy& what, std::ptrdiff_t first, std::ptrdiff_t last) {
  box_copy part = what;
  if (what.is_contiguous()) {
    const std::ptrdiff_t begin = first * page_bytes;
    part.block_bytes = std::min(last * page_bytes, what.block_bytes) - begin;
    part.into.offset += begin;
    part.from.offset += begin;
    return part;
  }
  const std::size_t dim = longest_dim(what);
  part.counts[dim] = last - first;
  part.into.offset += first * what.into.strides[dim];
  part.from.offset += first * what.from.strides[dim];
  return part;
}

}  // namespace

void copy_list::reserve(std::size_t num_copies) {
  if (is_parallel()) {
    copies_.reserve(num_copies);
    was_made_.reserve(by_.num_threads());
  }
}

void copy_list::run() {
  if (copies_.empty()) {
    return;
  }
  bytes_ = 0;
  for (const copy& each : copies_) {
    bytes_ += bytes_of(*each.what);
  }
  const std::size_t num_parts =
      std::min(by_.num_threads(), static_cast<std::size_t>(bytes_ / least_part_bytes));
  if (num_parts < 2) {
    run_alone();
  } else {
    run_shared(num_parts);
  }
  copies_.clear();
}

void copy_list::run_alone() const {
  for (const copy& each : copies_) {
    detail::run(*each.what, each.into, each.from);
  }
}

void copy_list::run_shared(std::size_t num_parts) {
  was_made_.assign(num_parts, 0);
  const auto one = [this, num_parts](std::size_t part) {
    run_part(part, num_parts);
    if (part < num_parts) {
      // relaxed: the executor returns after its calls have ended
      std::atomic_ref(was_made_[part]).store(1, std::memory_order_relaxed);
    }
  };
  try {
    by_(num_parts,
        loop_body([](const void* context,
                     std::size_t part) { (*static_cast<const decltype(one)*>(context))(part); },
                  &one));
    if (std::ranges::find(was_made_, 0) == was_made_.end()) {
      return;
    }
    note_failure("it left calls out");
  } catch (const std::exception& thrown) {
    note_failure(thrown.what());
  } catch (...) {
    note_failure("what is no std::exception");
  }
  run_alone();
}

void copy_list::note_failure(const char* what) noexcept {
  detail::add(counts().num_executor_throws, 1);
  if (++num_failures_ > 1) {
    return;
  }
  try {
    first_failure_ = what;
  } catch (...) {  // the executor may have lacked memory too
    first_failure_.clear();
  }
}

std::string copy_list::report() const {
  if (num_failures_ == 0) {
    return {};
  }
  return "  the executor threw, or left calls out, " + std::to_string(num_failures_) +
         " times (first: " + first_failure_ + "): the caller made those copies alone\n";
}

void copy_list::run_part(std::size_t part, std::size_t num_parts) const {
  const auto share = [&](std::size_t before) {
    return static_cast<double>(bytes_) * static_cast<double>(before) /
           static_cast<double>(num_parts);
  };
  const double begin = share(part);
  const double end = share(part + 1);
  double at = 0;
  for (const copy& each : copies_) {
    const auto bytes = static_cast<double>(bytes_of(*each.what));
    const auto cuts = num_cuts(each.what->first);
    // A part begins where the previous part ends: both compute the same number.
    const auto cut_at = [&](double where) {
      const double part_of_it = std::clamp((where - at) / bytes, 0.0, 1.0);
      return static_cast<std::ptrdiff_t>(part_of_it * static_cast<double>(cuts));
    };
    const std::ptrdiff_t first = cut_at(begin);
    const std::ptrdiff_t last = cut_at(end);
    if (first < last) {
      sweep mine{.first = part_of(each.what->first, first, last)};
      if (each.what->is_pair) {
        mine.second = part_of(each.what->second, first, last);
        mine.is_pair = true;
      }
      detail::run(mine, each.into, each.from);
    }
    at += bytes;
  }
}

}  // namespace weft::halo::detail
