// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hpx_main on all localities, which exchange values by name.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <hpx/hpx_init.hpp>
#include <hpx/include/components.hpp>
#include <hpx/include/lcos.hpp>
#include <hpx/modules/collectives.hpp>
#include <hpx/modules/testing.hpp>

// NOLINTBEGIN(misc-include-cleaner): HPX's programs rely on a few large headers

HPX_REGISTER_CHANNEL_DECLARATION(double)
HPX_REGISTER_CHANNEL(double)
using channel_type = hpx::lcos::channel<double>;

namespace {

/// Sends to the neighbour on the right, and receives from the one on the left, by step.
void test_channels(std::size_t here, std::size_t count) {
  channel_type send(hpx::find_here());
  HPX_TEST(hpx::register_with_basename("/to_the_right", send, here).get());
  channel_type receive =
      hpx::find_from_basename<channel_type>("/to_the_right", (here + count - 1) % count);
  for (std::size_t step = 0; step < 10; ++step) {
    send.set(static_cast<double>(100 * here + step), step);
  }
  for (std::size_t step = 10; step-- > 0;) {
    const double value = receive.get(hpx::launch::async, step).get();
    HPX_TEST_EQ(value, static_cast<double>(100 * ((here + count - 1) % count) + step));
  }
}

void test_a_closed_channel() {
  channel_type values(hpx::find_here());
  double sum = 0;
  hpx::future<void> sent = hpx::async([values] {
    for (const double each : {1.5, 2.0, 4.0}) {
      values.set(each);
    }
    values.close();
  });
  for (const double each : values) {
    sum = 10 * sum + each;
  }
  sent.get();
  HPX_TEST_EQ(sum, 174.0);
  bool is_closed = false;
  try {
    values.get(hpx::launch::sync, 5);
  } catch (const hpx::exception&) {
    is_closed = true;
  }
  HPX_TEST(is_closed);
}

void test_latch_and_barrier(std::size_t here, std::size_t count) {
  hpx::distributed::latch all;
  if (here == 0) {
    all = hpx::distributed::latch(static_cast<std::ptrdiff_t>(count));
    HPX_TEST(all.register_as("a latch").get());
  } else {
    all.connect_to("a latch");
  }
  if (here + 1 == count) {
    HPX_TEST(!all.try_wait());
  }
  all.arrive_and_wait();
  HPX_TEST(all.try_wait());

  const hpx::distributed::barrier each_step("a barrier");
  for (int step = 0; step < 3; ++step) {
    each_step.wait();
  }
  each_step.wait(hpx::launch::async).get();
}

void test_collectives(std::size_t here, std::size_t count) {
  using namespace hpx::collectives;
  for (int repeated = 0; repeated < 3; ++repeated) {
    if (here == 0) {
      const std::vector<std::string> all =
          gather_here("gather", std::to_string(here), num_sites_arg(count)).get();
      HPX_TEST_EQ(all.size(), count);
      HPX_TEST_EQ(all.back(), std::to_string(count - 1));
      HPX_TEST_EQ(broadcast_to("broadcast", std::string("news")).get(), "news");
    } else {
      gather_there("gather", std::to_string(here)).get();
      HPX_TEST_EQ(broadcast_from<std::string>("broadcast").get(), "news");
    }
    const std::vector<std::size_t> values = all_gather("values", here).get();
    for (std::size_t i = 0; i < count; ++i) {
      HPX_TEST_EQ(values[i], i);
    }
    const communicator sites =
        create_communicator("sum", num_sites_arg(count), this_site_arg(here));
    HPX_TEST_EQ(all_reduce(sites, here + 1, std::plus<>()).get(), count * (count + 1) / 2);
  }
}

/// Components that have names when the program ends.
void leave_names(std::size_t here) {
  for (std::size_t i = 0; i < 100; ++i) {
    HPX_TEST(
        hpx::register_with_basename("left", channel_type(hpx::find_here()), 100 * here + i).get());
  }
}

}  // namespace

int hpx_main() {
  const std::size_t here = hpx::get_locality_id();
  const std::size_t count = hpx::get_num_localities(hpx::launch::sync);
  test_channels(here, count);
  test_a_closed_channel();
  test_latch_and_barrier(here, count);
  test_collectives(here, count);
  leave_names(here);
  hpx::finalize();
  return hpx::util::report_errors();
}

int main(int argc, char** argv) {
  hpx::init_params params;
  params.cfg = {"hpx.run_hpx_main!=1"};
  return hpx::init(argc, argv, params);
}

// NOLINTEND(misc-include-cleaner)
