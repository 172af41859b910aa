// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Taylor series of ln(1+x) in every layout, checked against its exact sum before it is timed.
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/approaches/operations.hpp"
#include "lab/approaches/problem.hpp"
#include "lab/approaches/series.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/harness/parameters.hpp"

namespace weft::lab::approaches {
namespace {

constexpr std::uint64_t terms_max = 1'000'000'000'000;
constexpr std::string_view terms = "a number of terms from 1 to 10^12";
bool is_number_of_terms(std::uint64_t n) { return n >= 1 && n <= terms_max; }

// x in units of 10^-9, as parameters are integers: one half, as in the paper's scripts.
constexpr parameter x_parameter{
    .name = "x_ppb", .minimum = 1, .maximum = 999'999'999, .default_value = 500'000'000};
constexpr double parts_of_one = 1e9;
// The listings call their programs with this x and ten threads.
constexpr double listing_x = 0.1;
constexpr std::size_t listing_parts = 10;

series series_of(const cell& what) {
  return {.n = what.size,
          .x = static_cast<double>(parameter_value(what, x_parameter.name)) / parts_of_one,
          .num_parts = static_cast<std::size_t>(what.threads)};
}

/// All digits, since errors are often in the last one.
std::string digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

/// Written so that NaN is a mismatch.
verdict compared(double found, double expected, double error_allowed) {
  if (std::abs(found - expected) <= error_allowed) {
    return {};
  }
  return {"the sum is " + digits(found) + ", expected " + digits(expected) + " within " +
          digits(error_allowed)};
}

/// Returns the verdict of `at_own_x`; if that is right, the verdict of `where_all_count`. At x =
/// 0.5, terms after the first hundred do not change the sum, so errors in them would not be seen.
verdict both(const verdict& at_own_x, auto where_all_count) {
  if (!at_own_x.is_right()) {
    return at_own_x;
  }
  const verdict all = where_all_count();
  return all.is_right() ? verdict{}
                        : verdict{"at x = -1, where every term counts, " + all.mismatch};
}

series where_all_count(series what) {
  what.x = x_of_check;
  return what;
}

class sum_experiment : public experiment {
 public:
  sum_experiment(const series& what, double (*by)(const series& what), summation how)
      : what_(what), sum_(by), how_(how) {}

  verdict verify() override {
    return both(checked(what_), [this] { return checked(where_all_count(what_)); });
  }
  void prepare(std::size_t /*count*/) override {}
  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(what_);
      keep(sum_(what_));
    }
  }
  [[nodiscard]] std::size_t max_calls() const override { return std::size_t{1} << 30U; }
  [[nodiscard]] std::size_t bytes_min() const override { return 0; }

 protected:
  [[nodiscard]] double sum() const { return sum_(what_); }

 private:
  [[nodiscard]] verdict checked(const series& what) const {
    const auto expected = static_cast<double>(exact_sum(what));
    return compared(sum_(what), expected, error_max(expected, what.n, how_));
  }

  series what_;
  double (*sum_)(const series& what);
  summation how_;
};

/// As above, and no bit may depend on the order in which threads work.
class repeatable_experiment final : public sum_experiment {
 public:
  using sum_experiment::sum_experiment;

  verdict verify() override {
    verdict first = sum_experiment::verify();
    const double once = sum();
    const double again = sum();
    fingerprint_ = digits(once);
    if (first.is_right() &&
        std::bit_cast<std::uint64_t>(once) != std::bit_cast<std::uint64_t>(again)) {
      return {"one call gives " + digits(once) + ", the next " + digits(again)};
    }
    return first;
  }
  [[nodiscard]] std::string fingerprint() const override { return fingerprint_; }

 private:
  std::string fingerprint_;
};

/// The numbers 1 ... n are written before every call, as the call overwrites them.
class vector_experiment final : public experiment {
 public:
  struct call {
    double (*whole)(const series& what, double* terms);
    double (*chunked)(const series& what, const chunking& how, double* terms);
    chunking how;
  };

  vector_experiment(const series& what, const call& by) : what_(what), by_(by), terms_(what.n) {}

  verdict verify() override {
    return both(checked(what_), [this] { return checked(where_all_count(what_)); });
  }
  void prepare(std::size_t /*count*/) override { std::iota(terms_.begin(), terms_.end(), 1.0); }
  void run(std::size_t /*count*/) override { keep(sum(what_)); }
  [[nodiscard]] std::size_t max_calls() const override { return 1; }
  [[nodiscard]] std::size_t bytes_min() const override { return 2 * sizeof(double) * what_.n; }

 private:
  double sum(const series& what) {
    return by_.whole != nullptr ? by_.whole(what, terms_.data())
                                : by_.chunked(what, by_.how, terms_.data());
  }
  verdict checked(const series& what) {
    prepare(1);
    const auto expected = static_cast<double>(exact_sum(what));
    return compared(sum(what), expected, error_max(expected, what.n, summation::in_order));
  }

  series what_;
  call by_;
  std::vector<double> terms_;
};

template <class Experiment, auto member>
std::unique_ptr<experiment> start_sum(const cell& what, const operations& by) {
  if (by.*member == nullptr) {
    return nullptr;
  }
  constexpr bool has_vector = member == &operations::from_scratch;
  constexpr bool is_ordered = member == &operations::deterministic;
  const summation how = has_vector   ? summation::in_order
                        : is_ordered ? summation::pairwise
                                     : by.fused_summation;
  return std::make_unique<Experiment>(series_of(what), by.*member, how);
}

std::unique_ptr<experiment> start_listing(const cell& what, const operations& by) {
  if (by.fused == nullptr) {
    return nullptr;
  }
  const series small{.n = what.size, .x = listing_x, .num_parts = listing_parts};
  return std::make_unique<sum_experiment>(small, by.fused, by.fused_summation);
}

std::unique_ptr<experiment> start_vector(const cell& what, const operations& by) {
  if (by.over_vector == nullptr) {
    return nullptr;
  }
  return std::make_unique<vector_experiment>(
      series_of(what),
      vector_experiment::call{.whole = by.over_vector, .chunked = nullptr, .how = {}});
}

template <schedule_kind kind>
std::unique_ptr<experiment> start_chunked(const cell& what, const operations& by) {
  if (by.chunked == nullptr || (kind == schedule_kind::guided && !by.has_guided_chunks)) {
    return nullptr;
  }
  chunking how{.kind = kind};
  if constexpr (kind != schedule_kind::automatic) {
    how.chunk_size = static_cast<std::size_t>(parameter_value(what, "chunk_size"));
  }
  return std::make_unique<vector_experiment>(
      series_of(what),
      vector_experiment::call{.whole = nullptr, .chunked = by.chunked, .how = how});
}

std::size_t no_bytes(const cell& /*what*/) { return 0; }
std::size_t one_vector(const cell& what) { return sizeof(double) * what.size; }
std::uint64_t one_per_thread(const cell& what) { return static_cast<std::uint64_t>(what.threads); }
std::uint64_t one_per_part(const cell& /*what*/) { return listing_parts; }

// OpenMP takes an int.
constexpr std::int64_t chunk_size_max = 1'000'000'000;

problem with_sum(std::string_view id, decltype(problem::start) start) {
  return {.id = id,
          .sizes = terms,
          .takes_size = is_number_of_terms,
          .parameters = {x_parameter},
          .memory_bytes = no_bytes,
          .num_tasks = one_per_thread,
          .start = start};
}

problem with_vector(problem made, std::int64_t chunk_size = 0) {
  made.memory_bytes = one_vector;
  if (chunk_size > 0) {
    made.parameters.push_back({.name = "chunk_size",
                               .minimum = 1,
                               .maximum = chunk_size_max,
                               .default_value = chunk_size});
  }
  return made;
}

std::vector<problem> table() {
  using enum schedule_kind;
  problem listing = with_sum("taylor_listing", start_listing);
  listing.parameters.clear();
  listing.num_tasks = one_per_part;
  return {with_vector(with_sum("taylor_auto", start_chunked<automatic>)),
          with_sum("taylor_deterministic",
                   start_sum<repeatable_experiment, &operations::deterministic>),
          with_vector(with_sum("taylor_dynamic", start_chunked<dynamic>), 1'000'000),
          with_sum("taylor_fused", start_sum<sum_experiment, &operations::fused>),
          with_vector(with_sum("taylor_guided", start_chunked<guided>), 1),
          listing,
          with_vector(
              with_sum("taylor_setup_timed", start_sum<sum_experiment, &operations::from_scratch>)),
          with_vector(with_sum("taylor_static", start_chunked<fixed>), 10),
          with_vector(with_sum("taylor_vector", start_vector))};
}

}  // namespace

std::span<const problem> taylor_problems() {
  static const std::vector<problem> rows = table();
  return rows;
}

}  // namespace weft::lab::approaches
