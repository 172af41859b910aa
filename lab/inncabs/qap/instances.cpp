// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instances: trees of flows, one table of distances, and the published optima.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "lab/inncabs/input_class.hpp"
#include "lab/inncabs/qap/qap.hpp"

namespace weft::lab::inncabs::qap {
namespace {

constexpr std::size_t full_size = 12;
using per_facility = std::array<std::uint8_t, full_size>;

/// The flow between a facility and its parent, in each of the three trees. Facility 0 is the root.
constexpr per_facility flow_to_parent{0, 90, 10, 23, 43, 88, 26, 16, 1, 96, 29, 37};

/// Distances between locations, of chr12a, chr12b and chr12c alike: row i holds those to the
/// locations after i.
constexpr std::array<std::uint8_t, full_size*(full_size - 1) / 2> distances{
    36, 54, 26, 59, 72, 9,  34, 79, 17, 46, 95,  //
    73, 35, 90, 58, 30, 78, 35, 44, 79, 36,      //
    21, 10, 97, 58, 66, 69, 61, 54, 63,          //
    93, 12, 46, 40, 37, 48, 68, 85,              //
    64, 5,  29, 76, 16, 5,  76,                  //
    96, 55, 38, 54, 0,  34,                      //
    83, 35, 11, 56, 37,                          //
    44, 12, 15, 80,                              //
    64, 39, 33,                                  //
    70, 86,                                      //
    18};

/// The instance has the first `size` facilities and locations.
struct instance {
  std::string_view name;
  std::size_t size;
  per_facility parent;
  std::int64_t optimum;
};

constexpr per_facility tree_a{0, 0, 0, 0, 0, 1, 2, 2, 5, 7, 8, 9};
constexpr per_facility tree_b{0, 0, 0, 0, 0, 0, 2, 2, 4, 4, 4, 4};
constexpr per_facility tree_c{0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

// Optima of size 12: QAPLIB. The other is proved by tests/inncabs/qap_test.cpp.
constexpr std::array<instance, 4> instances{
    {{.name = "chr12a_8", .size = 8, .parent = tree_a, .optimum = 7638},
     {.name = "chr12a", .size = 12, .parent = tree_a, .optimum = 9552},
     {.name = "chr12b", .size = 12, .parent = tree_b, .optimum = 9742},
     {.name = "chr12c", .size = 12, .parent = tree_c, .optimum = 11156}}};

const instance& instance_named(std::string_view name) {
  const auto* const found = std::find_if(
      instances.begin(), instances.end(), [&](const auto& each) { return each.name == name; });
  if (found == instances.end()) {
    std::string known;
    for (const instance& each : instances) {
      known += (known.empty() ? "" : ", ") + std::string(each.name);
    }
    throw std::invalid_argument("there is no instance '" + std::string(name) +
                                "' of qap; choose one of " + known);
  }
  return *found;
}

void fill_flow(const instance& from, input& made) {
  for (std::size_t child = 1; child < from.size; ++child) {
    const std::size_t parent = from.parent[child];
    made.flow[child * from.size + parent] = flow_to_parent[child];
    made.flow[parent * from.size + child] = flow_to_parent[child];
  }
}

void fill_distance(const instance& from, input& made) {
  std::size_t next = 0;
  for (std::size_t i = 0; i < full_size; ++i) {
    for (std::size_t j = i + 1; j < full_size; ++j, ++next) {
      if (j < from.size) {
        made.distance[i * from.size + j] = distances[next];
        made.distance[j * from.size + i] = distances[next];
      }
    }
  }
}

}  // namespace

input make_instance(std::string_view name) {
  const instance& from = instance_named(name);
  input made;
  made.name = from.name;
  made.size = from.size;
  made.flow.resize(from.size * from.size);
  made.distance.resize(from.size * from.size);
  made.optimum = from.optimum;
  fill_flow(from, made);
  fill_distance(from, made);
  return made;
}

input make_input(input_class which, std::uint64_t /*seed*/) {
  constexpr std::array<std::string_view, input_classes.size()> names{
      "chr12a_8", "chr12a", "chr12c"};
  return make_instance(names[static_cast<std::size_t>(which)]);
}

std::string scaled(input_class /*which*/) { return {}; }

}  // namespace weft::lab::inncabs::qap
