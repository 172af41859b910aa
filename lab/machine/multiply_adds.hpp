// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multiply-adds of doubles in registers: the processors' arithmetic rate without any limit by
// memory.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include <omp.h>

#include "lab/harness/experiment.hpp"
#include "lab/harness/keep.hpp"

namespace weft::lab {

/// About `size` multiply-adds in each call, shared by the threads of OpenMP.
///
/// Each counts as two operations. Uses the widest vectors that the compiler may use, and the
/// combined instruction if there is one: this file needs `-ffp-contract=fast`.
class multiply_adds final : public experiment {
 public:
  explicit multiply_adds(std::size_t size)
      : num_threads_(static_cast<std::size_t>(omp_get_max_threads())),
        num_rounds_(size / (num_chains * num_threads_) + 1) {}

  verdict verify() override {
    const double found = sum();
    const auto rounds = static_cast<double>(num_rounds_);
    constexpr std::size_t of_starts = pack_size * (num_packs * (num_packs - 1) / 2);
    const double of_thread = static_cast<double>(of_starts) + num_chains * rounds;
    const double expected = static_cast<double>(num_threads_) * of_thread;
    if (found == expected) {
      return {};
    }
    return {.mismatch =
                "the sum is " + std::to_string(found) + ", expected " + std::to_string(expected)};
  }

  void prepare(std::size_t /*count*/) override {}

  void run(std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      keep(sum());
    }
  }

  [[nodiscard]] std::size_t max_calls() const override { return std::size_t{1} << 30U; }
  [[nodiscard]] std::size_t bytes_min() const override { return 0; }
  [[nodiscard]] std::optional<double> num_operations() const override {
    return 2.0 * static_cast<double>(num_chains * num_threads_ * num_rounds_);
  }

 private:
#if defined(__AVX512F__)
  static constexpr std::size_t pack_bytes = 64;
#elif defined(__AVX__)
  static constexpr std::size_t pack_bytes = 32;
#else
  static constexpr std::size_t pack_bytes = 16;
#endif
  using pack = double __attribute__((vector_size(pack_bytes)));
  static constexpr std::size_t pack_size = pack_bytes / sizeof(double);
  // Two units with a latency of five cycles need ten; sixteen registers have room for two more.
  static constexpr std::size_t num_packs = 12;
  static constexpr std::size_t num_chains = num_packs * pack_size;

  /// Chains begin at 0, 1, ... and grow by one in each round, so that sums are exact.
  template <std::size_t... i>
  static double sum_of_chains(std::size_t num_rounds, std::index_sequence<i...> /*packs*/) {
    // Read only once, but the compiler does not know the value.
    const volatile double one = 1;
    const double read = one;
    const pack factor = pack{} + read;
    const pack summand = factor;
    pack chains[] = {(pack{} + read * static_cast<double>(i))...};
    for (std::size_t round = 0; round < num_rounds; ++round) {
      ((chains[i] = chains[i] * factor + summand), ...);
    }
    const pack total = (chains[i] + ...);
    double sum = 0;
    for (std::size_t j = 0; j < pack_size; ++j) {
      sum += total[j];
    }
    return sum;
  }

  [[nodiscard]] double sum() const {
    const std::size_t num_rounds = num_rounds_;
    double found = 0;
#pragma omp parallel reduction(+ : found)
    found += sum_of_chains(num_rounds, std::make_index_sequence<num_packs>{});
    return found;
  }

  std::size_t num_threads_;
  std::size_t num_rounds_;
};

}  // namespace weft::lab
