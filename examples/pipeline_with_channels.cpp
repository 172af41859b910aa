// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipeline: one task reads, several work, one writes; bounded channels keep the stages in step.
#include <cstdio>
#include <string>

#include <weft/tasks/channel.hpp>
#include <weft/tasks/fork_join.hpp>
#include <weft/tasks/task_group.hpp>

namespace {

constexpr int num_lines = 1000;

void read(weft::channel<std::string>& lines) {
  for (int i = 0; i < num_lines; ++i) {
    lines.send(std::string(static_cast<std::size_t>(i % 10), 'x'));  // waits while it is full
  }
  lines.close();
}

void count(weft::channel<std::string>& lines, weft::channel<std::size_t>& lengths) {
  weft::task_group counters;
  for (int i = 0; i < 4; ++i) {
    counters.run([&] {
      for (const std::string& line : lines) {  // until it is closed and empty
        lengths.send(line.size());
      }
    });
  }
  counters.wait();
  lengths.close();
}

std::size_t add(weft::channel<std::size_t>& lengths) {
  std::size_t total = 0;
  for (const std::size_t length : lengths) {  // until it is closed and empty
    total += length;
  }
  return total;
}

}  // namespace

int main() {
  weft::channel<std::string> lines(16);
  weft::channel<std::size_t> lengths(16);

  // A stage that waits is suspended, and its worker runs another one, so one worker is enough.
  const auto results = weft::fork_join(
      [&] { read(lines); }, [&] { count(lines, lengths); }, [&] { return add(lengths); });

  const std::size_t total = std::get<2>(results);
  std::printf("%d lines, %zu characters\n", num_lines, total);
  return total == 4500 ? 0 : 1;
}
