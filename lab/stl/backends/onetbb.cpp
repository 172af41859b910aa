// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend onetbb: oneTBB's own algorithms, with hand-chosen grain sizes and vector loops.
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
#include "lab/stl/backends/keyed_loops.hpp"
#include "lab/stl/backends/loop_operations.hpp"
#include "lab/stl/backends/merge_path.hpp"
#include "lab/stl/backends/tbb_threads.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace {

// A few microseconds of streaming: enough work for a task, and small enough to balance.
constexpr std::size_t grain_size = std::size_t{1} << 13U;

using positions = tbb::blocked_range<std::size_t>;

positions all_of(std::size_t size) { return {0, size, grain_size}; }

struct loops {
  template <class Body>
  static void for_pieces(std::size_t size, const Body& body) {
    tbb::parallel_for(all_of(size),
                      [&](const positions& piece) { body(piece.begin(), piece.end()); });
  }

  template <class Sum, class Map, class Combine>
  static Sum reduce_pieces(std::size_t size, Sum identity, const Map& map, const Combine& combine) {
    return tbb::parallel_reduce(
        all_of(size),
        identity,
        [&](const positions& piece, Sum sum) {
          return combine(sum, map(piece.begin(), piece.end()));
        },
        combine);
  }

  /// Blocks are claimed in order, so that no thread reads far past the first match.
  template <class Find>
  static std::size_t first_in_pieces(std::size_t size, const Find& find) {
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> best = size;
    const auto search = [&](int /*worker*/) {
      // relaxed: a stale position costs a comparison, never the answer.
      for (std::size_t begin = next.fetch_add(grain_size, std::memory_order_relaxed);
           begin < best.load(std::memory_order_relaxed);
           begin = next.fetch_add(grain_size, std::memory_order_relaxed)) {
        const std::size_t end = std::min(begin + grain_size, size);
        const std::size_t found = find(begin, end);
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
    return best.load(std::memory_order_relaxed);
  }

  template <class Sum, class Add, class Write>
  static Sum scan_pieces(std::size_t size, Sum identity, const Add& sum_of, const Write& write) {
    return tbb::parallel_scan(
        all_of(size),
        identity,
        [&](const positions& piece, Sum carry, bool is_final) {
          return is_final ? write(piece.begin(), piece.end(), carry)
                          : carry + sum_of(piece.begin(), piece.end());
        },
        std::plus<Sum>());
  }
};

template <class T>
void for_each(T* first, T* last, std::size_t k_it) {
  const auto size = static_cast<std::size_t>(last - first);
  const positions all(0, size, std::max<std::size_t>(1, grain_size / k_it));
  tbb::parallel_for(all, [=](const positions& piece) {
    std::for_each(first + piece.begin(), first + piece.end(), kernels::store_count{k_it});
  });
}

template <class T>
void sort(T* first, T* last) {
  tbb::parallel_sort(first, last);
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
  operations<T> all = by_loops<T, loops>::offered();
  all.for_each = all.for_each_n = for_each<T>;
  all.sort = sort<T>;
  all.merge = merge<T>;
  keyed_loops<T, loops, sort<keyed<T>>>::offer(all);
  all.sort_in_place = [](T* first, T* last) {
    tbb::parallel_sort(first, last, kernels::precedes{});
  };
  return all;
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
