// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting: the classes of <mutex> and <condition_variable>, but it is the task that sleeps, not its
// worker.
#include <cstdio>
#include <mutex>

#include <weft/tasks/condition_variable.hpp>
#include <weft/tasks/mutex.hpp>
#include <weft/tasks/task_group.hpp>

namespace {

/// Lets everybody through once all have arrived.
class gate {
 public:
  explicit gate(int expected) : missing_(expected) {}

  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    if (--missing_ == 0) {
      all_are_here_.notify_all();
    }
    all_are_here_.wait(lock, [this] { return missing_ == 0; });
  }

 private:
  weft::mutex mutex_;
  weft::condition_variable all_are_here_;
  int missing_;
};

}  // namespace

int main() {
  constexpr int num_tasks = 1000;  // far more than workers: none of them is ever blocked
  gate start(num_tasks);
  weft::mutex mutex;
  int passed = 0;

  weft::task_group group;
  for (int i = 0; i < num_tasks; ++i) {
    group.run([&] {
      start.arrive_and_wait();
      const std::scoped_lock lock(mutex);
      ++passed;
    });
  }
  group.wait();

  std::printf("%d tasks met and went on\n", passed);
  return passed == num_tasks ? 0 : 1;
}
