// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of /parallel_algorithms/*, and the formulas from sums over calls to values.
#include "counters/families/algorithms.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "weft/counters/algorithm_counts.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/worker_block.hpp"

#include "counters/core/family_rows.hpp"
#include "counters/core/tick_buckets.hpp"

namespace weft::counters::detail {
namespace {

using sums = algorithm_sums<std::uint64_t>;

sums difference(const sums& now, const sums& since) noexcept {
  sums rest = now;
  for (const auto member : algorithm_sum_members<std::uint64_t>) {
    rest.*member -= since.*member;
  }
  for (std::size_t i = 0; i < rest.chunk_sizes.weight.size(); ++i) {
    rest.chunk_sizes.weight[i] -= since.chunk_sizes.weight[i];
  }
  return rest;
}

template <std::uint64_t sums::* member>
counter_value count(const sums& of) {
  return {.value = static_cast<std::int64_t>(of.*member)};
}

counter_value chunk_size(const sums& of) {
  if (of.num_chunks == 0) {
    return {.value = std::nullopt, .reason = "no parallel algorithm has cut anything"};
  }
  return {.value = static_cast<double>(of.num_elements) / static_cast<double>(of.num_chunks)};
}

counter_value chunk_sizes(const sums& of) { return {.value = to_histogram(of.chunk_sizes, 1)}; }

counter_value imbalance(const sums& of) {
  constexpr double whole_share = 10'000;
  if (of.mean_shares_ns == 0) {
    return {.value = std::nullopt, .reason = "no parallel algorithm has told how long it took"};
  }
  const double ratio =
      static_cast<double>(of.longest_shares_ns) / static_cast<double>(of.mean_shares_ns);
  return {.value = static_cast<std::int64_t>(std::llround(whole_share * (ratio - 1)))};
}

struct algorithm_row {
  std::string_view name;
  std::string_view unit;
  counter_kind kind;
  counter_value (*value)(const sums& since_reset);
  std::string_view help;
};

// clang-format off
constexpr std::array rows = {
algorithm_row{"/parallel_algorithms/count/calls", "", counter_kind::total, count<&sums::num_calls>,
  "Calls of parallel algorithms that have ended."},
algorithm_row{"/parallel_algorithms/count/elements", "", counter_kind::total, count<&sums::num_elements>,
  "Elements that they went over."},
algorithm_row{"/parallel_algorithms/count/chunks", "", counter_kind::total, count<&sums::num_chunks>,
  "Chunks that they cut these into."},
algorithm_row{"/parallel_algorithms/count/sequential-calls", "", counter_kind::total, count<&sums::num_alone>,
  "Calls that measured their work and ran on the calling thread alone, because waking workers "
  "would not have paid. Very short calls are rarely measured and not counted."},
algorithm_row{"/parallel_algorithms/count/dropped-exceptions", "", counter_kind::total, count<&sums::num_dropped_exceptions>,
  "Exceptions that were not rethrown, since another one of the same call came first."},
algorithm_row{"/parallel_algorithms/chunk-size", "elements", counter_kind::quotient, chunk_size,
  "Elements per chunk."},
algorithm_row{"/parallel_algorithms/histogram/chunk-size", "elements", counter_kind::histogram, chunk_sizes,
  "How large chunks were, each as large as the mean of its call."},
algorithm_row{"/parallel_algorithms/imbalance", "0.01%", counter_kind::quotient, imbalance,
  "How much longer the slowest worker of a call took than the mean of its workers, weighted by time: 10000 is twice as long."},
};
// clang-format on

class algorithm_counter final : public counter {
 public:
  algorithm_counter(const algorithm_row& row, const algorithm_counts& counts)
      : row_(row), counts_(counts) {}

  [[nodiscard]] counter_value evaluate(evaluation& now) override {
    return row_.value(difference(read(now), since_));
  }
  void reset(evaluation& now) override { since_ = read(now); }

 private:
  sums read(evaluation& now) const {
    return *now.once<sums>(&counts_, [this] { return std::make_shared<sums>(counts_.read()); });
  }

  const algorithm_row& row_;
  const algorithm_counts& counts_;
  sums since_;
};

}  // namespace

std::vector<counter_family> algorithm_families(const algorithm_counts& counts) {
  std::vector<counter_family> families;
  for (const algorithm_row& row : rows) {
    counter_family& added = families.emplace_back();
    added.type = type_of_row(row);
    added.instances = [type = added.type] { return std::vector{total_of(type)}; };
    added.make = [&row, &counts](const counter_name& name) {
      refuse_parameters(name);
      return std::make_unique<algorithm_counter>(row, counts);
    };
  }
  return families;
}

}  // namespace weft::counters::detail
