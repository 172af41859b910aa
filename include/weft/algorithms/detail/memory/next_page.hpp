// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks for pages of memory before a loop that only reads gets there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::algorithms::detail {

inline constexpr std::size_t read_page_bytes = 4096;  // the smallest that there are

/// How many elements there have to be behind one whose next page is fetched: a page and a half.
template <class Element>
inline constexpr std::size_t page_ahead = read_page_bytes / sizeof(Element) * 3 / 2;

/// Prefetches the page boundary between half a page and one and a half pages behind `data`. Its
/// address translation takes time, and many processors prefetch no lines across a page boundary.
///
/// A loop calls it once a page.
/// Shape:   there are more than `page_ahead<Element>` elements from `data` on.
template <class Element>
[[gnu::always_inline]] inline void fetch_next_page(const Element* data) noexcept {
  const Element* const inside = data + page_ahead<Element>;
  const std::size_t bytes_past = reinterpret_cast<std::uintptr_t>(inside) % read_page_bytes;
  const std::size_t elements_past = bytes_past / sizeof(Element);
  __builtin_prefetch(inside - elements_past);
}

}  // namespace weft::algorithms::detail
