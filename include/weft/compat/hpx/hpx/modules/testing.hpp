// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HPX's checks for tests: each tells what failed, and the program returns whether any did.
#pragma once

#include <cstddef>
#include <functional>
#include <iostream>
#include <ostream>
#include <source_location>
#include <sstream>
#include <string_view>
#include <type_traits>

#include <hpx/assert.hpp>  // IWYU pragma: export
#include <hpx/config.hpp>  // IWYU pragma: export

namespace hpx::util {

enum class counter_type : unsigned char { sanity, test };

/// Writes how many checks failed, to std::cerr or `out`, if any did; 1 then, else 0.
int report_errors();
int report_errors(std::ostream& out);

namespace detail {

/// Counts a check that failed and writes where and what it was.
void report_failure(std::ostream& out,
                    counter_type kind,
                    std::string_view what,
                    std::string_view values,
                    const std::source_location& where);
[[nodiscard]] std::size_t num_failures(counter_type kind) noexcept;

template <class T>
void write_value(std::ostream& out, const T& value) {
  if constexpr (requires { out << value; }) {
    out << value;
  } else if constexpr (std::is_enum_v<T>) {
    out << static_cast<long long>(value);
  } else {
    out << "(a value that cannot be written)";
  }
}

/// A check of the kind `kind`, with the given stream if there is one.
class check {
 public:
  explicit check(counter_type kind, std::ostream& out = std::cerr) noexcept
      : out_(&out), kind_(kind) {}

  template <class Text>
  bool that(bool holds, const std::source_location& where, const Text& what) const {
    if (!holds) {
      report_failure(*out_, kind_, what, {}, where);
    }
    return holds;
  }
  /// `compare` orders neighbours among the values; all of them are written when one is wrong.
  template <class Compare, class Text, class A, class B>
  bool compared(Compare compare,
                const std::source_location& where,
                const Text& what,
                const A& a,
                const B& b) const {
    return compare(a, b) || failed(where, what, a, b);
  }
  template <class Text, class X, class Low, class High>
  bool in_range(const std::source_location& where,
                const Text& what,
                const X& x,
                const Low& low,
                const High& high) const {
    constexpr std::less_equal<> compare;
    return (compare(low, x) && compare(x, high)) || failed(where, what, x, low, high);
  }

 private:
  template <class Text, class... Values>
  bool failed(const std::source_location& where, const Text& what, const Values&... values) const {
    std::ostringstream text;
    std::string_view separator = ": ";
    ((text << separator, detail::write_value(text, values), separator = ", "), ...);
    report_failure(*out_, kind_, what, text.view(), where);
    return false;
  }

  std::ostream* out_;
  counter_type kind_;
};

}  // namespace detail
}  // namespace hpx::util

// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses): HPX's names; arguments
// are expressions, evaluated once.
#define WEFT_HPX_CHECK(kind) ::hpx::util::detail::check(::hpx::util::counter_type::kind)
#define WEFT_HPX_CHECK_TO(kind, out) \
  ::hpx::util::detail::check(::hpx::util::counter_type::kind, out)
#define WEFT_HPX_HERE ::std::source_location::current()
#define WEFT_HPX_TRUE(checks, e, text) checks.that((e) ? true : false, WEFT_HPX_HERE, text)
#define WEFT_HPX_BINARY(checks, a, op, b, text) checks.compared(op, WEFT_HPX_HERE, text, a, b)
#define WEFT_HPX_RANGE(checks, x, low, high, text) \
  checks.in_range(WEFT_HPX_HERE, text, x, low, high)
#define WEFT_HPX_NTH(a1, a2, a3, a4, a5, name, ...) name
#define WEFT_HPX_BY_COUNT(f1, f2, f3, f4, f5, ...) \
  WEFT_HPX_NTH(__VA_ARGS__, f5, f4, f3, f2, f1, )(__VA_ARGS__)

#define HPX_TEST(...) WEFT_HPX_BY_COUNT(WEFT_HPX_TEST_1, WEFT_HPX_TEST_2, , , , __VA_ARGS__)
#define WEFT_HPX_TEST_1(e) WEFT_HPX_TRUE(WEFT_HPX_CHECK(test), e, "test '" #e "'")
#define WEFT_HPX_TEST_2(out, e) WEFT_HPX_TRUE(WEFT_HPX_CHECK_TO(test, out), e, "test '" #e "'")
#define HPX_TEST_MSG(...) \
  WEFT_HPX_BY_COUNT(, WEFT_HPX_TEST_MSG_2, WEFT_HPX_TEST_MSG_3, , , __VA_ARGS__)
#define WEFT_HPX_TEST_MSG_2(e, text) WEFT_HPX_TRUE(WEFT_HPX_CHECK(test), e, text)
#define WEFT_HPX_TEST_MSG_3(out, e, text) WEFT_HPX_TRUE(WEFT_HPX_CHECK_TO(test, out), e, text)
#define HPX_SANITY(...) WEFT_HPX_BY_COUNT(WEFT_HPX_SANITY_1, WEFT_HPX_SANITY_2, , , , __VA_ARGS__)
#define WEFT_HPX_SANITY_1(e) WEFT_HPX_TRUE(WEFT_HPX_CHECK(sanity), e, "sanity check '" #e "'")
#define WEFT_HPX_SANITY_2(out, e) \
  WEFT_HPX_TRUE(WEFT_HPX_CHECK_TO(sanity, out), e, "sanity check '" #e "'")

#define WEFT_HPX_PAIR_2(kind, op, sign, a, b) \
  WEFT_HPX_BINARY(WEFT_HPX_CHECK(kind), a, op, b, #kind " '" #a sign #b "'")
#define WEFT_HPX_PAIR_3(kind, op, sign, out, a, b) \
  WEFT_HPX_BINARY(WEFT_HPX_CHECK_TO(kind, out), a, op, b, #kind " '" #a sign #b "'")
#define WEFT_HPX_PAIR_MSG_3(kind, op, a, b, text) \
  WEFT_HPX_BINARY(WEFT_HPX_CHECK(kind), a, op, b, text)
#define WEFT_HPX_PAIR_MSG_4(kind, op, out, a, b, text) \
  WEFT_HPX_BINARY(WEFT_HPX_CHECK_TO(kind, out), a, op, b, text)
#define WEFT_HPX_PAIR(kind, op, sign, ...) \
  WEFT_HPX_NTH(__VA_ARGS__, , , WEFT_HPX_PAIR_3, WEFT_HPX_PAIR_2, , )(kind, op, sign, __VA_ARGS__)
#define WEFT_HPX_PAIR_MSG(kind, op, ...)                                      \
  WEFT_HPX_NTH(__VA_ARGS__, , WEFT_HPX_PAIR_MSG_4, WEFT_HPX_PAIR_MSG_3, , , ) \
  (kind, op, __VA_ARGS__)

#define HPX_TEST_EQ(...) WEFT_HPX_PAIR(test, ::std::equal_to<>(), " == ", __VA_ARGS__)
#define HPX_TEST_NEQ(...) WEFT_HPX_PAIR(test, ::std::not_equal_to<>(), " != ", __VA_ARGS__)
#define HPX_TEST_LT(...) WEFT_HPX_PAIR(test, ::std::less<>(), " < ", __VA_ARGS__)
#define HPX_TEST_LTE(...) WEFT_HPX_PAIR(test, ::std::less_equal<>(), " <= ", __VA_ARGS__)
#define HPX_TEST_EQ_MSG(...) WEFT_HPX_PAIR_MSG(test, ::std::equal_to<>(), __VA_ARGS__)
#define HPX_TEST_NEQ_MSG(...) WEFT_HPX_PAIR_MSG(test, ::std::not_equal_to<>(), __VA_ARGS__)
#define HPX_TEST_LT_MSG(...) WEFT_HPX_PAIR_MSG(test, ::std::less<>(), __VA_ARGS__)
#define HPX_TEST_LTE_MSG(...) WEFT_HPX_PAIR_MSG(test, ::std::less_equal<>(), __VA_ARGS__)
#define HPX_SANITY_EQ(...) WEFT_HPX_PAIR(sanity, ::std::equal_to<>(), " == ", __VA_ARGS__)
#define HPX_SANITY_NEQ(...) WEFT_HPX_PAIR(sanity, ::std::not_equal_to<>(), " != ", __VA_ARGS__)
#define HPX_SANITY_LT(...) WEFT_HPX_PAIR(sanity, ::std::less<>(), " < ", __VA_ARGS__)
#define HPX_SANITY_LTE(...) WEFT_HPX_PAIR(sanity, ::std::less_equal<>(), " <= ", __VA_ARGS__)
#define HPX_TEST_RANGE(x, low, high) \
  WEFT_HPX_RANGE(WEFT_HPX_CHECK(test), x, low, high, "test '" #low " <= " #x " <= " #high "'")
#define HPX_TEST_RANGE_MSG(x, low, high, text) \
  WEFT_HPX_RANGE(WEFT_HPX_CHECK(test), x, low, high, text)
#define HPX_SANITY_RANGE(x, low, high) \
  WEFT_HPX_RANGE(WEFT_HPX_CHECK(sanity), x, low, high, "sanity '" #low " <= " #x " <= " #high "'")

// Checks that a call throws an exception of this type.
#define WEFT_HPX_THROW(checks, e, type)                                                           \
  [&] {                                                                                           \
    try {                                                                                         \
      static_cast<void>(e);                                                                       \
    } catch (const type&) {                                                                       \
      return true;                                                                                \
    } catch (...) {                                                                               \
      return checks.that(false, WEFT_HPX_HERE, "another exception than " #type " from '" #e "'"); \
    }                                                                                             \
    return checks.that(false, WEFT_HPX_HERE, "no exception from '" #e "'");                       \
  }()
#define HPX_TEST_THROW(...) \
  WEFT_HPX_BY_COUNT(, WEFT_HPX_TEST_THROW_2, WEFT_HPX_TEST_THROW_3, , , __VA_ARGS__)
#define WEFT_HPX_TEST_THROW_2(e, type) WEFT_HPX_THROW(WEFT_HPX_CHECK(test), e, type)
#define WEFT_HPX_TEST_THROW_3(out, e, type) WEFT_HPX_THROW(WEFT_HPX_CHECK_TO(test, out), e, type)
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)
