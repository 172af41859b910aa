// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Iterators that count, and that walk several sequences at once.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>

#include <hpx/config.hpp>

namespace hpx::util {

/// Walks the numbers from its own on.
template <std::integral T>
class counting_iterator {
 public:
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = T;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;

  counting_iterator() noexcept = default;
  explicit counting_iterator(T value) noexcept : value_(value) {}

  T operator*() const noexcept { return value_; }
  T operator[](difference_type n) const noexcept { return *(*this + n); }
  counting_iterator& operator+=(difference_type n) noexcept {
    value_ = static_cast<T>(static_cast<difference_type>(value_) + n);
    return *this;
  }
  counting_iterator& operator-=(difference_type n) noexcept { return *this += -n; }
  counting_iterator& operator++() noexcept { return *this += 1; }
  counting_iterator& operator--() noexcept { return *this += -1; }
  counting_iterator operator++(int) noexcept { return std::exchange(*this, *this + 1); }
  counting_iterator operator--(int) noexcept { return std::exchange(*this, *this - 1); }
  friend counting_iterator operator+(counting_iterator it, difference_type n) noexcept {
    return it += n;
  }
  friend counting_iterator operator+(difference_type n, counting_iterator it) noexcept {
    return it += n;
  }
  friend counting_iterator operator-(counting_iterator it, difference_type n) noexcept {
    return it -= n;
  }
  friend difference_type operator-(counting_iterator a, counting_iterator b) noexcept {
    return static_cast<difference_type>(a.value_) - static_cast<difference_type>(b.value_);
  }
  friend auto operator<=>(const counting_iterator&, const counting_iterator&) noexcept = default;

 private:
  T value_{};
};

/// Walks several sequences; `*it` is a tuple of what their iterators give.
template <std::input_iterator... Its>
class zip_iterator {
 public:
  using value_type = std::tuple<std::iter_value_t<Its>...>;
  using reference = std::tuple<std::iter_reference_t<Its>...>;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using iterator_category =
      std::common_type_t<typename std::iterator_traits<Its>::iterator_category...>;

  zip_iterator() = default;
  explicit zip_iterator(Its... all) : all_(std::move(all)...) {}

  [[nodiscard]] const std::tuple<Its...>& get_iterator_tuple() const noexcept { return all_; }

  reference operator*() const {
    return std::apply([](const Its&... each) { return reference(*each...); }, all_);
  }
  reference operator[](difference_type n) const { return *(*this + n); }
  zip_iterator& operator+=(difference_type n) {
    std::apply([n](Its&... each) { ((each += static_cast<std::iter_difference_t<Its>>(n)), ...); },
               all_);
    return *this;
  }
  zip_iterator& operator-=(difference_type n) { return *this += -n; }
  zip_iterator& operator++() {
    std::apply([](Its&... each) { (++each, ...); }, all_);
    return *this;
  }
  zip_iterator& operator--() {
    std::apply([](Its&... each) { (--each, ...); }, all_);
    return *this;
  }
  zip_iterator operator++(int) {
    zip_iterator before = *this;
    ++*this;
    return before;
  }
  zip_iterator operator--(int) {
    zip_iterator before = *this;
    --*this;
    return before;
  }
  friend zip_iterator operator+(zip_iterator it, difference_type n) { return it += n; }
  friend zip_iterator operator+(difference_type n, zip_iterator it) { return it += n; }
  friend zip_iterator operator-(zip_iterator it, difference_type n) { return it -= n; }
  friend difference_type operator-(const zip_iterator& a, const zip_iterator& b) {
    return static_cast<difference_type>(std::get<0>(a.all_) - std::get<0>(b.all_));
  }
  /// By the first sequence.
  friend bool operator==(const zip_iterator& a, const zip_iterator& b) {
    return std::get<0>(a.all_) == std::get<0>(b.all_);
  }
  friend auto operator<=>(const zip_iterator& a, const zip_iterator& b) {
    return std::get<0>(a.all_) <=> std::get<0>(b.all_);
  }

 private:
  std::tuple<Its...> all_;
};

template <class T>
[[nodiscard]] counting_iterator<T> make_counting_iterator(T value) {
  return counting_iterator<T>(value);
}
/// The numbers from `first` to before `last`, or from 0.
template <std::integral T>
[[nodiscard]] auto counting_shape(T first, T last) {
  return std::views::iota(first, last);
}
template <std::integral T>
[[nodiscard]] auto counting_shape(T count) {
  return std::views::iota(T(), count);
}
template <class... Its>
[[nodiscard]] zip_iterator<std::decay_t<Its>...> make_zip_iterator(Its&&... all) {
  return zip_iterator<std::decay_t<Its>...>(std::forward<Its>(all)...);
}

}  // namespace hpx::util
