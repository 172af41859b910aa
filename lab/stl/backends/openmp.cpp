// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend openmp: plain OpenMP pragmas, as an OpenMP programmer would write the algorithms.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <numeric>
#include <vector>

#include <omp.h>

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/keyed_loops.hpp"
#include "lab/stl/backends/loop_operations.hpp"
#include "lab/stl/backends/merge_path.hpp"
#include "lab/stl/backends/openmp_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace {

std::size_t num_threads() { return static_cast<std::size_t>(omp_get_num_threads()); }
std::size_t max_threads() { return static_cast<std::size_t>(omp_get_max_threads()); }
std::size_t this_thread() { return static_cast<std::size_t>(omp_get_thread_num()); }

/// Returns the first position of piece `index` of `count`. For `index` = `count`, that is the end.
std::size_t piece_begin(std::size_t size, std::size_t index, std::size_t count) {
  return size * index / count;
}

struct loops {
  template <class Body>
  static void for_pieces(std::size_t size, const Body& body) {
#pragma omp parallel
    body(piece_begin(size, this_thread(), num_threads()),
         piece_begin(size, this_thread() + 1, num_threads()));
  }

  template <class Sum, class Map, class Combine>
  static Sum reduce_pieces(std::size_t size, Sum identity, const Map& map, const Combine& combine) {
    std::vector<Sum> sums(max_threads(), identity);
#pragma omp parallel
    sums[this_thread()] = map(piece_begin(size, this_thread(), num_threads()),
                              piece_begin(size, this_thread() + 1, num_threads()));
    return std::accumulate(sums.begin(), sums.end(), identity, combine);
  }

  /// Blocks are claimed in order, so that no thread reads far past the first match.
  template <class Find>
  static std::size_t first_in_pieces(std::size_t size, const Find& find) {
    constexpr std::size_t block_size = std::size_t{1} << 14U;
    std::atomic<std::size_t> best = size;
#pragma omp parallel for schedule(monotonic : dynamic)
    for (std::size_t begin = 0; begin < size; begin += block_size) {
      // relaxed: a stale position costs a comparison, never the answer.
      if (begin >= best.load(std::memory_order_relaxed)) {
        continue;
      }
      const std::size_t end = std::min(begin + block_size, size);
      const std::size_t found = find(begin, end);
      std::size_t known = best.load(std::memory_order_relaxed);
      while (found < end && found < known &&
             !best.compare_exchange_weak(known, found, std::memory_order_relaxed)) {
      }
    }
    return best.load(std::memory_order_relaxed);
  }

  /// Two passes: each thread sums its piece, then writes it, starting from the sum of the earlier
  /// pieces.
  template <class Sum, class Add, class Write>
  static Sum scan_pieces(std::size_t size, Sum identity, const Add& sum_of, const Write& write) {
    std::vector<Sum> sums(max_threads(), identity);
    Sum all = identity;
#pragma omp parallel
    {
      const std::size_t begin = piece_begin(size, this_thread(), num_threads());
      const std::size_t end = piece_begin(size, this_thread() + 1, num_threads());
      if (this_thread() + 1 < num_threads()) {
        sums[this_thread()] = sum_of(begin, end);
      }
#pragma omp barrier
      const auto before = sums.begin() + static_cast<std::ptrdiff_t>(this_thread());
      const Sum last = write(begin, end, std::accumulate(sums.begin(), before, identity));
      if (this_thread() + 1 == num_threads()) {
        all = last;
      }
    }
    return all;
  }
};

template <class T>
void for_each(T* first, T* last, std::size_t k_it) {
  const kernels::store_count kernel{k_it};
#pragma omp parallel for schedule(static)
  for (T* element = first; element < last; ++element) {
    kernel(*element);
  }
}

/// Sorts `target`; `source` contains the same elements, and has no particular order afterwards.
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
  operations<T> all = by_loops<T, loops>::offered();
  all.for_each = all.for_each_n = for_each<T>;
  all.sort = sort<T>;
  all.merge = merge<T>;
  keyed_loops<T, loops, sort<keyed<T>>>::offer(all);
  return all;
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
