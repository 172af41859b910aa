// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of /parallel_algorithms/*, and how its values follow from the sums over calls.
#include "counters/algorithm_families.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/counters/algorithm_counts.hpp"
#include "weft/counters/counter.hpp"
#include "weft/counters/name.hpp"
#include "weft/counters/registry.hpp"
#include "weft/counters/worker_block.hpp"

#include "counters/tick_buckets.hpp"

namespace weft::counters::detail {
namespace {

using sums = algorithm_sums<std::uint64_t>;

sums difference(const sums& now, const sums& since) noexcept {
  sums rest{.num_calls = now.num_calls - since.num_calls,
            .num_elements = now.num_elements - since.num_elements,
            .num_chunks = now.num_chunks - since.num_chunks,
            .num_alone = now.num_alone - since.num_alone,
            .num_dropped_exceptions = now.num_dropped_exceptions - since.num_dropped_exceptions,
            .longest_shares_ns = now.longest_shares_ns - since.longest_shares_ns,
            .mean_shares_ns = now.mean_shares_ns - since.mean_shares_ns,
            .chunk_sizes = {}};
  for (std::size_t i = 0; i < rest.chunk_sizes.weight.size(); ++i) {
    rest.chunk_sizes.weight[i] = now.chunk_sizes.weight[i] - since.chunk_sizes.weight[i];
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
  "Calls that measured their work and left it to the caller, since waking others would not have paid. Of those known to be short, few are measured and none is counted."},
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

std::unique_ptr<counter> make(const algorithm_row& row,
                              const algorithm_counts& counts,
                              const counter_name& name) {
  if (!name.parameters.empty()) {
    throw error("counter " + std::string(row.name) + " takes no parameters; leave out \"@" +
                name.parameters + '"');
  }
  return std::make_unique<algorithm_counter>(row, counts);
}

}  // namespace

void add_algorithm_families(registry& to,
                            std::vector<registration>& kept,
                            const algorithm_counts& counts) {
  for (const algorithm_row& row : rows) {
    kept.push_back(to.add(
        {.type = {.name = std::string(row.name),
                  .unit = std::string(row.unit),
                  .help = std::string(row.help),
                  .kind = row.kind},
         .instances = [&row] { return std::vector{complete(parse_counter_name(row.name))}; },
         .make = [&row, &counts](const counter_name& name) { return make(row, counts, name); }}));
  }
}

}  // namespace weft::counters::detail
