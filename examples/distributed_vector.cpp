// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors over the ranks of an MPI job. Start it with mpirun, or alone as a job of one rank.
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <vector>

#include <weft/algorithms.hpp>
#include <weft/distributed.hpp>
#include <weft/distributed/algorithms.hpp>
#include <weft/distributed/sort.hpp>
#include <weft/tasks/future.hpp>

namespace wd = weft::distributed;

namespace {

constexpr std::size_t size = 100'000;

/// A random number for each index: the finaliser of the generator SplitMix64.
std::uint64_t scrambled(std::uint64_t i) {
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9U;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebU;
  return i ^ (i >> 31);
}

bool sums_elements() {
  wd::vector<double> x(size);
  wd::generate(weft::par, x, [](std::size_t i) { return 1.0 / static_cast<double>(i + 1); });
  const auto square = [](double each) { return each * each; };
  const double sum = wd::transform_reduce(weft::par, x, 0.0, std::plus<>(), square);
  return std::abs(std::sqrt(6 * sum) - 3.14159) < 1e-4;
}

bool reads_elements_of_other_ranks() {
  wd::vector<long> squares(size);
  wd::generate(weft::par, squares, [](std::size_t i) { return static_cast<long>(i * i); });
  weft::future<long> last = squares.get(size - 1);
  weft::future<std::vector<long>> middle = squares.get_range(size / 2, size / 2 + 3);
  const bool is_right = last.get() == 99'999L * 99'999 && middle.get().size() == 3;
  wd::barrier().get();  // no rank ends the vector before the others have read
  return is_right;
}

bool sorts_and_scans() {
  wd::vector<std::uint64_t> keys(size, wd::cyclic());
  wd::generate(weft::par, keys, scrambled);
  wd::sort(weft::par, keys);
  const std::optional<wd::indexed<std::uint64_t>> largest = wd::max_element(weft::par, keys);

  wd::vector<std::size_t> offsets(size);
  wd::fill(weft::par, offsets, 2);
  wd::exclusive_scan(weft::par, offsets, offsets, std::size_t{0});
  const bool is_right = offsets.get(size - 1).get() == 2 * (size - 1);
  wd::barrier().get();
  return is_right && largest.has_value() && largest->index == size - 1;
}

/// Each rank adds to random counters of all ranks.
bool counts_in_random_places() {
  wd::vector<long> counts(1000, wd::cyclic());
  const auto rank = static_cast<std::uint64_t>(wd::here().rank());
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    counts.post(scrambled(10'000 * rank + i) % counts.size(),
                [](long& count) { std::atomic_ref(count).fetch_add(1); });
  }
  wd::quiescence().get();
  return wd::reduce(weft::par, counts) == 10'000L * wd::num_localities();
}

}  // namespace

int main(int argc, char** argv) {
  const wd::runtime job(argc, argv);
  const bool is_right = sums_elements() && reads_elements_of_other_ranks() && sorts_and_scans() &&
                        counts_in_random_places();
  if (wd::here().rank() == 0) {
    std::printf("%d ranks: %s\n", wd::num_localities(), is_right ? "right" : "wrong");
  }
  return is_right ? 0 : 1;
}
