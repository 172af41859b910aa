// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend openmp: OpenMP's loops and tasks, and algorithms written with the loops.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <omp.h>

#include "lab/bench/algorithm_members.hpp"
#include "lab/bench/loop_algorithms.hpp"
#include "lab/stl/backends/openmp_threads.hpp"

namespace weft::bench {
namespace in_openmp {

struct loops {
  static void for_loop(std::size_t n, const auto& body) {
    const auto own = body;  // g++ vectorises loops over values that no store can change
#pragma omp parallel for schedule(guided) firstprivate(own)
    for (std::size_t i = 0; i < n; ++i) {
      own(i);
    }
  }

  /// The sums of parts are combined in the order of the parts.
  template <class T>
  static T reduce(std::size_t n, T init, const auto& map, const auto& combine) {
    constexpr std::size_t parts_per_thread = 8;  // other threads take the next parts of a slow one
    const std::size_t num_parts = parts_per_thread * num_threads();
    std::vector<std::optional<T>> sums(num_parts);
#pragma omp parallel for schedule(dynamic)
    for (std::size_t part = 0; part < num_parts; ++part) {
      const std::size_t begin = n * part / num_parts;
      const std::size_t end = n * (part + 1) / num_parts;
      if (begin < end) {
        sums[part] = reduce_part<T>(begin, end, map, combine);
      }
    }
    for (const auto& sum : sums) {
      init = sum ? combine(init, *sum) : init;
    }
    return init;
  }

  static std::size_t num_threads() { return static_cast<std::size_t>(omp_get_max_threads()); }
};

/// Tasks need a parallel region: outside of one, tasks are stored until `wait` opens one.
class group {
 public:
  template <class Task>
  void run(Task task) {
    if (omp_get_level() == 0) {
      kept_.emplace_back(std::move(task));
      return;
    }
#pragma omp task firstprivate(task)
    task();
  }

  void wait() {
    if (omp_get_level() > 0) {
#pragma omp taskwait
      return;
    }
    const auto tasks = std::exchange(kept_, {});
#pragma omp parallel
#pragma omp single
    for (const auto& task : tasks) {
#pragma omp task firstprivate(task)
      task();
    }
  }

 private:
  std::vector<std::function<void()>> kept_;
};

using library = loop_algorithms<loops>;
#define WEFT_BENCH_POLICY

struct openmp {
  static constexpr std::string_view name = "openmp";
  static constexpr bool is_serial = false;

#define WEFT_STL_OPERATION(type, name, ...) WEFT_BENCH_MEMBER(name)
#include "lab/stl/operations.inc"

  void for_loop(std::size_t n, const auto& body) const { loops::for_loop(n, body); }

  template <class T>
  T reduce(std::size_t n, T init, const auto& map, const auto& combine) const {
    return loops::reduce(n, init, map, combine);
  }

  void fork_join(const auto& first, const auto& second) const {
    if (omp_get_level() == 0) {
#pragma omp parallel
#pragma omp single
      fork_join(first, second);
      return;
    }
#pragma omp task shared(first)
    first();
    second();
#pragma omp taskwait
  }

  group task_group() const { return {}; }

  static lab::stl::library_versions libraries() {
    return {lab::stl::standard_library(), lab::stl::openmp_library()};
  }
  static constexpr auto with_threads = lab::stl::with_openmp_threads;
};

}  // namespace in_openmp

using in_openmp::openmp;

}  // namespace weft::bench
