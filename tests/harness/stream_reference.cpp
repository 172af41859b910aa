// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A second opinion on memory bandwidth, written apart from the probe: one parallel region, whole
// passes, its own clock.
//
// stream_reference ELEMENTS THREADS prints one line per kernel: name, median and best rate in bytes
// per second.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <omp.h>

namespace {

constexpr int num_passes = 21;
constexpr int num_kernels = 4;

struct rates {
  std::vector<double> pass_s[num_kernels];
};

/// One parallel region for everything: threads are started once and meet at barriers, unlike in the
/// probe.
rates run_passes(double* a, double* b, double* c, long size, int threads) {
  rates found;
#pragma omp parallel num_threads(threads)
  {
    const long rank = omp_get_thread_num();
    const long team = omp_get_num_threads();
    const long first = size * rank / team;
    const long last = size * (rank + 1) / team;
    for (long i = first; i < last; ++i) {
      a[i] = 1.0;
      b[i] = 2.0;
      c[i] = 0.0;
    }
    for (int pass = 0; pass < num_passes; ++pass) {
      for (int kernel = 0; kernel < num_kernels; ++kernel) {
#pragma omp barrier
        const double begin_s = omp_get_wtime();
        switch (kernel) {
          case 0:
#pragma omp simd
            for (long i = first; i < last; ++i) c[i] = a[i];
            break;
          case 1:
#pragma omp simd
            for (long i = first; i < last; ++i) b[i] = 0.25 * c[i];
            break;
          case 2:
#pragma omp simd
            for (long i = first; i < last; ++i) c[i] = a[i] + b[i];
            break;
          default:
#pragma omp simd
            for (long i = first; i < last; ++i) a[i] = b[i] + 0.25 * c[i];
            break;
        }
#pragma omp barrier
#pragma omp master
        found.pass_s[kernel].push_back(omp_get_wtime() - begin_s);
      }
    }
  }
  return found;
}

/// STREAM's own check: the arrays are uniform, so one number per array can be followed through all
/// passes.
bool are_right(const double* a, const double* b, const double* c, long size) {
  double expected_a = 1;
  double expected_b = 2;
  double expected_c = 0;
  for (int pass = 0; pass < num_passes; ++pass) {
    expected_c = expected_a;
    expected_b = 0.25 * expected_c;
    expected_c = expected_a + expected_b;
    expected_a = expected_b + 0.25 * expected_c;
  }
  for (long i = 0; i < size; ++i) {
    if (a[i] != expected_a || b[i] != expected_b || c[i] != expected_c) {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const long size = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  const int threads = argc > 2 ? static_cast<int>(std::strtol(argv[2], nullptr, 10)) : 0;
  if (size < 1 || threads < 1) {
    std::fprintf(stderr, "usage: stream_reference ELEMENTS THREADS\n");
    return 2;
  }
  const auto bytes = static_cast<std::size_t>(size) * sizeof(double);
  auto* const a = static_cast<double*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  auto* const b = static_cast<double*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  auto* const c = static_cast<double*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
  if (a == nullptr || b == nullptr || c == nullptr) {
    std::fprintf(stderr, "stream_reference: no memory for three arrays of %ld elements\n", size);
    return 1;
  }
  rates found = run_passes(a, b, c, size, threads);
  if (!are_right(a, b, c, size)) {
    std::fprintf(stderr, "stream_reference: wrong results\n");
    return 4;
  }
  const char* const names[] = {"copy", "scale", "add", "triad"};
  const double arrays[] = {2, 2, 3, 3};
  for (int kernel = 0; kernel < num_kernels; ++kernel) {
    auto& seconds = found.pass_s[kernel];
    std::sort(seconds.begin() + 1, seconds.end());  // the first pass is cold
    const double moved = arrays[kernel] * static_cast<double>(bytes);
    std::printf("%s %.6g %.6g\n",
                names[kernel],
                moved / seconds[1 + (seconds.size() - 1) / 2],
                moved / seconds[1]);
  }
  std::free(a);
  std::free(b);
  std::free(c);
  return 0;
}
