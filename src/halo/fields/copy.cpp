// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The copy loops. An exchange on one node spends nearly all its time here.
#include "halo/fields/copy.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "weft/halo/detail/shape.hpp"

namespace weft::halo::detail {
namespace {

// A narrow block costs two cache lines. Where rows are long, the processor does not prefetch them
// by itself.
constexpr std::ptrdiff_t rows_ahead = 8;
constexpr std::ptrdiff_t narrow_bytes = 64;

struct cursor {
  std::byte* into;
  const std::byte* from;
};

cursor start_of(const box_copy& what, std::byte* into, const std::byte* from) {
  return {into + what.into.offset, from + what.from.offset};
}

cursor moved(cursor at, const box_copy& what, std::size_t dim, std::ptrdiff_t by) {
  return {at.into + by * what.into.strides[dim], at.from + by * what.from.strides[dim]};
}

/// Calls `row(i, j, k)` for all rows, which run along the last dimension.
template <class Row>
void for_rows(const box_counts& counts, const Row& row) {
  for (std::ptrdiff_t i = 0; i < counts[0]; ++i) {
    for (std::ptrdiff_t j = 0; j < counts[1]; ++j) {
      for (std::ptrdiff_t k = 0; k < counts[2]; ++k) {
        row(i, j, k);
      }
    }
  }
}

cursor row_of(
    cursor start, const box_copy& what, std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
  return moved(moved(moved(start, what, 0, i), what, 1, j), what, 2, k);
}

/// Which sides of rows of blocks have gaps. The processor prefetches sides without gaps by itself,
/// and prefetching a packed side might fetch a line that another rank is reading.
enum class apart : std::uint8_t { into, from, both };

apart sides_apart(const box_copy& what) {
  if (what.into.strides[3] == what.block_bytes) {
    return apart::from;
  }
  return what.from.strides[3] == what.block_bytes ? apart::into : apart::both;
}

template <apart sides>
void prefetch(cursor at, std::ptrdiff_t into_stride, std::ptrdiff_t from_stride) {
  if constexpr (sides != apart::into) {
    __builtin_prefetch(at.from + rows_ahead * from_stride, 0);
  }
  if constexpr (sides != apart::from) {
    __builtin_prefetch(at.into + rows_ahead * into_stride, 1);
  }
}

template <std::size_t bytes, apart sides>
void copy_row(const box_copy& what, cursor at) {
  const std::ptrdiff_t count = what.counts[3];
  const std::ptrdiff_t into_stride = what.into.strides[3];
  const std::ptrdiff_t from_stride = what.from.strides[3];
  for (std::ptrdiff_t n = 0; n < count; ++n) {
    prefetch<sides>(at, into_stride, from_stride);
    std::memcpy(at.into, at.from, bytes);
    at.into += into_stride;
    at.from += from_stride;
  }
}

/// Copies any number of bytes.
struct copied_by_call {
  void operator()(cursor at, std::size_t bytes) const { std::memcpy(at.into, at.from, bytes); }
};

/// Copies one or two cache lines, where a call would cost more than the copy.
struct copied_in_lines {
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::ptrdiff_t most_bytes = 144;

  void operator()(cursor at, std::size_t bytes) const {
    for (std::size_t n = 0; n + line_bytes < bytes; n += line_bytes) {
      std::memcpy(at.into + n, at.from + n, line_bytes);
    }
    const std::size_t last = bytes - line_bytes;  // overlaps the previous line
    std::memcpy(at.into + last, at.from + last, line_bytes);
  }
};

template <class Copy>
void copy_row_of_blocks(const box_copy& what, cursor at) {
  const auto bytes = static_cast<std::size_t>(what.block_bytes);
  for (std::ptrdiff_t n = 0; n < what.counts[3]; ++n) {
    Copy()(at, bytes);
    at.into += what.into.strides[3];
    at.from += what.from.strides[3];
  }
}

template <std::size_t bytes, apart sides>
void copy_two_rows(const box_copy& first, cursor one, const box_copy& second, cursor other) {
  const std::ptrdiff_t count = first.counts[3];
  const std::array<std::ptrdiff_t, 4> strides{
      first.into.strides[3], first.from.strides[3], second.into.strides[3], second.from.strides[3]};
  for (std::ptrdiff_t n = 0; n < count; ++n) {
    prefetch<sides>(one, strides[0], strides[1]);
    prefetch<sides>(other, strides[2], strides[3]);
    std::memcpy(one.into, one.from, bytes);
    std::memcpy(other.into, other.from, bytes);
    one.into += strides[0];
    one.from += strides[1];
    other.into += strides[2];
    other.from += strides[3];
  }
}

using row_copier = void (*)(const box_copy&, cursor);

template <std::size_t bytes>
row_copier copier_for(apart sides) {
  switch (sides) {
    case apart::into:
      return copy_row<bytes, apart::into>;
    case apart::from:
      return copy_row<bytes, apart::from>;
    case apart::both:
      break;
  }
  return copy_row<bytes, apart::both>;
}

row_copier copier_of(const box_copy& what) {
  const apart sides = sides_apart(what);
  switch (what.block_bytes) {
    case 1:
      return copier_for<1>(sides);
    case 2:
      return copier_for<2>(sides);
    case 4:
      return copier_for<4>(sides);
    case 8:
      return copier_for<8>(sides);
    case 12:
      return copier_for<12>(sides);
    case 16:
      return copier_for<16>(sides);
    case 24:
      return copier_for<24>(sides);
    case 32:
      return copier_for<32>(sides);
    case 48:
      return copier_for<48>(sides);
    default:
      return what.block_bytes >= static_cast<std::ptrdiff_t>(copied_in_lines::line_bytes) &&
                     what.block_bytes <= copied_in_lines::most_bytes
                 ? copy_row_of_blocks<copied_in_lines>
                 : copy_row_of_blocks<copied_by_call>;
  }
}

using two_rows_copier = void (*)(const box_copy&, cursor, const box_copy&, cursor);

template <std::size_t bytes>
two_rows_copier two_rows_copier_for(apart sides) {
  switch (sides) {
    case apart::into:
      return copy_two_rows<bytes, apart::into>;
    case apart::from:
      return copy_two_rows<bytes, apart::from>;
    case apart::both:
      break;
  }
  return copy_two_rows<bytes, apart::both>;
}

/// Returns null if there is no loop for these widths.
two_rows_copier two_rows_copier_of(const box_copy& first, const box_copy& second) {
  if (first.block_bytes != second.block_bytes) {
    return nullptr;
  }
  const apart sides = sides_apart(first) == sides_apart(second) ? sides_apart(first) : apart::both;
  switch (first.block_bytes) {
    case 4:
      return two_rows_copier_for<4>(sides);
    case 8:
      return two_rows_copier_for<8>(sides);
    case 12:
      return two_rows_copier_for<12>(sides);
    case 16:
      return two_rows_copier_for<16>(sides);
    case 24:
      return two_rows_copier_for<24>(sides);
    case 32:
      return two_rows_copier_for<32>(sides);
    case 48:
      return two_rows_copier_for<48>(sides);
    default:
      return nullptr;
  }
}

void run_one(const box_copy& what, std::byte* into, const std::byte* from) {
  const cursor start = start_of(what, into, from);
  const row_copier copy = copier_of(what);
  for_rows(what.counts, [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
    copy(what, row_of(start, what, i, j, k));
  });
}

struct dim_of_copy {
  std::ptrdiff_t count;
  std::ptrdiff_t into;
  std::ptrdiff_t from;
};

}  // namespace

box_copy make_copy(std::size_t element_bytes,
                   const box_counts& cells,
                   const box_side& into,
                   const box_side& from) {
  box_copy made{.into = into, .from = from};
  made.into.strides = {};
  made.from.strides = {};
  made.block_bytes = static_cast<std::ptrdiff_t>(element_bytes);
  std::vector<dim_of_copy> dims;
  for (std::size_t d = 0; d < max_dims; ++d) {
    if (cells[d] == 0) {
      made.counts = {};
      return made;
    }
    if (cells[d] > 1) {
      dims.push_back({cells[d], into.strides[d], from.strides[d]});
    }
  }
  std::ranges::sort(dims, [](const dim_of_copy& a, const dim_of_copy& b) {
    return std::pair(std::abs(a.from), std::abs(a.into)) >
           std::pair(std::abs(b.from), std::abs(b.into));
  });
  while (!dims.empty() && dims.back().into == made.block_bytes &&
         dims.back().from == made.block_bytes) {
    made.block_bytes *= dims.back().count;
    dims.pop_back();
  }
  for (std::size_t n = dims.size(); n > 1; --n) {
    dim_of_copy& outer = dims[n - 2];
    const dim_of_copy& inner = dims[n - 1];
    if (outer.into == inner.count * inner.into && outer.from == inner.count * inner.from) {
      outer = {outer.count * inner.count, inner.into, inner.from};
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(n) - 1);
    }
  }
  const std::size_t unused = max_dims - dims.size();
  for (std::size_t n = 0; n < dims.size(); ++n) {
    made.counts[unused + n] = dims[n].count;
    made.into.strides[unused + n] = dims[n].into;
    made.from.strides[unused + n] = dims[n].from;
  }
  return made;
}

std::vector<sweep> paired(const std::vector<box_copy>& boxes) {
  std::vector<sweep> sweeps;
  for (const box_copy& each : boxes) {
    if (each.bytes() == 0) {
      continue;
    }
    if (!sweeps.empty() && !sweeps.back().is_pair && each.block_bytes <= narrow_bytes &&
        sweeps.back().first.counts == each.counts &&
        two_rows_copier_of(sweeps.back().first, each) != nullptr) {
      sweeps.back().second = each;
      sweeps.back().is_pair = true;
    } else {
      sweeps.push_back({.first = each});
    }
  }
  return sweeps;
}

void run(const sweep& what, std::byte* into, const std::byte* from) {
  if (!what.is_pair) {
    run_one(what.first, into, from);
    return;
  }
  const cursor one = start_of(what.first, into, from);
  const cursor other = start_of(what.second, into, from);
  const two_rows_copier copy = two_rows_copier_of(what.first, what.second);
  for_rows(what.first.counts, [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
    copy(what.first,
         row_of(one, what.first, i, j, k),
         what.second,
         row_of(other, what.second, i, j, k));
  });
}

void run(const box_copy& what,
         std::byte* into,
         const std::byte* from,
         const combining& how,
         std::size_t element_bytes) {
  const std::ptrdiff_t count = what.block_bytes / static_cast<std::ptrdiff_t>(element_bytes);
  const cursor start = start_of(what, into, from);
  for_rows(what.counts, [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t k) {
    cursor at = row_of(start, what, i, j, k);
    for (std::ptrdiff_t n = 0; n < what.counts[3]; ++n) {
      how.combine(how.op, at.into, at.from, count);
      at.into += what.into.strides[3];
      at.from += what.from.strides[3];
    }
  });
}

}  // namespace weft::halo::detail
