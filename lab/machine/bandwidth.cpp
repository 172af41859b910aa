// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine's memory bandwidth: STREAM's four kernels, reading and writing alone, and copying and
// writing with non-temporal stores where the processor has them, with OpenMP. Also the processors'
// arithmetic rate without any limit by memory (multiply_add).
//
// Bytes are counted as STREAM counts them: 16 per element for copy and scale, 24 for add and triad,
// 8 for read and write. Lines that an ordinary store fetches before it writes them
// ("write-allocate") are not counted. So a machine may move up to 1.5 times (copy, scale), 4/3
// times (add, triad) or twice (write) the reported bytes. Non-temporal stores fetch nothing. Other
// stores are the compiler's choice for plain assignments. Arrays are always first touched by the
// threads that use them, whatever the cell's allocator.
//
// Source: https://www.cs.virginia.edu/stream/ref.html
#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <omp.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"
#include "lab/harness/names.hpp"
#include "lab/machine/multiply_adds.hpp"

namespace weft::lab {
namespace {

constexpr double factor = 3;
constexpr std::align_val_t page{4096};

struct page_delete {
  void operator()(double* memory) const noexcept { ::operator delete[](memory, page); }
};
using page_array = std::unique_ptr<double[], page_delete>;

/// Calls `body(i)` for all i with a static schedule, so that a thread gets the same elements in
/// every loop.
template <class Body>
void for_all(std::ptrdiff_t size, const Body& body) {
#pragma omp parallel for simd schedule(static)
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    body(i);
  }
}

/// Memory whose pages are first touched by the threads that `for_all` assigns them to.
page_array first_touched(std::ptrdiff_t size, double (*value_at)(std::ptrdiff_t i)) {
  const auto num_bytes = static_cast<std::size_t>(size) * sizeof(double);
  page_array memory(static_cast<double*>(::operator new[](num_bytes, page)));
  double* const values = memory.get();
#pragma omp parallel for schedule(static)
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    values[i] = value_at(i);
  }
  return memory;
}

/// `out` is written from `x` and `y`. Values are small integers, so that sums are exact in any
/// order.
struct operands {
  double* out;
  const double* x;
  const double* y;
  std::ptrdiff_t size;
};

double zero_at(std::ptrdiff_t /*i*/) { return 0; }
double x_at(std::ptrdiff_t i) { return static_cast<double>(1 + i % 7); }
double y_at(std::ptrdiff_t i) { return static_cast<double>(2 + i % 5); }

double copy(const operands& on) {
  for_all(on.size, [on](std::ptrdiff_t i) { on.out[i] = on.x[i]; });
  return 0;
}

double scale(const operands& on) {
  for_all(on.size, [on](std::ptrdiff_t i) { on.out[i] = factor * on.x[i]; });
  return 0;
}

double add(const operands& on) {
  for_all(on.size, [on](std::ptrdiff_t i) { on.out[i] = on.x[i] + on.y[i]; });
  return 0;
}

double triad(const operands& on) {
  for_all(on.size, [on](std::ptrdiff_t i) { on.out[i] = on.x[i] + factor * on.y[i]; });
  return 0;
}

double write(const operands& on) {
  for_all(on.size, [on](std::ptrdiff_t i) { on.out[i] = factor; });
  return 0;
}

double read(const operands& on) {
  // Copies of the members: through `on`, the compiler must assume that a partial sum overwrites
  // `x`, and would add one by one.
  const double* const x = on.x;
  const std::ptrdiff_t size = on.size;
  double sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (std::ptrdiff_t i = 0; i < size; ++i) {
    sum += x[i];
  }
  return sum;
}

#if defined(__SSE2__)
/// Calls `store(i)` for every even i whose pair [i, i + 1] is within the size. A page begins at a
/// multiple of the size of one store.
template <class Store>
void for_all_pairs(std::ptrdiff_t size, const Store& store) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (std::ptrdiff_t i = 0; i < size / 2; ++i) {
      store(2 * i);
    }
    _mm_sfence();  // orders non-temporal stores before the end of the region
  }
}

double copy_nontemporal(const operands& on) {
  for_all_pairs(on.size,
                [on](std::ptrdiff_t i) { _mm_stream_pd(on.out + i, _mm_load_pd(on.x + i)); });
  if (on.size % 2 != 0) {
    on.out[on.size - 1] = on.x[on.size - 1];
  }
  return 0;
}

double write_nontemporal(const operands& on) {
  for_all_pairs(on.size,
                [on](std::ptrdiff_t i) { _mm_stream_pd(on.out + i, _mm_set1_pd(factor)); });
  if (on.size % 2 != 0) {
    on.out[on.size - 1] = factor;
  }
  return 0;
}
#endif

struct kernel {
  std::string_view name;
  double (*run)(const operands& on);
  double (*expected_at)(
      std::ptrdiff_t i);  // the value of `out[i]`; null: the kernel returns the sum of x instead
  bool uses_x;
  bool uses_y;

  [[nodiscard]] std::size_t num_arrays() const {
    return std::size_t{expected_at != nullptr} + std::size_t{uses_x} + std::size_t{uses_y};
  }
  [[nodiscard]] std::size_t bytes(std::size_t size) const {
    return num_arrays() * size * sizeof(double);
  }
};

constexpr auto kernels = std::to_array<kernel>({
    {"copy", copy, x_at, true, false},
    {"scale", scale, [](std::ptrdiff_t i) { return factor * x_at(i); }, true, false},
    {"add", add, [](std::ptrdiff_t i) { return x_at(i) + y_at(i); }, true, true},
    {"triad", triad, [](std::ptrdiff_t i) { return x_at(i) + factor * y_at(i); }, true, true},
    {"read", read, nullptr, true, false},
    {"write", write, [](std::ptrdiff_t) { return factor; }, false, false},
#if defined(__SSE2__)
    {"copy_nontemporal", copy_nontemporal, x_at, true, false},
    {"write_nontemporal", write_nontemporal, [](std::ptrdiff_t) { return factor; }, false, false},
#endif
});

constexpr std::string_view arithmetic = "multiply_add";

std::vector<std::string> problem_names() {
  std::vector<std::string> names;
  names.reserve(kernels.size() + 1);
  for (const kernel& each : kernels) {
    names.emplace_back(each.name);
  }
  names.emplace_back(arithmetic);
  return names;
}

const kernel& kernel_named(std::string_view name) {
  for (const kernel& each : kernels) {
    if (each.name == name) {
      return each;
    }
  }
  throw bad_cell("problem", unknown_name("problem", name, problem_names()));
}

class bandwidth final : public experiment {
 public:
  bandwidth(const kernel& what, std::size_t size)
      : what_(what), size_(static_cast<std::ptrdiff_t>(size)) {
    if (what.expected_at != nullptr) {
      out_ = first_touched(size_, zero_at);
    }
    if (what.uses_x) {
      x_ = first_touched(size_, x_at);
    }
    if (what.uses_y) {
      y_ = first_touched(size_, y_at);
    }
  }

  verdict verify() override {
    const double returned = what_.run(on());
    return what_.expected_at == nullptr ? verify_sum(returned) : verify_elements();
  }

  void prepare(std::size_t /*count*/) override {}

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(what_.run(on()));
    }
  }

  [[nodiscard]] std::size_t max_calls() const override { return std::size_t{1} << 30; }
  [[nodiscard]] std::size_t bytes_min() const override {
    return what_.bytes(static_cast<std::size_t>(size_));
  }

 private:
  [[nodiscard]] operands on() const {
    return {.out = out_.get(), .x = x_.get(), .y = y_.get(), .size = size_};
  }

  verdict verify_elements() const {
    for (std::ptrdiff_t i = 0; i < size_; ++i) {
      if (out_[static_cast<std::size_t>(i)] != what_.expected_at(i)) {
        return {.mismatch = "element " + std::to_string(i) + " is " +
                            std::to_string(out_[static_cast<std::size_t>(i)]) + ", expected " +
                            std::to_string(what_.expected_at(i))};
      }
    }
    return {};
  }

  [[nodiscard]] verdict verify_sum(double sum) const {
    double expected = 0;
    for (std::ptrdiff_t i = 0; i < size_; ++i) {
      expected += x_at(i);
    }
    if (sum == expected) {
      return {};
    }
    return {.mismatch =
                "the sum is " + std::to_string(sum) + ", expected " + std::to_string(expected)};
  }

  const kernel& what_;
  std::ptrdiff_t size_;
  page_array out_;
  page_array x_;
  page_array y_;
};

class bandwidth_suite final : public suite {
 public:
  [[nodiscard]] std::string_view name() const override { return "machine"; }
  [[nodiscard]] std::string_view backend() const override { return "bandwidth"; }
  [[nodiscard]] std::map<std::string, std::string> libraries() const override {
    return {{"openmp", std::to_string(_OPENMP)}};
  }
  [[nodiscard]] std::vector<std::string> problems() const override { return problem_names(); }
  [[nodiscard]] bool is_serial() const override { return false; }

  void check(const cell& what) const override {
    if (what.type != "double") {
      throw bad_cell("type", "bandwidth is measured with double only; use --type double");
    }
    if (!what.params.empty()) {
      throw bad_cell("params", "bandwidth takes no parameters");
    }
  }
  [[nodiscard]] std::size_t memory_bytes(const cell& what) const override {
    return what.problem == arithmetic ? 0 : kernel_named(what.problem).bytes(what.size);
  }
  std::variant<std::unique_ptr<experiment>, skip> make(const cell& what) const override {
    if (what.problem == arithmetic) {
      return std::make_unique<multiply_adds>(what.size);
    }
    return std::make_unique<bandwidth>(kernel_named(what.problem), what.size);
  }
  void with_threads(int threads, void (*body)(void*), void* context) const override {
    omp_set_num_threads(threads);
    body(context);
  }
};

}  // namespace
}  // namespace weft::lab

int main(int argc, char** argv) {
  return weft::lab::bench_main(argc, argv, weft::lab::bandwidth_suite());
}
