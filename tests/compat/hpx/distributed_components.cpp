// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Components with state, and their clients, as HPX's users write them.
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <hpx/hpx_init.hpp>
#include <hpx/include/components.hpp>
#include <hpx/modules/testing.hpp>
#include <hpx/serialization.hpp>
#include <hpx/thread.hpp>

// NOLINTBEGIN(misc-include-cleaner): HPX's programs rely on a few large headers

namespace {

struct counter_server
    : hpx::components::locking_hook<hpx::components::component_base<counter_server>> {
  counter_server() = default;
  explicit counter_server(long first) : sum(first) {
    if (first < 0) {
      throw std::invalid_argument("a counter begins at 0 or more");
    }
  }
  long add(long amount) {
    const long former = sum;  // others would be lost without the lock
    sum = former + amount;
    return sum;
  }
  [[nodiscard]] long query() const { return sum; }
  long add_of(const hpx::id_type& other, long factor);

  HPX_DEFINE_COMPONENT_ACTION(counter_server, add)
  HPX_DEFINE_COMPONENT_ACTION(counter_server, query, query_action)
  HPX_DEFINE_COMPONENT_DIRECT_ACTION(counter_server, add_of)

  long sum = 0;
};

}  // namespace

using counter_component = hpx::components::component<counter_server>;
HPX_REGISTER_COMPONENT_MODULE()
HPX_REGISTER_COMPONENT(counter_component, counter_server)
using add_action = counter_component::wrapped_type::add_action;
HPX_REGISTER_ACTION(add_action)
using query_action = counter_server::query_action;

namespace {

long counter_server::add_of(const hpx::id_type& other, long factor) {
  return sum += factor * query_action()(other);
}

struct counter : hpx::components::client_base<counter, counter_server> {
  using base_type = hpx::components::client_base<counter, counter_server>;
  counter() = default;
  explicit counter(const hpx::id_type& id) : base_type(id) {}
  counter(hpx::future<hpx::id_type>&& id) : base_type(std::move(id)) {}
  counter(hpx::future<counter>&& other) : base_type(std::move(other)) {}
  [[nodiscard]] hpx::future<long> add(long amount) const {
    return hpx::async<add_action>(get_id(), amount);
  }
  [[nodiscard]] long query() const { return query_action()(get_id()); }
};

/// Sends `one` before it is made, and gives one back that is not made yet.
counter sum_of(const counter& one, const std::vector<counter>& more) {
  long sum = one.query();
  for (const counter& each : more) {
    sum += each.query();
  }
  return hpx::new_<counter>(hpx::find_here(), sum);
}

/// A class in HPX's form, with private functions.
class label {
 public:
  label() = default;
  explicit label(std::string text) : text_(std::move(text)), pixels_(3) { pixels_[1] = 2.5; }
  [[nodiscard]] std::string text() const { return text_ + ':' + std::to_string(pixels_[1]); }

 private:
  friend class hpx::serialization::access;
  template <class Archive>
  void serialize(Archive& archive, unsigned) {
    archive & text_ & pixels_;
  }
  std::string text_;
  hpx::serialization::serialize_buffer<double> pixels_;
};
class halves {
 public:
  halves() = default;
  explicit halves(int whole) : half_(whole / 2) {}
  void save(hpx::serialization::output_archive& to, unsigned) const { to << 2 * half_; }
  void load(hpx::serialization::input_archive& from, unsigned) {
    int whole = 0;
    from >> whole;
    half_ = whole / 2;
  }
  HPX_SERIALIZATION_SPLIT_MEMBER()
  [[nodiscard]] int half() const { return half_; }

 private:
  int half_ = 0;
};
std::string read_label(const label& one, const halves& other) {
  return one.text() + ' ' + std::to_string(other.half());
}

}  // namespace

HPX_PLAIN_ACTION(sum_of)
HPX_PLAIN_ACTION(read_label)
using hpx::id_type;

namespace {

void test_counter(const id_type& there) {
  const counter one = hpx::new_<counter>(there, 40);
  std::vector<hpx::future<long>> added;
  added.reserve(100);
  for (int i = 0; i < 100; ++i) {
    added.push_back(one.add(2));
  }
  hpx::wait_all(added);
  HPX_TEST_EQ(one.query(), 240);
  HPX_TEST(hpx::colocated(one.get_id()) == there);
  hpx::post(add_action(), one, 1L);
  while (one.query() != 241) {
    hpx::this_thread::yield();
  }

  const id_type other = hpx::local_new<counter_server>(hpx::launch::sync, 3L);
  HPX_TEST_EQ(counter_server::add_of_action()(other, one.get_id(), 2L), 485);
  HPX_TEST_EQ(hpx::get_ptr<counter_server>(hpx::launch::sync, other)->sum, 485);
  HPX_TEST_EQ(hpx::get_ptr(counter(other)).get()->sum, 485);

  bool is_refused = false;
  try {
    hpx::new_<counter_server>(there, -1L).get();
  } catch (const std::invalid_argument&) {
    is_refused = true;
  }
  HPX_TEST(is_refused);
  is_refused = false;
  try {
    add_action()(there, 1L);  // the id of a locality
  } catch (const hpx::exception& raised) {
    is_refused = raised.get_error() == hpx::error::bad_parameter;
  }
  HPX_TEST(is_refused);
}

void test_clients_as_arguments(const id_type& there) {
  std::vector<counter> more =
      hpx::new_<counter[]>(hpx::default_layout(hpx::find_all_localities()), 4, 5L).get();
  const counter sum = hpx::async<sum_of_action>(there, hpx::new_<counter>(there, 1L), more);
  HPX_TEST_EQ(sum.query(), 21);
  const counter again = hpx::dataflow(
      hpx::launch::async,
      hpx::bind(sum_of_action(), there, hpx::placeholders::_1, std::vector<counter>()),
      hpx::new_<counter>(there, 6L));
  HPX_TEST_EQ(again.query(), 6);
  HPX_TEST_EQ(again.then([](const counter& ready) { return ready.query(); }).get(), 6);
  HPX_TEST_EQ(read_label_action()(there, label("a"), halves(8)), "a:2.500000 4");
}

void test_names(const id_type& there) {
  const counter one = hpx::new_<counter>(there, 7L);
  HPX_TEST(hpx::register_with_basename("counters", one, 3).get());
  HPX_TEST(!hpx::register_with_basename("counters", one.get_id(), 3).get());
  HPX_TEST_EQ(hpx::find_from_basename<counter>("counters", 3).query(), 7);
  HPX_TEST(hpx::find_from_basename("counters", 3).get() == one.get_id());
  HPX_TEST(hpx::unregister_with_basename("counters", 3).get() == one.get_id());
  HPX_TEST(!hpx::unregister_with_basename("counters", 3).get());
}

}  // namespace

int hpx_main() {
  HPX_TEST_EQ(hpx::get_locality_id(), 0u);
  for (const id_type& each : hpx::find_all_localities()) {
    test_counter(each);
    test_clients_as_arguments(each);
    test_names(each);
  }
  HPX_TEST_EQ(hpx::finalize(), 0);
  return hpx::util::report_errors();
}

int main(int argc, char** argv) { return hpx::init(argc, argv); }

// NOLINTEND(misc-include-cleaner)
