// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects, channels and stop requests between the ranks of an MPI job. Start it with mpirun, or
// alone as a job of one rank.
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <weft/distributed.hpp>
#include <weft/execution.hpp>
#include <weft/tasks.hpp>

namespace wd = weft::distributed;

namespace {

class table {
 public:
  void put(std::string key, int value) {
    const std::lock_guard guard(mutex_);
    values_[std::move(key)] = value;
  }
  std::optional<int> get(const std::string& key) {
    const std::lock_guard guard(mutex_);
    const auto found = values_.find(key);
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  friend class wd::archive_access;
  template <class Archive>
  void serialize(Archive& archive) {  // for migrate
    archive(values_);
  }

  weft::mutex mutex_;
  std::map<std::string, int> values_;
};

bool fills_a_table(wd::locality other) {
  const wd::remote<table> there = wd::make_remote<table>(other).get();
  there.async<&table::put>("key", 5).get();
  auto seen = wd::async(
      wd::locality(0),
      [](const wd::remote<table>& it) { return it.async<&table::get>("key").get(); },
      there);
  return seen.get() == 5;
}

bool moves_a_table(wd::locality other) {
  const auto mine = wd::make_remote<table>(wd::here()).get();
  mine.async<&table::put>("key", 6).get();
  wd::migrate(mine, other).get();
  return mine.owner() == other && mine.async<&table::get>("key").get() == 6;
}

/// Each rank has a channel from its left neighbour.
bool passes_values_on(wd::locality right_rank) {
  const auto from_left = wd::make_channel<double>(wd::here(), 4).get();
  wd::register_name("from the left", from_left, wd::here()).get();
  const auto right = wd::find<wd::channel<double>>("from the left", right_rank).get();

  double value = wd::here().rank();
  for (int step = 0; step < wd::num_localities(); ++step) {
    right.send(value);
    value = from_left.receive().get();
  }
  return value == wd::here().rank();  // once around
}

int search(int first) {
  int candidate = first;
  while (!weft::this_task::stop_requested()) {
    ++candidate;
  }
  return candidate;
}

bool stops_a_search(wd::locality other) {
  const weft::stop_source stop;
  auto found = wd::async<&search>(wd::stoppable(other, stop.get_token()), 1);
  found.wait_for(std::chrono::milliseconds(1));
  stop.request_stop();
  try {
    return found.get() >= 1;
  } catch (const weft::execution::operation_stopped&) {
    return true;  // it had not begun
  }
}

bool waits_at_a_gate() {
  if (wd::here().rank() == 0) {
    const auto made = wd::make_latch(wd::here(), wd::num_localities()).get();
    wd::register_name("gate", made, wd::here()).get();
  }
  const auto gate = wd::find<wd::latch>("gate", wd::locality(0)).get();
  gate.arrive_and_wait().get();
  return gate.try_wait().get();
}

}  // namespace

int main(int argc, char** argv) {
  const wd::runtime job(argc, argv);
  const wd::locality next((wd::here().rank() + 1) % wd::num_localities());
  const bool is_right = fills_a_table(next) && moves_a_table(next) && passes_values_on(next) &&
                        stops_a_search(next) && waits_at_a_gate();
  return is_right ? 0 : 1;
}
