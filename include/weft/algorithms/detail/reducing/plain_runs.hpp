// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of numbers by runs of keys that are numbers too, side by side, by one worker.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include "weft/algorithms/detail/kernels/number_kernels.hpp"
#include "weft/algorithms/detail/loops/blocks.hpp"

namespace weft::algorithms::detail {

/// One of two numbers, without a branch: whether runs of random keys end is what no processor
/// foresees.
template <class T>
[[nodiscard]] [[gnu::always_inline]] inline T chosen(bool is_first, T first, T second) noexcept {
  using bits = typename kernels::integer_of<sizeof(T), false>::type;
  const auto mask = static_cast<bits>(0 - static_cast<bits>(is_first));
  return std::bit_cast<T>(
      static_cast<bits>((std::bit_cast<bits>(first) & mask) |
                        (std::bit_cast<bits>(second) & static_cast<bits>(~mask))));
}

/// Keys side by side, and their values, at least one.
template <class Key, class Value>
struct plain_runs {
  const Key* keys;
  const Value* values;
  std::size_t n;
};

/// Whole numbers wrap around, since some sums are made in vain.
template <class T>
[[nodiscard]] [[gnu::always_inline]] inline T plain_sum(T a, T b) noexcept {
  if constexpr (std::is_integral_v<T>) {
    using bits = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<bits>(static_cast<bits>(a) + static_cast<bits>(b)));
  } else {
    return a + b;
  }
}

/// A run's first key and the sum of its values so far, without a branch.
template <class Key, class Value>
class run_so_far {
 public:
  run_so_far(Key key, Value value) noexcept : first_key_(key), sum_(value) {}

  /// Adds an element, perhaps as the first of a new run, and returns whether it is one.
  [[gnu::always_inline]] std::size_t add(Key before, Key key, Value value) noexcept {
    const bool is_new = !(before == key);
    first_key_ = chosen(is_new, key, first_key_);
    sum_ = chosen(is_new, value, plain_sum(sum_, value));
    return static_cast<std::size_t>(is_new);
  }
  [[nodiscard]] Key first_key() const noexcept { return first_key_; }
  [[nodiscard]] Value sum() const noexcept { return sum_; }

 private:
  Key first_key_;
  Value sum_;
};

#if defined(__GNUC__) && !defined(__NVCOMPILER)
/// Sets all bits of the lanes in which two vectors are equal. A separate function, because nvcc
/// gives a comparison of vectors the type `int` if their type depends on a class template.
template <class Vector>
[[nodiscard]] [[gnu::always_inline]] inline auto equal_lanes(Vector a, Vector b) noexcept {
  return a == b;
}

/// `run_so_far` for sums of floating-point numbers, in the first of several vector lanes. Moving
/// bits between vector and integer registers and back takes three times as long as an addition.
template <class Key, std::floating_point Value>
  requires(sizeof(Key) == sizeof(Value))
class run_so_far<Key, Value> {
  using keys [[gnu::vector_size(16)]] = Key;
  using values [[gnu::vector_size(16)]] = Value;

 public:
  run_so_far(Key key, Value value) noexcept : first_key_{key}, sum_{value} {}

  [[gnu::always_inline]] std::size_t add(Key before, Key key, Value value) noexcept {
    const keys next{key};
    const values more{value};
    const keys last{before};
    const auto is_same = equal_lanes(last, next);
    first_key_ = is_same ? first_key_ : next;
    sum_ = is_same ? sum_ + more : more;
    return static_cast<std::size_t>(is_same[0] == 0);
  }
  [[nodiscard]] Key first_key() const noexcept { return first_key_[0]; }
  [[nodiscard]] Value sum() const noexcept { return sum_[0]; }

 private:
  keys first_key_;
  values sum_;
};
#endif

/// Writes runs one after the other: each run's first key, and the sum of its values.
///
/// Each element waits for the sum before it. Several interleaved writers hide that.
template <class Key, class Value>
class run_writer {
 public:
  /// Begins with element `first`, and writes the first run as number `run`.
  run_writer(const Key* keys, const Value* values, std::size_t first, std::size_t run) noexcept
      : next_(first + 1), run_(run), now_(keys[first], values[first]) {}

  /// Takes the next element.
  [[gnu::always_inline]] void take(const plain_runs<Key, Value>& in,
                                   Key* keys_out,
                                   Value* values_out) noexcept {
    keys_out[run_] = now_.first_key();
    values_out[run_] = now_.sum();
    run_ += now_.add(in.keys[next_ - 1], in.keys[next_], in.values[next_]);
    ++next_;
  }
  /// Takes all in front of `last`, and writes the last run; returns its number.
  std::size_t finish(const plain_runs<Key, Value>& in,
                     std::size_t last,
                     Key* keys_out,
                     Value* values_out) noexcept {
    while (next_ != last) {
      take(in, keys_out, values_out);
    }
    keys_out[run_] = now_.first_key();
    values_out[run_] = now_.sum();
    return run_;
  }

 private:
  std::size_t next_;
  std::size_t run_;
  run_so_far<Key, Value> now_;
};

/// How many of the elements [first, last), 0 < first, have another key than the one before.
template <class Key>
[[nodiscard]] std::size_t num_new_keys(const Key* keys,
                                       std::size_t first,
                                       std::size_t last) noexcept {
  return num_in_blocks<Key>(
      first, last, [keys](std::size_t i) { return !(keys[i - 1] == keys[i]); });
}

/// The first place of [i, last), 0 < i, whose key is not the one before, or `last`.
template <class Key>
[[nodiscard]] std::size_t end_of_run(const Key* keys, std::size_t i, std::size_t last) noexcept {
  while (i != last && keys[i - 1] == keys[i]) {
    ++i;
  }
  return i;
}

/// Writes the runs of `in` by one writer; returns how many there are.
template <class Key, class Value>
[[nodiscard]] std::size_t write_runs_in_turn(const plain_runs<Key, Value>& in,
                                             Key* keys_out,
                                             Value* values_out) noexcept {
  run_writer<Key, Value> writer(in.keys, in.values, 0, 0);
  return writer.finish(in, in.n, keys_out, values_out) + 1;
}

/// The same with a branch at the end of each run: for long ones.
template <class Key, class Value>
[[nodiscard]] std::size_t write_long_runs(const plain_runs<Key, Value>& in,
                                          Key* keys_out,
                                          Value* values_out) noexcept {
  std::size_t run = 0;
  for (std::size_t i = 0; i < in.n; ++run) {
    const Key key = in.keys[i];
    Key before = key;
    Value sum = in.values[i];
    for (++i; i < in.n && before == in.keys[i]; ++i) {
      before = in.keys[i];
      sum = plain_sum(sum, in.values[i]);
    }
    keys_out[run] = key;
    values_out[run] = sum;
  }
  return run;
}

/// The same by four interleaved writers; runs begin at the borders between their parts.
template <class Key, class Value>
[[nodiscard]] std::size_t write_quarters(const plain_runs<Key, Value>& in,
                                         const std::array<std::size_t, 3>& borders,
                                         Key* keys_out,
                                         Value* values_out) noexcept {
  const auto [second, third, fourth] = borders;
  const std::size_t in_first = 1 + num_new_keys(in.keys, 1, second);
  const std::size_t in_second = in_first + 1 + num_new_keys(in.keys, second + 1, third);
  const std::size_t in_third = in_second + 1 + num_new_keys(in.keys, third + 1, fourth);
  run_writer<Key, Value> a(in.keys, in.values, 0, 0);
  run_writer<Key, Value> b(in.keys, in.values, second, in_first);
  run_writer<Key, Value> c(in.keys, in.values, third, in_second);
  run_writer<Key, Value> d(in.keys, in.values, fourth, in_third);
  const std::size_t together = std::min({second, third - second, fourth - third, in.n - fourth});
  for (std::size_t i = 1; i < together; ++i) {
    a.take(in, keys_out, values_out);
    b.take(in, keys_out, values_out);
    c.take(in, keys_out, values_out);
    d.take(in, keys_out, values_out);
  }
  static_cast<void>(a.finish(in, second, keys_out, values_out));
  static_cast<void>(b.finish(in, third, keys_out, values_out));
  static_cast<void>(c.finish(in, fourth, keys_out, values_out));
  return d.finish(in, in.n, keys_out, values_out) + 1;
}

/// Writes the runs of some elements; returns how many there are.
template <class Key, class Value>
[[nodiscard]] std::size_t write_some_runs(const plain_runs<Key, Value>& in,
                                          Key* keys_out,
                                          Value* values_out) noexcept {
  constexpr std::size_t many = 256;
  constexpr std::size_t long_run = 64;  // where a branch that is foreseen wrongly costs less
  if (in.n < many) {
    return write_runs_in_turn(in, keys_out, values_out);
  }
  if (num_new_keys(in.keys, 1, in.n) < in.n / long_run) {
    return write_long_runs(in, keys_out, values_out);
  }
  std::array<std::size_t, 3> borders{};
  for (std::size_t i = 0; i < borders.size(); ++i) {
    const std::size_t quarter = in.n / 4 * (i + 1);
    borders[i] = end_of_run(in.keys, quarter, quarter + in.n / 8);
    if (borders[i] == quarter + in.n / 8) {
      return write_runs_in_turn(in, keys_out, values_out);
    }
  }
  return write_quarters(in, borders, keys_out, values_out);
}

/// Writes the run that begins at `first`, reading it once, and returns its end.
template <class Key, class Value>
[[nodiscard]] std::size_t write_run(const plain_runs<Key, Value>& in,
                                    std::size_t first,
                                    Key& key_out,
                                    Value& sum_out) noexcept {
  Value sum = in.values[first];
  std::size_t i = first + 1;
  for (; i != in.n && in.keys[i - 1] == in.keys[i]; ++i) {
    sum = plain_sum(sum, in.values[i]);
  }
  key_out = in.keys[first];
  sum_out = sum;
  return i;
}

/// Writes each run's first key, and the sum of its values; returns how many there are.
///
/// Keys are read in parts that end with a run and stay in a cache. A run that is longer than a part
/// is written separately.
template <class Key, class Value>
[[nodiscard]] std::size_t write_plain_runs(const plain_runs<Key, Value>& in,
                                           Key* keys_out,
                                           Value* values_out) noexcept {
  constexpr std::size_t at_once = 4096;  // those of one part of the keys may be short, others long
  std::size_t run = 0;
  for (std::size_t first = 0; first != in.n;) {
    const std::size_t bound = std::min(in.n, first + 2 * at_once);
    std::size_t last = in.n - first <= at_once ? in.n : end_of_run(in.keys, first + at_once, bound);
    const bool goes_on = last != in.n && in.keys[last - 1] == in.keys[last];
    if (goes_on) {
      for (last = first + at_once; last != first && in.keys[last - 1] == in.keys[last]; --last) {
      }
    }
    if (last != first) {
      run += write_some_runs<Key, Value>(
          {in.keys + first, in.values + first, last - first}, keys_out + run, values_out + run);
    }
    if (goes_on) {
      last = write_run(in, last, keys_out[run], values_out[run]);
      ++run;
    }
    first = last;
  }
  return run;
}

}  // namespace weft::algorithms::detail
