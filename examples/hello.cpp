// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says hello from as many tasks as there are workers. Try --weft:help and --weft:workers=4.
#include <cstdio>

#include <weft/tasks/parallel_for.hpp>
#include <weft/tasks/runtime.hpp>

int main(int argc, char** argv) {
  weft::init(argc, argv);  // takes --weft:... out of argv

  const int workers = weft::default_runtime().num_workers();
  std::printf("weft runs on %d workers\n", workers);
  weft::parallel_for(static_cast<std::size_t>(workers),
                     [](std::size_t i) { std::printf("hello from task %zu\n", i); });
}
