// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterators over numbers, so that libraries with range algorithms only can run loops.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <type_traits>

namespace weft::bench {

/// Returns a number unchanged.
struct identity_of_index {
  std::size_t operator()(std::size_t index) const { return index; }
};

/// Points to `map(0)`, `map(1)`, ..., computed when it is read.
template <class Map = identity_of_index>
class index_iterator {
 public:
  // The random-access tag of C++17, although no element exists: libraries check only the tag.
  using iterator_category = std::random_access_iterator_tag;
  using reference = std::invoke_result_t<const Map&, std::size_t>;
  using value_type = std::remove_cvref_t<reference>;
  using difference_type = std::ptrdiff_t;
  using pointer = const value_type*;

  index_iterator() = default;
  explicit index_iterator(std::size_t at, const Map* map = nullptr)
      : at_(static_cast<difference_type>(at)), map_(map) {}

  reference operator*() const { return (*this)[0]; }
  reference operator[](difference_type offset) const {
    const auto index = static_cast<std::size_t>(at_ + offset);
    if constexpr (std::is_same_v<Map, identity_of_index>) {
      return index;
    } else {
      return (*map_)(index);
    }
  }

  index_iterator& operator+=(difference_type count) {
    at_ += count;
    return *this;
  }
  index_iterator& operator-=(difference_type count) { return *this += -count; }
  index_iterator& operator++() { return *this += 1; }
  index_iterator& operator--() { return *this += -1; }
  index_iterator operator++(int) {
    const index_iterator before = *this;
    ++*this;
    return before;
  }
  index_iterator operator--(int) {
    const index_iterator before = *this;
    --*this;
    return before;
  }
  friend index_iterator operator+(index_iterator it, difference_type count) { return it += count; }
  friend index_iterator operator+(difference_type count, index_iterator it) { return it += count; }
  friend index_iterator operator-(index_iterator it, difference_type count) { return it -= count; }
  friend difference_type operator-(const index_iterator& a, const index_iterator& b) {
    return a.at_ - b.at_;
  }
  friend bool operator==(const index_iterator& a, const index_iterator& b) {
    return a.at_ == b.at_;
  }
  friend auto operator<=>(const index_iterator& a, const index_iterator& b) {
    return a.at_ <=> b.at_;
  }

 private:
  difference_type at_ = 0;
  const Map* map_ = nullptr;
};

}  // namespace weft::bench
