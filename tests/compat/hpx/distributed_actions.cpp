// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain actions as HPX's users write them; main runs on locality 0 alone.
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <hpx/hpx_main.hpp>
#include <hpx/include/actions.hpp>
#include <hpx/include/async.hpp>
#include <hpx/include/lcos.hpp>
#include <hpx/include/runtime.hpp>
#include <hpx/modules/testing.hpp>
#include <hpx/thread.hpp>

// NOLINTBEGIN(misc-include-cleaner): HPX's programs rely on a few large headers

namespace {

std::atomic<int> num_posted{0};
std::atomic<bool> has_started{false};

[[maybe_unused]] const bool is_registered = [] {
  hpx::register_startup_function([] { has_started = true; });
  return true;
}();

std::uint32_t where() { return hpx::get_locality_id(); }
bool started() { return has_started; }
long sum(const std::vector<long>& numbers, long factor) {
  long total = 0;
  for (const long each : numbers) {
    total += factor * each;
  }
  return total;
}
void count_post(int amount) { num_posted += amount; }
int posts() { return num_posted; }
int positive(int value) {
  if (value < 0) {
    throw std::out_of_range("a value below 0");
  }
  return value;
}
void refuse() { HPX_THROW_EXCEPTION(hpx::error::bad_parameter, "refuse", "nothing suits {1}", 7); }
hpx::future<int> later(int value) {
  return hpx::async([value] { return value + 1; });
}
hpx::id_type here_as_seen_there(const hpx::id_type& caller) { return caller; }

std::uint64_t fib(std::uint64_t n);

}  // namespace

HPX_PLAIN_ACTION(where)
HPX_PLAIN_ACTION(started)
HPX_PLAIN_ACTION(sum, sum_of_numbers)
HPX_PLAIN_ACTION(count_post)
HPX_PLAIN_ACTION(posts)
HPX_PLAIN_DIRECT_ACTION(positive, positive_action)
HPX_PLAIN_ACTION(refuse)
HPX_PLAIN_ACTION(later)
HPX_PLAIN_ACTION(here_as_seen_there)
HPX_PLAIN_ACTION(fib)
HPX_REGISTER_ACTION_DECLARATION(fib_action)
HPX_REGISTER_ACTION(fib_action)
using hpx::id_type;

namespace {

std::uint64_t fib(std::uint64_t n) {
  if (n < 2) {
    return n;
  }
  const std::vector<id_type> all = hpx::find_all_localities();
  hpx::future<std::uint64_t> other = hpx::async<fib_action>(all[n % all.size()], n - 1);
  return fib(n - 2) + other.get();
}

template <class T>
T twice(T value) {  // NOLINT(performance-unnecessary-value-param): HPX's users write so
  return value + value;
}
template <class T>
struct twice_action : hpx::actions::make_action<T (*)(T), &twice<T>, twice_action<T>>::type {};

void test_results(const id_type& there) {
  const sum_of_numbers act;
  const std::vector<long> numbers(5000, 2);
  HPX_TEST_EQ(hpx::async(act, there, numbers, 3).get(), 30000);
  HPX_TEST_EQ(hpx::async<sum_of_numbers>(hpx::launch::async, there, numbers, 1).get(), 10000);
  HPX_TEST_EQ(act(there, numbers, 2), 20000);
  HPX_TEST_EQ(hpx::sync<sum_of_numbers>(there, numbers, 1), 10000);
  HPX_TEST_EQ(where_action()(there), hpx::naming::get_locality_id_from_id(there));
  HPX_TEST(started_action()(there));
  HPX_TEST(here_as_seen_there_action()(there, hpx::find_here()) == hpx::find_here());

  hpx::future<int> result = later_action()(there, 4);  // of a function that returns a future
  HPX_TEST_EQ(result.get(), 5);
  HPX_TEST_EQ(hpx::async<later_action>(there, 5).get(), 6);
  const auto bound = hpx::bind(sum_of_numbers(), there, hpx::placeholders::_1, 2L);
  HPX_TEST_EQ(bound(numbers), 20000);
  HPX_TEST_EQ(hpx::dataflow<positive_action>(there, hpx::async<positive_action>(there, 8)).get(),
              8);
  HPX_TEST_EQ(twice_action<std::string>()(there, std::string("ab")), "abab");
  HPX_TEST_EQ(hpx::async(hpx::launch::async, positive_action(), there, 9).get(), 9);
}

void test_exceptions(const id_type& there) {
  bool was_thrown = false;
  try {
    positive_action()(there, -1);
  } catch (const std::out_of_range& raised) {
    was_thrown = raised.what() == std::string("a value below 0");
  }
  HPX_TEST(was_thrown);
  hpx::error code = hpx::error::success;
  try {
    hpx::async<refuse_action>(there).get();
  } catch (const hpx::exception& raised) {
    code = raised.get_error();
  }
  HPX_TEST(code == hpx::error::bad_parameter);
  bool is_refused = false;
  try {
    where_action()(id_type());
  } catch (const hpx::exception&) {
    is_refused = true;
  }
  HPX_TEST(is_refused);
}

}  // namespace

int main() {
  HPX_TEST_EQ(hpx::get_locality_id(), 0u);
  const std::vector<id_type> all = hpx::find_all_localities();
  HPX_TEST_EQ(all.size(), hpx::get_num_localities().get());
  HPX_TEST_EQ(hpx::find_remote_localities().size(), all.size() - 1);
  HPX_TEST(hpx::find_root_locality() == hpx::find_here());
  for (const id_type& each : all) {
    test_results(each);
    test_exceptions(each);
    hpx::post<count_post_action>(each, 2);
    hpx::post(count_post_action(), each, 3);
  }
  for (const id_type& each : all) {
    while (posts_action()(each) != 5) {
      hpx::this_thread::yield();
    }
  }

  const std::vector<std::uint32_t> ids = hpx::lcos::broadcast<where_action>(all).get();
  for (std::uint32_t i = 0; i < ids.size(); ++i) {
    HPX_TEST_EQ(ids[i], i);
  }
  hpx::lcos::broadcast<count_post_action>(all, 1).get();
  HPX_TEST_EQ(posts_action()(all.back()), 6);
  HPX_TEST_EQ(fib_action()(all.back(), 12), 144u);
  HPX_TEST(!hpx::get_locality_name(all.back()).get().empty());
  return hpx::util::report_errors();
}

// NOLINTEND(misc-include-cleaner)
