// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend onetbb: oneTBB's own algorithms, with grain sizes and vector loops chosen by hand.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/merge_path.hpp"
#include "lab/stl/backends/pieces.hpp"
#include "lab/stl/backends/tbb_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace {

// Some microseconds of streaming: enough to pay for a task, little enough to balance.
constexpr std::size_t grain_size = std::size_t{1} << 13U;

using positions = tbb::blocked_range<std::size_t>;

template <class T>
positions all_of(const T* first, const T* last) {
  return {0, static_cast<std::size_t>(last - first), grain_size};
}

template <class T>
void touch(T* first, T* last) {
  tbb::parallel_for(all_of(first, last), [=](const positions& piece) {
    std::for_each(first + piece.begin(), first + piece.end(), kernels::first_write{});
  });
}

/// Blocks are claimed in order, so that no thread reads far behind the first match.
template <class T>
const T* find(const T* first, const T* last, T value) {
  const auto size = static_cast<std::size_t>(last - first);
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> best = size;
  const auto search = [&](int /*worker*/) {
    // relaxed: a stale position costs a comparison, never the answer.
    for (std::size_t begin = next.fetch_add(grain_size, std::memory_order_relaxed);
         begin < best.load(std::memory_order_relaxed);
         begin = next.fetch_add(grain_size, std::memory_order_relaxed)) {
      const std::size_t end = std::min(begin + grain_size, size);
      const std::size_t found = find_in_piece(first, begin, end, value);
      std::size_t known = best.load(std::memory_order_relaxed);
      while (found < end && found < known &&
             !best.compare_exchange_weak(known, found, std::memory_order_relaxed)) {
      }
    }
  };
  if (size <= grain_size) {
    search(0);
  } else {
    tbb::parallel_for(0, tbb::this_task_arena::max_concurrency(), search);
  }
  return first + best.load(std::memory_order_relaxed);
}

template <class T>
void for_each(T* first, T* last, std::size_t k_it) {
  const auto size = static_cast<std::size_t>(last - first);
  const positions all(0, size, std::max<std::size_t>(1, grain_size / k_it));
  tbb::parallel_for(all, [=](const positions& piece) {
    std::for_each(first + piece.begin(), first + piece.end(), kernels::store_count{k_it});
  });
}

template <class T>
T* inclusive_scan(const T* first, const T* last, T* out) {
  tbb::parallel_scan(
      all_of(first, last),
      T{},
      [=](const positions& piece, T carry, bool is_final) {
        const T* const begin = first + piece.begin();
        const T* const end = first + piece.end();
        return is_final ? scan_piece(begin, end, out + piece.begin(), carry)
                        : carry + sum_of_piece(begin, end);
      },
      std::plus<T>());
  return out + (last - first);
}

template <class T>
T reduce(const T* first, const T* last) {
  return tbb::parallel_reduce(
      all_of(first, last),
      T{},
      [=](const positions& piece, T sum) {
        return sum + sum_of_piece(first + piece.begin(), first + piece.end());
      },
      std::plus<T>());
}

template <class T>
void sort(T* first, T* last) {
  tbb::parallel_sort(first, last);
}

template <class T>
T* copy(const T* first, const T* last, T* out) {
  tbb::parallel_for(all_of(first, last), [=](const positions& piece) {
    std::copy(first + piece.begin(), first + piece.end(), out + piece.begin());
  });
  return out + (last - first);
}

/// A scan over counts, whose final pass copies what it counted.
template <class T>
T* copy_if(const T* first, const T* last, T* out) {
  const std::size_t num_selected = tbb::parallel_scan(
      all_of(first, last),
      std::size_t{0},
      [=](const positions& piece, std::size_t place, bool is_final) {
        const std::size_t count = count_selected(first + piece.begin(), first + piece.end());
        if (is_final) {
          copy_selected(first + piece.begin(), count, out + place);
        }
        return place + count;
      },
      std::plus<std::size_t>());
  return out + num_selected;
}

template <class T>
T* transform(const T* first, const T* last, T* out) {
  tbb::parallel_for(all_of(first, last), [=](const positions& piece) {
#pragma omp simd
    for (std::size_t i = piece.begin(); i < piece.end(); ++i) {
      out[i] = kernels::scale{}(first[i]);
    }
  });
  return out + (last - first);
}

template <class T>
T* merge(const T* left, const T* left_last, const T* right, const T* right_last, T* out) {
  const merge_job<T> job{left,
                         static_cast<std::size_t>(left_last - left),
                         right,
                         static_cast<std::size_t>(right_last - right),
                         out};
  tbb::parallel_for(positions(0, job.size(), grain_size),
                    [=](const positions& piece) { job.merge_piece(piece.begin(), piece.end()); });
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
  static const backend onetbb{
      .name = "onetbb",
      .scratch = {.sort = 0.0, .copy_if = 0.0, .others = 0.0},
      .typed_operations = {offered<int>(), offered<float>(), offered<double>()},
      .libraries = [] { return library_versions{standard_library(), tbb_library()}; },
      .with_threads = with_tbb_threads};
  return onetbb;
}

}  // namespace weft::lab::stl
