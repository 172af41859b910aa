// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs, check and serial form of problem intersim.
#include "lab/inncabs/intersim/intersim.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/intersim/net.hpp"

namespace weft::lab::inncabs::intersim {
namespace {

/// The number of reductions does not depend on their order (Lafont's strong confluence). With n
/// factors there are: n + 1 of the product with a number, and of the eraser; n * (n + 1) of the
/// copies; and i * n + 1 of the sum to which i * n was given, for i from 0 to n - 1.
std::uint64_t num_interactions(std::uint64_t n) {
  return 2 * (n + 1) + n * (n + 1) + (n == 0 ? 0 : n * n * (n - 1) / 2) + n;
}

}  // namespace

input make_input(input_class which, std::uint64_t /*seed*/) {
  switch (which) {
    case input_class::tiny:
      return {.factor = 15};
    case input_class::small:
      return {.factor = 270};
    case input_class::paper:
      break;
  }
  return {.factor = 150};
}

result run_serial(const input& from) {
  net cells(from.factor);
  std::vector<active_pair> waiting{cells.first_pair()};
  std::uint64_t interactions = 0;
  for (; !waiting.empty(); ++interactions) {
    const active_pair next = waiting.back();
    waiting.pop_back();
    const active_pairs made = cells.interact(next);
    waiting.insert(waiting.end(), made.begin(), made.end());
  }
  return {.product = cells.value(), .num_interactions = interactions};
}

std::string mismatch(const input& from, const result& found) {
  if (!found.product) {
    return "the net did not end in a number";
  }
  const std::uint64_t product = std::uint64_t{from.factor} * from.factor;
  if (*found.product != product) {
    return "the product is " + std::to_string(*found.product) + ", expected " +
           std::to_string(product);
  }
  const std::uint64_t interactions = num_interactions(from.factor);
  if (found.num_interactions != interactions) {
    return std::to_string(found.num_interactions) + " interactions, expected " +
           std::to_string(interactions);
  }
  return "";
}

std::optional<std::uint64_t> num_tasks(const input& from) { return num_interactions(from.factor); }

std::size_t memory_bytes(input_class which) {
  constexpr std::size_t per_interaction = 32;
  return per_interaction * num_interactions(make_input(which, 0).factor);
}

std::string scaled(input_class /*which*/) { return ""; }

}  // namespace weft::lab::inncabs::intersim
