// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend seq: the standard library's sequential algorithms, the baseline of every speed-up.
#include <algorithm>
#include <cstddef>
#include <memory>   // IWYU pragma: keep
#include <numeric>  // IWYU pragma: keep

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/keyed_loops.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace library = std;
}
#define WEFT_STL_POLICY
#include "lab/stl/backends/library_operations.hpp"
#include "lab/stl/backends/walked_operations.hpp"

namespace weft::lab::stl {
namespace {

/// One piece; each element is visited once.
struct loops {
  template <class Body>
  static void for_pieces(std::size_t size, const Body& body) {
    body(std::size_t{0}, size);
  }

  template <class Sum, class Map, class Combine>
  static Sum reduce_pieces(std::size_t size,
                           const Sum& /*identity*/,
                           const Map& map,
                           const Combine& /*combine*/) {
    return map(std::size_t{0}, size);
  }

  template <class Sum, class Add, class Write>
  static Sum scan_pieces(std::size_t size,
                         Sum identity,
                         const Add& /*sum_of*/,
                         const Write& write) {
    return write(std::size_t{0}, size, identity);
  }
};

template <class T>
void sort_pairs(keyed<T>* first, keyed<T>* last) {
  std::sort(first, last);
}

template <class T>
operations<T> offered() {
  operations<T> all = library_operations<T>();
  offer_walked(all);
  keyed_loops<T, loops, sort_pairs<T>>::offer(all);
  all.sort_in_place = [](T* first, T* last) { std::sort(first, last, kernels::precedes{}); };
  return all;
}

}  // namespace

const backend& linked_backend() {
  static const backend seq{
      .name = "seq",
      .is_serial = true,
      .scratch = {.sort = 0.5, .copy_if = 0.5, .others = 0.0},  // stable_sort, stable_partition
      .typed_operations = {offered<int>(), offered<float>(), offered<double>()},
      .libraries = [] { return library_versions{standard_library()}; },
      .with_threads = [](int /*threads*/, void (*body)(void*), void* context) { body(context); }};
  return seq;
}

}  // namespace weft::lab::stl
