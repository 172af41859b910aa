// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures: start work, say what shall happen with its results, and look at them at the end.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <weft/tasks/futures.hpp>

namespace {

double integrate(double from, double to) {  // of 4 / (1 + x * x)
  constexpr int steps = 10'000;
  const double width = (to - from) / steps;
  double area = 0;
  for (int i = 0; i < steps; ++i) {
    const double x = from + (i + 0.5) * width;
    area += width * 4 / (1 + x * x);
  }
  return area;
}

}  // namespace

int main() {
  // Start and get. A task that nobody has begun runs inside get(), as a call.
  weft::future<double> left = weft::async(integrate, 0.0, 0.5);
  weft::future<double> right = weft::async(integrate, 0.5, 1.0);

  // When both are there, add them; then make a text of the sum. Nothing waits here.
  weft::future<double> pi =
      weft::dataflow(weft::unwrapping([](double a, double b) { return a + b; }), left, right);
  weft::future<std::string> text =
      pi.then([](weft::future<double> value) { return "pi is " + std::to_string(value.get()); });

  // Any number of futures become one.
  std::vector<weft::future<int>> squares;
  for (int i = 1; i <= 10; ++i) {
    squares.push_back(weft::async([i] { return i * i; }));
  }
  int total = 0;
  for (weft::future<int>& square : weft::when_all_ready(std::move(squares)).get()) {
    total += square.get();
  }

  // An exception travels to whoever asks for the result.
  weft::future<int> failing = weft::async([]() -> int { throw std::runtime_error("no data"); });
  std::string reason;
  try {
    failing.get();
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }

  const std::string result = text.get();
  std::printf(
      "%s, the squares make %d, and one failed: %s\n", result.c_str(), total, reason.c_str());
  return result == "pi is 3.141593" && total == 385 && reason == "no data" ? 0 : 1;
}
