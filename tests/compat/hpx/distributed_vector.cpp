// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partitioned vectors as HPX's users write them, also one that all localities use by name.
#include <cstddef>
#include <functional>
#include <vector>

#include <hpx/hpx_init.hpp>
#include <hpx/include/partitioned_vector.hpp>
#include <hpx/modules/testing.hpp>

// NOLINTBEGIN(misc-include-cleaner): HPX's programs rely on a few large headers

HPX_REGISTER_PARTITIONED_VECTOR(long)
using vector = hpx::partitioned_vector<long>;

namespace {

using hpx::execution::par;
using hpx::execution::seq;

/// A function with data, in HPX's form.
struct times {
  long factor = 1;
  void operator()(long& each) const { each *= factor; }
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive & factor;
  }
};

/// Elements 0, 1, ... in parts on all localities.
vector numbered(std::size_t size, const hpx::container_distribution_policy& where) {
  vector all(size, where);
  for (std::size_t i = 0; i < size; ++i) {
    all[i] = static_cast<long>(i);
  }
  return all;
}

void test_elements() {
  const vector all(7, 3, hpx::container_layout(3u));
  HPX_TEST_EQ(all.size(), 7u);
  HPX_TEST_EQ(all.get_value(hpx::launch::sync, 6), 3);
  all.set_value(hpx::launch::sync, 6, 8);
  all.set_value(0, 9).get();
  HPX_TEST_EQ(all.get_value(0).get(), 9);
  long sum = 0;
  for (const long each : all) {
    sum += each;
  }
  HPX_TEST_EQ(sum, 9 + 5 * 3 + 8);
  const vector other(2, 5);
  all[1] = other[0];  // the value, not which element it is
  HPX_TEST_EQ(all.get_value(hpx::launch::sync, 1), 5);
  HPX_TEST_THROW(all.get_value(hpx::launch::sync, 7), hpx::exception);
  HPX_TEST_EQ(vector().size(), 0u);
  HPX_TEST_EQ(hpx::reduce(par, vector().begin(), vector().end(), 5L), 5);
}

void test_algorithms() {
  constexpr std::size_t size = 1000;
  const vector all = numbered(size, hpx::container_layout(hpx::find_all_localities()));
  HPX_TEST_EQ(hpx::reduce(par, all.begin(), all.end(), 1L, std::plus<>()), 499501);
  HPX_TEST_EQ(hpx::reduce(seq(hpx::execution::task), all.begin() + 5, all.begin() + 8, 0L).get(),
              18);
  HPX_TEST(hpx::for_each(par, all.begin(), all.end(), times{3}) == all.end());
  HPX_TEST_EQ(all.get_value(hpx::launch::sync, 999), 2997);
  HPX_TEST_EQ(hpx::count(seq, all.begin(), all.end(), 30L), 1);
  const auto is_odd = [](long each) { return each % 2 != 0; };
  HPX_TEST_EQ(hpx::count_if(par(hpx::execution::task), all.begin(), all.end(), is_odd).get(), 500);
  HPX_TEST_EQ(hpx::find(par, all.begin(), all.end(), 2400L) - all.begin(), 800);
  HPX_TEST(hpx::find(par, all.begin(), all.end(), 1L) == all.end());
  HPX_TEST(hpx::any_of(par, all.begin(), all.end(), is_odd));
  HPX_TEST(!hpx::all_of(par, all.begin(), all.end(), is_odd));
  HPX_TEST(hpx::none_of(par, all.begin(), all.begin() + 1, is_odd));
  all[500] = -4;
  all[700] = 5000;
  HPX_TEST_EQ(hpx::min_element(par, all.begin(), all.end()).index(), 500u);
  HPX_TEST_EQ(hpx::max_element(par, all.begin(), all.end()).index(), 700u);
  HPX_TEST_EQ(
      hpx::transform_reduce(par, all.begin(), all.begin() + 4, 0L, std::plus<>(), std::negate<>()),
      -18);

  const vector other(size, -1, hpx::container_layout(7u));
  HPX_TEST(hpx::transform(par, all.begin(), all.end(), other.begin(), [](long each) {
             return each + 1;
           }) == other.end());
  HPX_TEST_EQ(other.get_value(hpx::launch::sync, 998), 2995);
  hpx::copy(par, all.begin() + 499, all.begin() + 502, other.begin());
  HPX_TEST_EQ(other.get_value(hpx::launch::sync, 1), -4);
  hpx::fill(par, other.begin() + 1, other.end(), 2L);
  hpx::generate(seq, other.begin(), other.begin() + 1, [] { return 11L; });
  HPX_TEST_EQ(hpx::reduce(par, other.begin(), other.end()), 11 + 2 * 999);
}

/// Each locality changes its own part.
void test_a_vector_by_name() {
  const std::size_t count = hpx::get_num_localities(hpx::launch::sync);
  vector all;
  hpx::distributed::barrier step("step");
  if (hpx::get_locality_id() == 0) {
    all = vector(10 * count, 1, hpx::container_layout(hpx::find_all_localities()));
    all.register_as(hpx::launch::sync, "all");
  } else {
    all.connect_to("all").get();
  }
  using traits = hpx::traits::segmented_iterator_traits<vector::iterator>;
  const auto mine = all.segment_begin(hpx::get_locality_id());
  HPX_TEST_EQ(mine->size(), 10u);
  hpx::for_each(par, traits::begin(mine), traits::end(mine), [](long& each) {
    each += hpx::get_locality_id();
  });
  step.wait();
  HPX_TEST_EQ(hpx::reduce(par, all.begin(), all.end(), 0L),
              static_cast<long>(10 * count + 10 * count * (count - 1) / 2));
  step.wait();
}

}  // namespace

int hpx_main() {
  if (hpx::get_locality_id() == 0) {
    test_elements();
    test_algorithms();
  }
  test_a_vector_by_name();
  hpx::finalize();
  return hpx::util::report_errors();
}

int main(int argc, char** argv) {
  hpx::init_params params;
  params.cfg = {"hpx.run_hpx_main!=1"};
  return hpx::init(argc, argv, params);
}

// NOLINTEND(misc-include-cleaner)
