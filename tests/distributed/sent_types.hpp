// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types that tests send, random values of them, and a copy by way of an archive.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "weft/distributed/archive.hpp"

namespace sent_types {

enum class colour : std::uint8_t { red, green, blue };

struct point {
  double x = 0;
  double y = 0;
  friend bool operator==(const point&, const point&) = default;
};

struct alignas(64) aligned {
  std::uint64_t words[8] = {};
  friend bool operator==(const aligned&, const aligned&) = default;
};

/// Has padding behind `kind`.
struct padded {
  std::uint8_t kind = 0;
  std::uint64_t count = 0;
  friend bool operator==(const padded&, const padded&) = default;
};

struct record {
  std::int32_t id = 0;
  double weight = 0;
  std::string name;
  bool is_new = false;
  colour paint = colour::red;
  friend bool operator==(const record&, const record&) = default;
};

struct tree {
  int value = 0;
  std::vector<tree> children;
  friend bool operator==(const tree&, const tree&) = default;
};

struct chain {
  int value = 0;
  std::unique_ptr<chain> next;
  friend bool operator==(const chain& a, const chain& b) {
    const bool same_end = (a.next == nullptr) == (b.next == nullptr);
    return a.value == b.value && same_end && (a.next == nullptr || *a.next == *b.next);
  }
};

struct arrays {
  int numbers[2][3] = {};
  std::array<std::string, 2> names;
  std::array<point, 2> points;
  friend bool operator==(const arrays&, const arrays&) = default;
};

struct nothing {
  friend bool operator==(const nothing&, const nothing&) = default;
};

/// With a function of its own, in the form of cereal.
class account {
 public:
  account() = default;
  account(std::string owner, std::vector<double> bookings)
      : owner_(std::move(owner)), bookings_(std::move(bookings)) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(owner_, bookings_);
  }
  friend bool operator==(const account&, const account&) = default;

 private:
  std::string owner_;
  std::vector<double> bookings_;
};

using mixed = std::variant<std::monostate, int, std::string, std::vector<point>>;

// Containers of these are sent too.
using every_type = std::tuple<bool,
                              char,
                              int,
                              std::int64_t,
                              float,
                              double,
                              long double,
                              colour,
                              std::string,
                              std::u16string,
                              std::complex<double>,
                              std::complex<long double>,
                              std::chrono::nanoseconds,
                              std::chrono::duration<long double>,
                              std::chrono::system_clock::time_point,
                              std::bitset<21>,
                              std::vector<bool>,
                              std::filesystem::path,
                              point,
                              padded,
                              record,
                              tree,
                              chain,
                              arrays,
                              nothing,
                              account,
                              mixed,
                              std::array<std::uint16_t, 5>,
                              std::array<bool, 3>,
                              std::array<double, 300>,
                              std::vector<double>,
                              std::vector<point>,
                              std::vector<padded>,
                              std::vector<record>,
                              std::vector<nothing>,
                              std::vector<aligned>,
                              std::vector<account>,
                              std::vector<std::vector<float>>,
                              std::deque<std::string>,
                              std::list<std::vector<int>>,
                              std::set<std::string>,
                              std::multiset<int>,
                              std::unordered_set<std::string>,
                              std::unordered_multiset<int>,
                              std::map<std::string, std::vector<double>>,
                              std::map<std::vector<int>, nothing>,
                              std::multimap<int, std::string>,
                              std::unordered_map<std::string, record>,
                              std::unordered_multimap<int, int>,
                              std::pair<int, std::string>,
                              std::tuple<char, double, std::string>,
                              std::tuple<>,
                              std::optional<record>,
                              std::optional<std::vector<double>>,
                              std::vector<std::optional<int>>,
                              std::unique_ptr<record>,
                              std::vector<std::unique_ptr<int>>>;

template <class T>
bool same(const T& a, const T& b) {
  return a == b;
}
template <class T>
bool same(const std::unique_ptr<T>& a, const std::unique_ptr<T>& b) {
  return (a == nullptr) == (b == nullptr) && (a == nullptr || *a == *b);
}
template <class T>
bool same(const std::vector<std::unique_ptr<T>>& a, const std::vector<std::unique_ptr<T>>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return same(one, other);
  });
}

/// Makes values of any type of `every_type`. They get smaller the deeper they are.
class generator {
 public:
  explicit generator(std::uint64_t seed) : bits_(seed) {}

  std::size_t below(std::size_t limit) { return bits_() % limit; }

  template <class T>
  T make() {
    T value{};
    fill(value);
    return value;
  }

 private:
  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = below(2) == 1;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(below(3));
    } else if constexpr (std::is_floating_point_v<T>) {
      value = static_cast<T>(std::normal_distribution<double>(0, 1e6)(bits_));
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(bits_());
    } else {
      fill_object(value);
    }
  }
  template <class T>
    requires std::is_aggregate_v<T>
  void fill_object(T& value) {
    weft::distributed::detail::with_members(value, [&](auto&... member) { (fill(member), ...); });
  }
  template <class T, std::size_t n>
  void fill(T (&array)[n]) {
    for (auto& each : array) {
      fill(each);
    }
  }
  template <class T, std::size_t n>
  void fill_object(std::array<T, n>& array) {
    for (auto& each : array) {
      fill(each);
    }
  }
  template <class T>
  void fill_object(std::complex<T>& value) {
    value = {make<T>(), make<T>()};
  }
  template <class T, class P>
  void fill_object(std::chrono::duration<T, P>& value) {
    value = std::chrono::duration<T, P>(make<T>());
  }
  template <class C, class D>
  void fill_object(std::chrono::time_point<C, D>& value) {
    value = std::chrono::time_point<C, D>(make<D>());
  }
  template <std::size_t n>
  void fill_object(std::bitset<n>& value) {
    value = bits_();
  }
  void fill_object(std::vector<bool>& value) {
    value.resize(below(30));
    for (auto each : value) {
      each = below(2) == 1;
    }
  }
  void fill_object(std::filesystem::path& value) { value = "/" + make<std::string>(); }
  void fill_object(account& value) {
    value = account(make<std::string>(), make<std::vector<double>>());
  }
  template <class... T>
  void fill_object(std::tuple<T...>& value) {
    std::apply([&](auto&... part) { (fill(part), ...); }, value);
  }
  template <class A, class B>
  void fill_object(std::pair<A, B>& value) {
    value = {make<A>(), make<B>()};
  }
  template <class T>
  void fill_object(std::optional<T>& value) {
    if (below(3) != 0) {
      fill(value.emplace());
    }
  }
  template <class T>
  void fill_object(std::unique_ptr<T>& value) {
    if (below(3) != 0) {
      value = std::make_unique<T>();
      fill(*value);
    }
  }
  void fill_object(std::monostate& /*value*/) {}
  void fill_object(mixed& value) {
    const std::size_t index = below(std::variant_size_v<mixed>);
    value = index == 0   ? mixed()
            : index == 1 ? mixed(make<int>())
            : index == 2 ? mixed(make<std::string>())
                         : mixed(make<std::vector<point>>());
  }
  template <class Container>
    requires requires(Container& c) {
      typename Container::value_type;
      c.insert(c.end(), std::declval<typename Container::value_type>());
    }
  void fill_object(Container& value) {
    // Three in ten are empty; long ones become parts.
    const std::size_t most = std::is_arithmetic_v<typename Container::value_type> ? 40 : 4;
    const std::size_t count = below(10) < 3 || depth_ > 3 ? 0 : below(most);
    ++depth_;
    for (std::size_t i = 0; i < count; ++i) {
      using element = typename Container::value_type;
      if constexpr (requires { typename Container::mapped_type; }) {
        value.insert(
            {make<typename Container::key_type>(), make<typename Container::mapped_type>()});
      } else {
        value.insert(value.end(), make<element>());
      }
    }
    --depth_;
  }

  std::mt19937_64 bits_;
  int depth_ = 0;
};

/// What travels: bytes, and parts beside them.
struct message {
  std::vector<std::byte> bytes;
  std::vector<std::vector<std::byte>> parts;

  [[nodiscard]] std::size_t num_part_bytes() const {
    std::size_t sum = 0;
    for (const auto& each : parts) {
      sum += each.size();
    }
    return sum;
  }
};

template <class T>
message written(const T& value, std::size_t threshold = 8192) {
  weft::distributed::output_archive out(threshold);
  out(value);
  message made;
  for (const weft::distributed::part& each : out.parts()) {
    made.parts.emplace_back(each.data, each.data + each.size);
  }
  made.bytes = out.take_bytes();
  return made;
}

/// Puts the parts where they belong; false if there is another number or size of them.
inline bool deliver(const message& sent, std::span<const weft::distributed::part_to_fill> places) {
  const bool fits =
      std::equal(sent.parts.begin(),
                 sent.parts.end(),
                 places.begin(),
                 places.end(),
                 [](const auto& part, const auto& place) { return part.size() == place.size; });
  for (std::size_t i = 0; fits && i < places.size(); ++i) {
    std::memcpy(places[i].data, sent.parts[i].data(), places[i].size);
  }
  return fits;
}

}  // namespace sent_types
