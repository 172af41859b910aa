// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads a shared object that uses weft, as an interpreter loads an extension module, and calls it.
#include <cstdio>

#include <dlfcn.h>

int main(int argc, char** argv) {
  void* plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
  void* symbol = plugin != nullptr ? dlsym(plugin, "plugin_sum_below") : nullptr;
  if (symbol == nullptr) {
    std::fprintf(stderr, "load_plugin: %s\n", argc > 1 ? dlerror() : "give the path of the plugin");
    return 1;
  }
  constexpr long n = 10'000;
  const long sum = reinterpret_cast<long (*)(long)>(symbol)(n);
  std::printf("%ld\n", sum);
  return sum == n * (n - 1) / 2 ? 0 : 1;
}
