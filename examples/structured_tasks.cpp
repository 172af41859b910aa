// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups that are canceled as a whole, a pipeline, and priorities, as docs/structured_tasks.md
// shows them.
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <weft/tasks/async.hpp>
#include <weft/tasks/future.hpp>
#include <weft/tasks/launch.hpp>
#include <weft/tasks/parallel_for.hpp>
#include <weft/tasks/pipeline.hpp>
#include <weft/tasks/task_group.hpp>

namespace {

struct room {
  std::vector<room> doors;
  bool has_treasure = false;
};

/// Looks into a room and all behind it, and cancels the whole search when the treasure is found.
void search(const room& here, weft::task_group& all, std::atomic<int>& num_found) {
  if (here.has_treasure) {
    ++num_found;
    all.cancel();
    return;
  }
  weft::task_group behind;  // nested in the group whose task this is
  for (const room& next : here.doors) {
    behind.run([&] { search(next, all, num_found); });
  }
  behind.wait();
}

room maze(int depth) {
  room made;
  for (int i = 0; depth != 0 && i < 3; ++i) {
    made.doors.push_back(maze(depth - 1));
  }
  return made;
}

bool find_treasure() {
  room entrance = maze(6);
  entrance.doors[1].doors[2].doors[0].has_treasure = true;
  std::atomic<int> num_found{0};

  weft::task_group all;
  all.run([&] { search(entrance, all, num_found); });
  const bool was_canceled = all.wait() == weft::task_group_status::canceled;

  return was_canceled && num_found == 1;
}

/// A long loop in a task of a group can ask; its parts belong to the same group.
bool stop_a_loop() {
  std::atomic<int> num_done{0};
  weft::task_group group;
  group.run([&] {
    weft::parallel_for(100'000, [&](std::size_t i) {
      if (weft::this_task::stop_requested()) {
        return;
      }
      if (i == 10) {
        group.cancel();
      }
      ++num_done;
    });
  });
  group.wait();
  return num_done < 100'000;
}

bool count_words() {
  const std::vector<std::string> lines(200, "a few words in a line");
  std::size_t next = 0;
  std::size_t num_words = 0;

  weft::pipeline(
      {.num_tokens = 16},
      weft::stage::serial_in_order([&]() -> std::optional<std::string> {
        return next < lines.size() ? std::optional(lines[next++]) : std::nullopt;
      }),
      weft::stage::parallel([](std::string line) {
        std::size_t count = 1;
        for (const char c : line) {
          count += c == ' ' ? 1U : 0U;
        }
        return std::pair(std::move(line), count);
      }),
      weft::stage::serial_in_order([&](const std::pair<std::string, std::size_t>& counted) {
        num_words += counted.second;  // one at a time, in the order of the lines
      }));

  return num_words == 1200;
}

bool use_priorities() {
  int num_logged = 0;
  const auto later = weft::launch::async.with_priority(weft::task_priority::low);
  auto logged = weft::async(later, [&] { ++num_logged; });
  auto answer =
      weft::async(weft::launch::async.with_priority(weft::task_priority::high), [] { return 42; });
  const bool is_right = answer.get() == 42;
  logged.get();
  return is_right && num_logged == 1;
}

}  // namespace

int main() {
  const bool is_right = find_treasure() && stop_a_loop() && count_words() && use_priorities();
  std::puts(is_right ? "found, stopped, counted" : "wrong");
  return is_right ? 0 : 1;
}
