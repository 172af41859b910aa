// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms on the numbers of buffers, without the GIL.
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include <nanobind/nanobind.h>
// Conversions, which nothing names.
#include <nanobind/stl/optional.h>  // IWYU pragma: keep
#include <nanobind/stl/string.h>    // IWYU pragma: keep
#include <nanobind/stl/variant.h>   // IWYU pragma: keep

#include "weft/algorithms/all_of.hpp"
#include "weft/algorithms/histogram.hpp"
#include "weft/algorithms/min_max.hpp"
#include "weft/algorithms/parameters.hpp"
#include "weft/algorithms/partition.hpp"
#include "weft/algorithms/policy.hpp"
#include "weft/algorithms/scan.hpp"
#include "weft/algorithms/sort.hpp"
#include "weft/algorithms/transform_reduce.hpp"
#include "weft/tasks/runtime.hpp"

#include "_weft_buffer.hpp"
#include "_weft_parts.hpp"

namespace weft::python {

namespace nb = nanobind;

namespace {

using number = std::variant<std::int64_t, std::uint64_t, double>;

/// The type in which numbers of type T are summed: NumPy's for integers.
template <class T>
using sum_of =
    std::conditional_t<std::floating_point<T>,
                       T,
                       std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>>;

/// All workers, or at most `most`.
auto policy_for(std::optional<int> most) {
  if (most && *most < 1) {
    throw nb::value_error(("num_workers is " + std::to_string(*most) + "; the least is 1").c_str());
  }
  const auto limit = most ? std::optional(static_cast<std::size_t>(*most)) : std::nullopt;
  return par.with(num_cores{limit});
}

bool is_nan(std::floating_point auto x) noexcept { return std::isnan(x); }

void sort(const nb::object& values, std::optional<int> num_workers) {
  const buffer in(values, access::write, "values");
  const auto policy = policy_for(num_workers);
  with_numbers(in, [&]<class T>(std::span<T> numbers) {
    const gil_released unlocked;
    auto last = numbers.end();
    if constexpr (std::floating_point<T>) {  // NaN has no place in an order: last, as in NumPy
      if (weft::any_of(policy, numbers.begin(), last, is_nan<T>)) {
        last = weft::partition(policy, numbers.begin(), last, [](T x) { return !is_nan(x); });
      }
    }
    weft::sort(policy, numbers.begin(), last);
  });
}

number sum(const nb::object& values, std::optional<int> num_workers) {
  const buffer in(values, access::read, "values");
  const auto policy = policy_for(num_workers);
  return with_numbers(in, [&]<class T>(std::span<T> numbers) -> number {
    const gil_released unlocked;
    if constexpr (std::floating_point<T>) {
      return weft::transform_reduce(
          policy.with(deterministic), numbers.begin(), numbers.end(), 0.0, std::plus<>(), [](T x) {
            return static_cast<double>(x);
          });
    } else {  // unsigned numbers may overflow
      return static_cast<sum_of<T>>(weft::transform_reduce(
          policy, numbers.begin(), numbers.end(), std::uint64_t{0}, std::plus<>(), [](T x) {
            return static_cast<std::uint64_t>(x);
          }));
    }
  });
}

enum class extreme : std::uint8_t { least, greatest };

template <extreme which>
number extreme_of(const nb::object& values, std::optional<int> num_workers) {
  const buffer in(values, access::read, "values");
  if (in.size() == 0) {
    throw nb::value_error("values is empty: it has no least and no greatest number");
  }
  const auto policy = policy_for(num_workers);
  return with_numbers(in, [&]<class T>(std::span<T> numbers) -> number {
    const gil_released unlocked;
    using result = std::conditional_t<std::floating_point<T>, double, sum_of<T>>;
    if constexpr (std::floating_point<T>) {
      if (weft::any_of(policy, numbers.begin(), numbers.end(), is_nan<T>)) {
        return std::numeric_limits<double>::quiet_NaN();
      }
    }
    if constexpr (which == extreme::least) {
      return static_cast<result>(*weft::min_element(policy, numbers.begin(), numbers.end()));
    } else {
      return static_cast<result>(*weft::max_element(policy, numbers.begin(), numbers.end()));
    }
  });
}

/// NumPy's name of the type of a cumulative sum.
std::string sum_type(const nb::object& values) {
  const buffer in(values, access::read, "values");
  return with_numbers(in, []<class T>(std::span<T> /*numbers*/) -> std::string {
    if constexpr (std::floating_point<T>) {
      return sizeof(T) == sizeof(float) ? "float32" : "float64";
    } else {
      return std::signed_integral<T> ? "int64" : "uint64";
    }
  });
}

/// The same memory, or none that both have.
void check_overlap(const buffer& in, const buffer& out) {
  const std::less<> is_before;
  const bool are_apart = !is_before(out.data(), in.data() + in.size_bytes()) ||
                         !is_before(in.data(), out.data() + out.size_bytes());
  if (!are_apart && (in.data() != out.data() || in.kind() != out.kind())) {
    throw nb::value_error("out overlaps values; pass values itself, or other memory");
  }
}

void cumulative_sum(const nb::object& values,
                    const nb::object& into,
                    std::optional<int> num_workers) {
  const buffer in(values, access::read, "values");
  const buffer out(into, access::write, "out");
  if (in.size() != out.size()) {
    throw nb::value_error(("out has " + std::to_string(out.size()) + " numbers instead of the " +
                           std::to_string(in.size()) + " of values")
                              .c_str());
  }
  check_overlap(in, out);
  const auto policy = policy_for(num_workers);
  const number_kind kind = out.kind();
  with_numbers(in, [&]<class T>(std::span<T> numbers) {
    using result = sum_of<T>;
    const number_kind wanted = std::same_as<result, float>           ? number_kind::float32
                               : std::same_as<result, double>        ? number_kind::float64
                               : std::same_as<result, std::uint64_t> ? number_kind::uint64
                                                                     : number_kind::int64;
    if (kind != wanted) {
      throw nb::type_error("out has numbers of another type than the sums; leave it out");
    }
    const gil_released unlocked;
    if constexpr (std::floating_point<T>) {
      weft::inclusive_scan(policy, numbers.begin(), numbers.end(), out.numbers<result>().begin());
    } else {  // unsigned numbers may overflow, and may refer to signed ones
      weft::transform_inclusive_scan(policy,
                                     numbers.begin(),
                                     numbers.end(),
                                     out.numbers<std::uint64_t>().begin(),
                                     std::plus<>(),
                                     [](T x) { return static_cast<std::uint64_t>(x); });
    }
  });
}

std::string text_of(double number) { return nb::cast<std::string>(nb::str(nb::float_(number))); }

void histogram(const nb::object& values,
               double low,
               double high,
               const nb::object& counts,
               std::optional<int> num_workers) {
  const buffer in(values, access::read, "values");
  const buffer out(counts, access::write, "counts");
  if (out.kind() != number_kind::int64) {
    throw nb::type_error("counts are int64");
  }
  if (out.size() == 0) {
    throw nb::value_error("there is no bin; the least is 1");
  }
  // Also false for NaN, and for an infinite width: the bins are found by division by the width.
  if (!(low < high) || !std::isfinite(high - low)) {
    throw nb::value_error(("low is " + text_of(low) + " and high is " + text_of(high) +
                           "; low must be less than high, and high - low finite")
                              .c_str());
  }
  check_overlap(in, out);
  const auto policy = policy_for(num_workers);
  with_numbers(in, [&]<class T>(std::span<T> numbers) {
    const gil_released unlocked;
    weft::histogram(policy,
                    numbers.begin(),
                    numbers.end(),
                    out.size(),
                    low,
                    high,
                    out.numbers<std::int64_t>().begin());
  });
}

}  // namespace

void add_algorithms(nb::module_& to) {
  using nb::arg;
  using nb::none;
  to.def("sort", &sort, arg("values").none(), arg("num_workers") = none());
  to.def("sum", &sum, arg("values").none(), arg("num_workers") = none());
  to.def("min", &extreme_of<extreme::least>, arg("values").none(), arg("num_workers") = none());
  to.def("max", &extreme_of<extreme::greatest>, arg("values").none(), arg("num_workers") = none());
  to.def("sum_type", &sum_type, arg("values").none());
  to.def("cumsum",
         &cumulative_sum,
         arg("values").none(),
         arg("out").none(),
         arg("num_workers") = none());
  to.def("histogram",
         &histogram,
         arg("values").none(),
         arg("low"),
         arg("high"),
         arg("counts"),
         arg("num_workers") = none());
  to.def("num_workers", [] { return default_runtime().num_workers(); });
  to.def("set_num_workers", [](int num_workers) { default_runtime().resize(num_workers); });
}

}  // namespace weft::python
