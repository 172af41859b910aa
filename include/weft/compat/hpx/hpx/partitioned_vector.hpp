// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A vector whose parts are on several localities.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <hpx/distributed.hpp>  // IWYU pragma: export
#include <hpx/exception.hpp>

#include "weft/distributed/locality.hpp"
#include "weft/distributed/names.hpp"
#include "weft/distributed/remote.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"

namespace hpx {

template <class T, class Data>
class partitioned_vector;

namespace compat {

/// An element that is read and written where it is.
template <class T>
class partitioned_reference {
 public:
  partitioned_reference(const partitioned_vector<T, std::vector<T>>& all, std::size_t i) noexcept
      : all_(&all), i_(i) {}
  operator T() const { return all_->get_value(launch::sync, i_); }
  const partitioned_reference& operator=(const T& value) const {
    all_->set_value(launch::sync, i_, value);
    return *this;
  }
  /// Assigns the other element's value.
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): writes the same value
  partitioned_reference& operator=(const partitioned_reference& other) {
    *this = static_cast<T>(other);
    return *this;
  }
  // NOLINTNEXTLINE(bugprone-unhandled-self-assignment): writes the same value
  const partitioned_reference& operator=(const partitioned_reference& other) const {
    return *this = static_cast<T>(other);
  }
  partitioned_reference(const partitioned_reference&) = default;
  ~partitioned_reference() = default;

 private:
  const partitioned_vector<T, std::vector<T>>* all_;
  std::size_t i_;
};

/// A position in a partitioned vector, which stays where it is meanwhile.
template <class T>
class partitioned_iterator {
 public:
  using iterator_concept = std::output_iterator_tag;  // so that weft's local algorithms refuse it
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using reference = partitioned_reference<T>;
  using pointer = void;
  using vector_type = partitioned_vector<T, std::vector<T>>;

  partitioned_iterator() = default;
  partitioned_iterator(const vector_type& all, std::size_t i) noexcept : all_(&all), i_(i) {}

  [[nodiscard]] const vector_type& vector() const noexcept { return *all_; }
  [[nodiscard]] std::size_t index() const noexcept { return i_; }

  reference operator*() const { return {*all_, i_}; }
  reference operator[](difference_type n) const { return *(*this + n); }
  partitioned_iterator& operator+=(difference_type n) noexcept {
    i_ += static_cast<std::size_t>(n);
    return *this;
  }
  partitioned_iterator& operator-=(difference_type n) noexcept { return *this += -n; }
  partitioned_iterator& operator++() noexcept { return *this += 1; }
  partitioned_iterator& operator--() noexcept { return *this -= 1; }
  partitioned_iterator operator++(int) noexcept { return std::exchange(*this, *this + 1); }
  partitioned_iterator operator--(int) noexcept { return std::exchange(*this, *this - 1); }
  friend partitioned_iterator operator+(partitioned_iterator it, difference_type n) noexcept {
    return it += n;
  }
  friend partitioned_iterator operator-(partitioned_iterator it, difference_type n) noexcept {
    return it -= n;
  }
  friend difference_type operator-(partitioned_iterator a, partitioned_iterator b) noexcept {
    return static_cast<difference_type>(a.i_) - static_cast<difference_type>(b.i_);
  }
  friend bool operator==(partitioned_iterator a, partitioned_iterator b) noexcept {
    return a.i_ == b.i_;
  }
  friend auto operator<=>(partitioned_iterator a, partitioned_iterator b) noexcept {
    return a.i_ <=> b.i_;
  }

 private:
  const vector_type* all_ = nullptr;
  std::size_t i_ = 0;
};

/// One of the parts that are on this locality.
template <class T>
class local_segment_iterator {
 public:
  local_segment_iterator() = default;
  explicit local_segment_iterator(const std::shared_ptr<std::vector<T>>* part) noexcept
      : part_(part) {}
  std::vector<T>& operator*() const { return **part_; }
  std::vector<T>* operator->() const { return part_->get(); }
  local_segment_iterator& operator++() noexcept {
    ++part_;
    return *this;
  }
  friend bool operator==(local_segment_iterator, local_segment_iterator) noexcept = default;

 private:
  const std::shared_ptr<std::vector<T>>* part_ = nullptr;
};

/// Calls `F` with the elements of a part, and with other arguments.
template <class T, class F>
struct part_call {
  template <class... Args>
  // NOLINTNEXTLINE(performance-unnecessary-value-param): sent arguments, which F may take over
  auto operator()(std::vector<T>& part, std::size_t first, std::size_t last, Args... args) const {
    const auto at = [&part](std::size_t i) {
      return part.begin() + static_cast<std::ptrdiff_t>(i);
    };
    return F()(at(first), at(last), std::move(args)...);
  }
};

}  // namespace compat

/// A vector of a fixed size in parts of equal size, the last of which may be shorter.
///
/// One locality makes it; copies and other localities share the elements.
/// Cost:    a call for each part to make it, and for each element that is accessed by index.
/// Threads: as weft::distributed::vector. Algorithms with a policy work where the parts are.
/// Errors:  `hpx::exception` for an index that is too large.
template <class T, class Data = std::vector<T>>
class partitioned_vector {
 public:
  using value_type = T;
  using iterator = compat::partitioned_iterator<T>;
  using const_iterator = iterator;

  partitioned_vector() = default;
  explicit partitioned_vector(std::size_t size, const compat::layout& where = {})
      : partitioned_vector(size, T(), where) {}
  partitioned_vector(std::size_t size, const T& value, const compat::layout& where = {})
      : size_(size),
        part_size_(std::max<std::size_t>((size + where.num_parts() - 1) / where.num_parts(), 1)) {
    const std::size_t num_parts = (size + part_size_ - 1) / part_size_;
    std::vector<future<part_handle>> made;
    for (std::size_t p = 0; p < num_parts; ++p) {
      const std::size_t length = std::min(part_size_, size - p * part_size_);
      made.push_back(weft::distributed::make_remote<std::vector<T>>(
          where.locality_of(p, where.num_parts()).locality(), length, value));
    }
    for (future<part_handle>& each : made) {
      parts_.push_back(each.get());
    }
    find_local_parts();
  }

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Gives the vector a name by which other localities find it.
  future<void> register_as(std::string name) const {
    return weft::distributed::register_name(std::move(name), *this, weft::distributed::locality(0));
  }
  void register_as(launch::sync_policy /*how*/, std::string name) const {
    register_as(std::move(name)).get();
  }
  /// Waits until a vector has the name; this object then shares its elements.
  future<void> connect_to(std::string name) {
    return weft::distributed::find<partitioned_vector>(std::move(name),
                                                       weft::distributed::locality(0))
        .then(weft::launch::sync,
              [this](future<partitioned_vector> found) { *this = found.get(); });
  }
  void connect_to(launch::sync_policy /*how*/, std::string name) {
    connect_to(std::move(name)).get();
  }

  [[nodiscard]] future<T> get_value(std::size_t i) const {
    return part_of(i).async([](std::vector<T>& part, std::size_t at) { return part[at]; },
                            i % part_size_);
  }
  [[nodiscard]] T get_value(launch::sync_policy /*how*/, std::size_t i) const {
    return get_value(i).get();
  }
  future<void> set_value(std::size_t i, T value) const {
    return part_of(i).async(
        [](std::vector<T>& part, std::size_t at, T given) { part[at] = std::move(given); },
        i % part_size_,
        std::move(value));
  }
  void set_value(launch::sync_policy /*how*/, std::size_t i, T value) const {
    set_value(i, std::move(value)).get();
  }
  /// Writes elements from `first` on.
  void set_range(std::size_t first, const std::vector<T>& values) const {
    std::vector<future<void>> sent;
    auto next = values.begin();
    const auto send = [&](const part_handle& part, std::size_t from, std::size_t to) {
      const auto begin = std::exchange(next, next + static_cast<std::ptrdiff_t>(to - from));
      sent.push_back(part.async(
          [](std::vector<T>& all, std::size_t at, const std::vector<T>& given) {
            std::ranges::copy(given, all.begin() + static_cast<std::ptrdiff_t>(at));
          },
          from,
          std::vector<T>(begin, next)));
    };
    for_each_part(first, first + values.size(), send);
    for (future<void>& each : sent) {
      each.get();
    }
  }

  [[nodiscard]] compat::partitioned_reference<T> operator[](std::size_t i) const {
    return {*this, i};
  }
  [[nodiscard]] iterator begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] iterator end() const noexcept { return {*this, size_}; }
  [[nodiscard]] iterator cbegin() const noexcept { return begin(); }
  [[nodiscard]] iterator cend() const noexcept { return end(); }

  /// The parts on this locality.
  /// Errors: `hpx::exception` for another locality.
  [[nodiscard]] compat::local_segment_iterator<T> segment_begin(std::uint32_t locality) const {
    require_here(locality);
    return compat::local_segment_iterator<T>(local_parts_.data());
  }
  [[nodiscard]] compat::local_segment_iterator<T> segment_end(std::uint32_t locality) const {
    require_here(locality);
    return compat::local_segment_iterator<T>(local_parts_.data() + local_parts_.size());
  }

  /// Calls `f(begin, end, args...)` for the elements in [first, last) of each part, where it is; `f`
  /// is a lambda without captures.
  template <class F, class... Args>
  [[nodiscard]] auto call_parts(std::size_t first,
                                std::size_t last,
                                F /*f*/,
                                const Args&... args) const {
    using call = compat::part_call<T, F>;
    using answer = decltype(std::declval<const part_handle&>().async(
        call(), std::size_t(), std::size_t(), args...));
    std::vector<answer> answers;
    for_each_part(first, last, [&](const part_handle& part, std::size_t from, std::size_t to) {
      answers.push_back(part.async(call(), from, to, args...));
    });
    return answers;
  }
  /// Calls `f(part, from, to)` for each part with elements in [first, last).
  template <class F>
  void for_each_part(std::size_t first, std::size_t last, F f) const {
    if (first < last) {
      require_index(last - 1);
    }
    while (first < last) {
      const std::size_t from = first % part_size_;
      const std::size_t length = std::min(part_size_ - from, last - first);
      f(parts_[first / part_size_], from, from + length);
      first += length;
    }
  }

 private:
  using part_handle = weft::distributed::remote<std::vector<T>>;
  friend class weft::distributed::archive_access;

  void save(weft::distributed::output_archive& to) const { to(parts_, size_, part_size_); }
  void load(weft::distributed::input_archive& from) {
    from(parts_, size_, part_size_);
    part_size_ = std::max<std::size_t>(part_size_, 1);
    size_ = std::min(size_, parts_.size() * part_size_);
    find_local_parts();
  }
  void find_local_parts() {
    local_parts_.clear();
    for (const part_handle& each : parts_) {
      if (each.owner() == weft::distributed::here()) {
        local_parts_.push_back(each.local());
      }
    }
  }

  void require_index(std::size_t i) const {
    if (i >= size_) {
      throw exception(error::out_of_range,
                      "hpx::partitioned_vector: there is no element " + std::to_string(i) +
                          ": the vector has " + std::to_string(size_));
    }
  }
  static void require_here(std::uint32_t locality) {
    if (locality != get_locality_id()) {
      throw exception(error::bad_parameter,
                      "hpx::partitioned_vector: only the segments of this locality are here");
    }
  }
  [[nodiscard]] const part_handle& part_of(std::size_t i) const {
    require_index(i);
    return parts_[i / part_size_];
  }

  std::vector<part_handle> parts_;
  std::size_t size_ = 0;
  std::size_t part_size_ = 1;
  std::vector<std::shared_ptr<std::vector<T>>> local_parts_;
};

namespace traits {

template <class Iterator>
struct segmented_iterator_traits;
/// How the elements of a part on this locality are reached.
template <class T>
struct segmented_iterator_traits<compat::partitioned_iterator<T>> {
  using is_segmented_iterator = std::true_type;
  using local_segment_iterator = compat::local_segment_iterator<T>;
  using local_raw_iterator = typename std::vector<T>::iterator;
  using local_iterator = local_raw_iterator;
  static local_raw_iterator begin(const local_segment_iterator& part) { return part->begin(); }
  static local_raw_iterator end(const local_segment_iterator& part) { return part->end(); }
};

}  // namespace traits
}  // namespace hpx

#include <hpx/compat/segmented_algorithms.hpp>  // IWYU pragma: export
