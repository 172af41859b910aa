// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of a simulation as a graph of tasks, run a thousand times and drawn:
// task_graph [step.svg [step.dot]]
#include <cstdio>
#include <fstream>

#include <weft/tasks/runtime.hpp>
#include <weft/tasks/task_graph.hpp>

namespace {

struct simulation {
  double time = 0;
  double forces = 0;
  double contacts = 0;
  int num_written = 0;
};

}  // namespace

int main(int argc, char** argv) {
  weft::init(argc, argv);
  simulation now;

  weft::task_graph step("one step");
  const auto advance = step.add("advance", [&] { now.time += 0.5; });
  const auto forces = step.add("forces", [&] { now.forces = 2 * now.time; });
  const auto contacts = step.add("contacts", [&] { now.contacts = 3 * now.time; });
  const auto write = step.add("write", [&] { ++now.num_written; });
  advance.before(forces, contacts);
  write.after(forces, contacts, advance);

  weft::default_runtime().run([&] {
    for (int i = 0; i < 1000; ++i) {
      step.run();  // returns when all four have ended
    }
  });

  if (argc > 1) {
    std::ofstream(argv[1]) << step.svg();  // for a browser
  }
  if (argc > 2) {
    std::ofstream(argv[2]) << step.dot();  // for Graphviz
  }

  const bool is_right = now.num_written == 1000 && now.forces == 1000 && now.contacts == 1500;
  std::printf("%d steps, time %g\n", now.num_written, now.time);
  return is_right ? 0 : 1;
}
