// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An iterator whose references are proxies.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>

namespace weft::test {

/// Stands for an element; what is assigned to it goes there.
template <class T>
class proxy {
 public:
  explicit proxy(T* at) : at_(at) {}
  proxy(const proxy&) = default;
  ~proxy() = default;
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): assigns what it stands for
  proxy& operator=(const proxy& other) {
    *at_ = *other.at_;
    return *this;
  }
  const proxy& operator=(const T& x) const {
    *at_ = x;
    return *this;
  }
  operator T() const { return *at_; }  // NOLINT(google-explicit-constructor): as an element is read

 private:
  T* at_;
};

/// Any element can be reached at once, but to what knows the categories of C++17 alone each may be
/// read once: as with the views that compute their elements.
template <class T>
class proxy_iterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = proxy<T>;
  using pointer = void;
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::input_iterator_tag;

  proxy_iterator() = default;
  explicit proxy_iterator(T* at) : at_(at) {}

  reference operator*() const { return reference(at_); }
  reference operator[](difference_type i) const { return reference(at_ + i); }
  proxy_iterator& operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  proxy_iterator& operator-=(difference_type n) { return *this += -n; }
  proxy_iterator& operator++() { return *this += 1; }
  proxy_iterator& operator--() { return *this -= 1; }
  proxy_iterator operator++(int) { return proxy_iterator(at_++); }
  proxy_iterator operator--(int) { return proxy_iterator(at_--); }
  friend proxy_iterator operator+(proxy_iterator it, difference_type n) { return it += n; }
  friend proxy_iterator operator+(difference_type n, proxy_iterator it) { return it += n; }
  friend proxy_iterator operator-(proxy_iterator it, difference_type n) { return it -= n; }
  friend difference_type operator-(const proxy_iterator& a, const proxy_iterator& b) {
    return a.at_ - b.at_;
  }
  friend auto operator<=>(const proxy_iterator&, const proxy_iterator&) = default;

 private:
  T* at_ = nullptr;
};

static_assert(std::random_access_iterator<proxy_iterator<int>>);

}  // namespace weft::test
