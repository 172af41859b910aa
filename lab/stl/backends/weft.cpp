// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Backend weft: weft::algorithms with weft::par_unseq, called by a thread that is not a worker.
#include <cstddef>
#include <memory>

#include "weft/algorithms.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_options.hpp"

#include "lab/stl/backend.hpp"
#include "lab/stl/backends/versions.hpp"
#include "lab/stl/kernels.hpp"
#include "lab/stl/operations.hpp"

namespace weft::lab::stl {
namespace library = weft;
namespace {
std::unique_ptr<runtime> workers;
}
}  // namespace weft::lab::stl
#define WEFT_STL_POLICY weft::par_unseq.on(*workers),
#include "lab/stl/backends/library_operations.hpp"
#include "lab/stl/backends/walked_operations.hpp"

namespace weft::lab::stl {
namespace {

template <class T>
operations<T> offered() {
  operations<T> all = library_operations<T>();
  offer_walked(all);
  all.histogram = [](const T* first, const T* last, std::size_t* counts) {
    constexpr auto num_bins = static_cast<int>(kernels::num_bins);
    weft::histogram(par_unseq.on(*workers), first, last, num_bins, 0, num_bins, counts);
  };
  all.reduce_by_key = [](const T* first, const T* last, const T* values, T* keys_out, T* sums_out) {
    return ends_of<T>(
        weft::reduce_by_key(par_unseq.on(*workers), first, last, values, keys_out, sums_out));
  };
  all.sort_by_key = [](T* first, T* last, T* values) {
    weft::sort_by_key(par_unseq.on(*workers), first, last, values);
  };
  all.sort_in_place = [](T* first, T* last) {
    weft::sort(par_unseq.on(*workers).with(in_place), first, last, kernels::precedes{});
  };
  return all;
}

void with_threads(int threads, void (*body)(void* context), void* context) {
  runtime_options options;
  options.workers = threads;
  workers = std::make_unique<runtime>(options);
  body(context);
  workers.reset();
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_backend{
      .name = "weft",
      .scratch = {.sort = 1.0, .copy_if = 0.5, .others = 0.0},
      .typed_operations = {offered<int>(), offered<float>(), offered<double>()},
      .libraries = [] { return library_versions{standard_library()}; },
      .with_threads = with_threads};
  return weft_backend;
}

}  // namespace weft::lab::stl
