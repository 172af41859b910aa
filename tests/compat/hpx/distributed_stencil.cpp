// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The heat equation on a ring, in the style of HPX: partitions are components, and a tree of
// dataflow connects the time steps. The result is compared with a loop over an array.
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <hpx/hpx.hpp>
#include <hpx/hpx_init.hpp>
#include <hpx/modules/testing.hpp>

// NOLINTBEGIN(misc-include-cleaner): HPX's programs rely on a few large headers

namespace {

constexpr std::size_t num_partitions = 6;
constexpr std::size_t cells_per_partition = 8;
constexpr std::size_t num_steps = 20;

using cells = std::vector<double>;

double heat(double left, double middle, double right) {
  return middle + 0.25 * (left - 2 * middle + right);
}

struct partition_server : hpx::components::component_base<partition_server> {
  partition_server() = default;
  explicit partition_server(cells first) : data(std::move(first)) {}
  [[nodiscard]] cells get_data() const { return data; }
  HPX_DEFINE_COMPONENT_DIRECT_ACTION(partition_server, get_data, get_data_action)
  cells data;
};

struct partition : hpx::components::client_base<partition, partition_server> {
  using base_type = hpx::components::client_base<partition, partition_server>;
  partition() = default;
  partition(const hpx::id_type& where, cells data)
      : base_type(hpx::new_<partition_server>(hpx::colocated(where), std::move(data))) {}
  partition(hpx::future<hpx::id_type>&& id) : base_type(std::move(id)) {}
  partition(hpx::future<partition>&& other) : base_type(std::move(other)) {}
  [[nodiscard]] hpx::future<cells> get_data() const {
    return hpx::async(partition_server::get_data_action(), get_id());
  }
};

cells advanced(const cells& left, const cells& middle, const cells& right) {
  cells next(middle.size());
  for (std::size_t i = 0; i < middle.size(); ++i) {
    next[i] = heat(i == 0 ? left.back() : middle[i - 1],
                   middle[i],
                   i + 1 == middle.size() ? right.front() : middle[i + 1]);
  }
  return next;
}

partition heat_part(const partition& left, const partition& middle, const partition& right) {
  return hpx::dataflow(hpx::unwrapping([middle](const cells& l, const cells& m, const cells& r) {
                         return partition(middle.get_id(), advanced(l, m, r));
                       }),
                       left.get_data(),
                       middle.get_data(),
                       right.get_data());
}

}  // namespace

HPX_PLAIN_ACTION(heat_part, heat_part_action)
using hpx::id_type;

namespace {

std::vector<partition> solve() {
  const std::vector<id_type> localities = hpx::find_all_localities();
  const auto locality_of = [&](std::size_t i) {
    return localities[i * localities.size() / num_partitions];
  };
  std::vector<std::vector<partition>> space(2, std::vector<partition>(num_partitions));
  for (std::size_t i = 0; i < num_partitions; ++i) {
    cells first(cells_per_partition);
    for (std::size_t j = 0; j < cells_per_partition; ++j) {
      first[j] = static_cast<double>(i * cells_per_partition + j);
    }
    space[0][i] = partition(locality_of(i), std::move(first));
  }
  using hpx::placeholders::_1;
  using hpx::placeholders::_2;
  using hpx::placeholders::_3;
  for (std::size_t t = 0; t < num_steps; ++t) {
    const std::vector<partition>& now = space[t % 2];
    for (std::size_t i = 0; i < num_partitions; ++i) {
      space[(t + 1) % 2][i] =
          hpx::dataflow(hpx::launch::async,
                        hpx::bind(heat_part_action(), locality_of(i), _1, _2, _3),
                        now[(i + num_partitions - 1) % num_partitions],
                        now[i],
                        now[(i + 1) % num_partitions]);
    }
  }
  return space[num_steps % 2];
}

cells solved_by_a_loop() {
  cells now(num_partitions * cells_per_partition);
  for (std::size_t i = 0; i < now.size(); ++i) {
    now[i] = static_cast<double>(i);
  }
  for (std::size_t t = 0; t < num_steps; ++t) {
    now = advanced({now.back()}, now, {now.front()});
  }
  return now;
}

}  // namespace

int hpx_main() {
  const std::vector<partition> solution = solve();
  const cells expected = solved_by_a_loop();
  for (std::size_t i = 0; i < num_partitions; ++i) {
    const cells part = solution[i].get_data().get();
    HPX_TEST_EQ(part.size(), cells_per_partition);
    for (std::size_t j = 0; j < part.size(); ++j) {
      HPX_TEST_LT(std::abs(part[j] - expected[i * cells_per_partition + j]), 1e-9);
    }
  }
  const std::size_t num_localities = hpx::get_num_localities(hpx::launch::sync);
  HPX_TEST_EQ(hpx::naming::get_locality_id_from_id(solution.back().get_id()), num_localities - 1);
  hpx::finalize();
  return hpx::util::report_errors();
}

int main(int argc, char** argv) { return hpx::init(argc, argv); }

// NOLINTEND(misc-include-cleaner)
