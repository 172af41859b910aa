// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls between the ranks of an MPI job. Start it with mpirun, or alone as a job of one rank.
#include <cstdio>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <weft/counters.hpp>
#include <weft/distributed.hpp>
#include <weft/tasks.hpp>

namespace wd = weft::distributed;

namespace {

double area(double radius) { return 3.0 * radius * radius; }

long count_in_my_text(const std::string& word) {
  return static_cast<long>(word.size()) + wd::here().rank();
}

weft::lazy_task<long> count_everywhere(std::string word) {
  long sum = 0;
  for (auto& each : wd::broadcast_async<&count_in_my_text>(wd::all(), word)) {
    sum += co_await std::move(each);
  }
  co_return sum;
}

int positive(int number) {
  if (number < 0) {
    throw std::out_of_range("negative");
  }
  return number;
}

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
  weft::mutex mutex_;
  std::map<std::string, int> values_;
};

bool calls_functions(wd::locality other) {
  weft::future<double> there = wd::async<&area>(other, 2.0);
  auto tripled = wd::async(other, [](int number) { return 3 * number; }, 14);
  auto both = wd::dataflow<&area>(other, wd::async<&area>(other, 1.0));
  return there.get() == 12.0 && tripled.get() == 42 && both.get() == 27.0;
}

bool reports_errors(wd::locality other) {
  try {
    static_cast<void>(wd::async<&positive>(other, -1).get());
  } catch (const std::out_of_range& raised) {
    const auto* const origin = dynamic_cast<const wd::remote_origin*>(&raised);
    std::printf("%s%s\n", raised.what(), origin != nullptr ? ", on another rank" : "");
    return true;
  }
  return false;
}

bool fills_tables() {
  const wd::local_of<table> tables;
  const int rank = wd::here().rank();
  const std::string mine = "key of " + std::to_string(rank);
  const int owner = (rank + 1) % wd::num_localities();
  tables[owner].async<&table::put>(mine, rank).get();
  const std::optional<int> found = tables[owner].async<&table::get>(mine).get();
  wd::quiescence().get();
  return found == rank;
}

struct bins {
  weft::mutex mutex;
  std::vector<long> counts = std::vector<long>(10);
};

bool fills_histogram() {
  const int size = wd::num_localities();
  wd::local_of<bins> all;
  for (int key = 0; key < 1000; ++key) {
    all[key % size].post(
        [](bins& mine, int bin) {
          const std::lock_guard guard(mine.mutex);
          ++mine.counts[static_cast<std::size_t>(bin)];
        },
        key / size % 10);
  }
  wd::quiescence().get();
  const long here = std::accumulate(all->counts.begin(), all->counts.end(), 0L);
  return wd::all_reduce(here, wd::reduction::sum).get() == 1000L * size;
}

bool reads_counters(int rank) {
  const std::string received =
      "/parcels{locality#" + std::to_string(rank) + "/total}/count/mpi/received";
  weft::counters::session reading(std::vector{received});  // counts from here on
  const double result = wd::async<&area>(wd::locality(rank), 2.0).get();
  const double parcels = reading.evaluate().number_of(received);
  return result > 0 && (rank == wd::here().rank() ? parcels == 0 : parcels >= 1);
}

}  // namespace

int main(int argc, char** argv) {
  const wd::runtime job(argc, argv);
  const wd::locality next((wd::here().rank() + 1) % wd::num_localities());
  const long size = wd::num_localities();
  const bool is_right =
      calls_functions(next) && reports_errors(next) && fills_tables() && fills_histogram() &&
      reads_counters(next.rank()) &&
      weft::blocking_wait(count_everywhere("word")) == 4 * size + size * (size - 1) / 2;
  return is_right ? 0 : 1;
}
