// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms on elements that are reached only by increments, for backends whose library takes
// forward iterators. Include it after library_operations.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>

#include "lab/stl/backends/library_operations.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {

/// A forward iterator over an array: a library must reach its elements one by one, as in a list.
template <class T>
class walking {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T*;
  using reference = T&;

  walking() = default;
  explicit walking(T* place) : place_(place) {}

  reference operator*() const { return *place_; }
  pointer operator->() const { return place_; }
  walking& operator++() {
    ++place_;
    return *this;
  }
  walking operator++(int) {
    const walking before = *this;
    ++place_;
    return before;
  }
  friend bool operator==(const walking&, const walking&) = default;

 private:
  T* place_ = nullptr;
};

template <class T>
void offer_walked(operations<T>& offered) {
  WEFT_STL_OFFER(walked_scan,
                 (const T* first, const T* last, T* out),
                 library::transform_inclusive_scan(WEFT_STL_POLICY walking<const T>(first),
                                                   walking<const T>(last),
                                                   out,
                                                   std::plus<>{},
                                                   kernels::slowly_negative{}))
}

}  // namespace weft::lab::stl
