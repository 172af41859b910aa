// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of Table II in one program: futures, threads and a mutex count primes in two ways.
#include <cstdint>
#include <cstdlib>
#include <future>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr std::uint64_t end = 20'000;
constexpr std::uint64_t piece = 500;

bool is_prime(std::uint64_t n) {
  for (std::uint64_t divisor = 2; divisor * divisor <= n; ++divisor) {
    if (n % divisor == 0) {
      return false;
    }
  }
  return n > 1;
}

std::uint64_t count_primes(std::uint64_t first, std::uint64_t last) {
  std::uint64_t found = 0;
  for (std::uint64_t n = first; n < last; ++n) {
    if (is_prime(n)) {
      ++found;
    }
  }
  return found;
}

// NOLINTNEXTLINE(misc-no-recursion): halves the range until a piece is left
std::uint64_t by_futures(std::uint64_t first, std::uint64_t last) {
  if (last - first <= piece) {
    return count_primes(first, last);
  }
  const std::uint64_t middle = first + (last - first) / 2;
  std::future<std::uint64_t> upper =
      std::async(std::launch::async, [middle, last] { return by_futures(middle, last); });
  const std::uint64_t lower = by_futures(first, middle);
  return lower + upper.get();
}

std::uint64_t by_threads() {
  std::mutex guard;
  std::uint64_t total = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t first = 0; first < end; first += 10 * piece) {
    threads.emplace_back([&guard, &total, first] {
      const std::uint64_t found = count_primes(first, first + 10 * piece);
      guard.lock();
      total += found;
      guard.unlock();
    });
  }
  for (std::thread& each : threads) {
    each.join();
  }
  return total;
}

}  // namespace

int main() {
  constexpr std::uint64_t expected = 2262;
  const std::uint64_t one = by_futures(0, end);
  const std::uint64_t other = by_threads();
  std::cout << one << " primes by futures, " << other << " by threads\n";
  return one == expected && other == expected ? EXIT_SUCCESS : EXIT_FAILURE;
}
