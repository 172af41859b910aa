// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A histogram of the program's own: how large requests are. Try
// --weft:print-counter=/requests/size --weft:print-counter-format=json.
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include <weft/base/error.hpp>
#include <weft/counters/counter.hpp>
#include <weft/counters/registry.hpp>
#include <weft/counters/session.hpp>
#include <weft/tasks/parallel_for.hpp>
#include <weft/tasks/runtime.hpp>

namespace {

using weft::counters::counter_kind;
using weft::counters::histogram_value;

/// Counts sizes in ranges that double: below 1, below 2, below 4 ...
class size_histogram {
 public:
  void record(std::uint32_t bytes) noexcept {
    counts_[std::bit_width(bytes)].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(bytes, std::memory_order_relaxed);
  }

  [[nodiscard]] histogram_value value() const {
    histogram_value all;
    all.sum = static_cast<double>(sum_.load(std::memory_order_relaxed));
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      const auto count = counts_[i].load(std::memory_order_relaxed);
      all.buckets.push_back({.upper = static_cast<double>(std::uint64_t{1} << i),
                             .weight = static_cast<double>(count)});
    }
    return all;
  }

 private:
  std::array<std::atomic<std::int64_t>, 33> counts_{};
  std::atomic<std::int64_t> sum_ = 0;
};

}  // namespace

int main(int argc, char** argv) try {
  weft::init(argc, argv);
  size_histogram sizes;
  const auto registered = weft::counters::register_histogram({.name = "/requests/size",
                                                              .unit = "bytes",
                                                              .help = "Of requests served.",
                                                              .kind = counter_kind::histogram},
                                                             [&] { return sizes.value(); });
  weft::counters::session session{"/requests/size"};

  weft::parallel_for(1000, [&](std::size_t i) { sizes.record(static_cast<std::uint32_t>(i)); });

  double num_requests = 0;
  const auto now = session.evaluate();
  for (const auto& bucket : now.histogram_of("/requests/size").buckets) {
    std::printf("below %4.0f bytes: %s %.0f\n",
                bucket.upper,
                std::string(static_cast<std::size_t>(bucket.weight / 20), '#').c_str(),
                bucket.weight);
    num_requests += bucket.weight;
  }
  return num_requests == 1000 ? 0 : 1;
} catch (const weft::error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 2;
}
