// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend openmp: plain OpenMP pragmas, as an OpenMP programmer would write the algorithms.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include <omp.h>

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/merge_path.hpp"
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/pieces.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace {

std::size_t num_threads() { return static_cast<std::size_t>(omp_get_num_threads()); }
std::size_t max_threads() { return static_cast<std::size_t>(omp_get_max_threads()); }
std::size_t this_thread() { return static_cast<std::size_t>(omp_get_thread_num()); }

/// Where piece `index` of `count` begins; where piece `count` would begin is the end.
std::size_t piece_begin(std::size_t size, std::size_t index, std::size_t count) {
  return size * index / count;
}

template <class T>
void touch(T* first, T* last) {
#pragma omp parallel for schedule(static)
  for (T* element = first; element < last; ++element) {
    kernels::first_write{}(*element);
  }
}

/// Blocks are handed out in order, so that no thread reads far behind the first match.
template <class T>
const T* find(const T* first, const T* last, T value) {
  constexpr std::size_t block_size = std::size_t{1} << 14U;
  const auto size = static_cast<std::size_t>(last - first);
  std::atomic<std::size_t> best = size;
#pragma omp parallel for schedule(monotonic : dynamic)
  for (std::size_t begin = 0; begin < size; begin += block_size) {
    // relaxed: a stale position costs a comparison, never the answer.
    if (begin >= best.load(std::memory_order_relaxed)) {
      continue;
    }
    const std::size_t end = std::min(begin + block_size, size);
    const std::size_t found = find_in_piece(first, begin, end, value);
    std::size_t known = best.load(std::memory_order_relaxed);
    while (found < end && found < known &&
           !best.compare_exchange_weak(known, found, std::memory_order_relaxed)) {
    }
  }
  return first + best.load(std::memory_order_relaxed);
}

template <class T>
void for_each(T* first, T* last, std::size_t k_it) {
  const kernels::store_count kernel{k_it};
#pragma omp parallel for schedule(static)
  for (T* element = first; element < last; ++element) {
    kernel(*element);
  }
}

/// Two passes: each thread sums its piece, then scans it from the sum of the pieces before.
template <class T>
T* inclusive_scan(const T* first, const T* last, T* out) {
  const auto size = static_cast<std::size_t>(last - first);
  std::vector<T> sums(max_threads());
#pragma omp parallel
  {
    const std::size_t begin = piece_begin(size, this_thread(), num_threads());
    const std::size_t end = piece_begin(size, this_thread() + 1, num_threads());
    if (this_thread() + 1 < num_threads()) {
      sums[this_thread()] = sum_of_piece(first + begin, first + end);
    }
#pragma omp barrier
    const T carry = sum_of_piece(sums.data(), sums.data() + this_thread());
    scan_piece(first + begin, first + end, out + begin, carry);
  }
  return out + size;
}

template <class T>
T reduce(const T* first, const T* last) {
  const auto size = static_cast<std::size_t>(last - first);
  T sum{};
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < size; ++i) {
    sum += first[i];
  }
  return sum;
}

/// Sorts `target`; `source` holds the same elements and is left in any order.
template <class T>
void merge_sort(T* source, T* target, std::size_t size, std::size_t leaf_size) {
  if (size <= leaf_size) {
    std::sort(target, target + size);
    return;
  }
  const std::size_t half = size / 2;
#pragma omp task default(shared)
  merge_sort(target, source, half, leaf_size);
  merge_sort(target + half, source + half, size - half, leaf_size);
#pragma omp taskwait
  const merge_job<T> job{source, half, source + half, size - half, target};
  for (std::size_t begin = 0; begin < size; begin += leaf_size) {
#pragma omp task default(shared) firstprivate(begin)
    job.merge_piece(begin, std::min(begin + leaf_size, size));
  }
#pragma omp taskwait
}

template <class T>
void sort(T* first, T* last) {
  const auto size = static_cast<std::size_t>(last - first);
  const std::size_t leaf_size = std::max<std::size_t>(4096, size / (8 * max_threads()));
  if (max_threads() == 1 || size <= leaf_size) {
    std::sort(first, last);
    return;
  }
  const auto buffer = std::make_unique_for_overwrite<T[]>(size);
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (std::size_t i = 0; i < size; ++i) {
      buffer[i] = first[i];
    }
#pragma omp single
    merge_sort(buffer.get(), first, size, leaf_size);
  }
}

template <class T>
T* copy(const T* first, const T* last, T* out) {
  const auto size = static_cast<std::size_t>(last - first);
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = first[i];
  }
  return out + size;
}

/// Two passes: each thread counts what its piece selects, then copies behind the pieces before.
template <class T>
T* copy_if(const T* first, const T* last, T* out) {
  const auto size = static_cast<std::size_t>(last - first);
  std::vector<std::size_t> counts(max_threads());
#pragma omp parallel
  {
    const std::size_t begin = piece_begin(size, this_thread(), num_threads());
    const std::size_t end = piece_begin(size, this_thread() + 1, num_threads());
    counts[this_thread()] = count_selected(first + begin, first + end);
#pragma omp barrier
    const std::size_t place = sum_of_piece(counts.data(), counts.data() + this_thread());
    copy_selected(first + begin, counts[this_thread()], out + place);
  }
  return out + sum_of_piece(counts.data(), counts.data() + counts.size());
}

template <class T>
T* transform(const T* first, const T* last, T* out) {
  const auto size = static_cast<std::size_t>(last - first);
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < size; ++i) {
    out[i] = kernels::scale{}(first[i]);
  }
  return out + size;
}

template <class T>
T* merge(const T* left, const T* left_last, const T* right, const T* right_last, T* out) {
  const merge_job<T> job{left,
                         static_cast<std::size_t>(left_last - left),
                         right,
                         static_cast<std::size_t>(right_last - right),
                         out};
#pragma omp parallel
  job.merge_piece(piece_begin(job.size(), this_thread(), num_threads()),
                  piece_begin(job.size(), this_thread() + 1, num_threads()));
  return out + job.size();
}

template <class T>
operations<T> offered() {
  return {.touch = touch<T>,
          .find = find<T>,
          .for_each = for_each<T>,
          .inclusive_scan = inclusive_scan<T>,
          .reduce = reduce<T>,
          .sort = sort<T>,
          .copy = copy<T>,
          .copy_if = copy_if<T>,
          .transform = transform<T>,
          .merge = merge<T>};
}

}  // namespace

const backend& linked_backend() {
  static const backend openmp{
      .name = "openmp",
      .scratch = {.sort = 1.0, .copy_if = 0.0, .others = 0.0},
      .typed_operations = {offered<int>(), offered<float>(), offered<double>()},
      .libraries = [] { return library_versions{standard_library(), openmp_library()}; },
      .with_threads = with_openmp_threads};
  return openmp;
}

}  // namespace weft::lab::stl
