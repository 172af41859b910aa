// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Independent copies, distributed evenly over the threads of an executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "weft/halo/executor.hpp"

#include "halo/fields/copy.hpp"

namespace weft::halo::detail {

/// Collects copies until `run`. Without an executor, each copy is done when it is added.
class copy_list {
 public:
  explicit copy_list(executor by) : by_(std::move(by)) {}

  [[nodiscard]] bool is_parallel() const noexcept { return by_.num_threads() > 1; }
  /// Reserves room for that many copies at a time, so that `add` need not allocate.
  void reserve(std::size_t num_copies);
  void add(const sweep& what, std::byte* into, const std::byte* from) {
    if (is_parallel()) {
      copies_.push_back({&what, into, from});
    } else {
      detail::run(what, into, from);
    }
  }
  /// Does the copies that were added. If the executor throws or leaves calls out, the calling
  /// thread does all copies from the beginning: independent copies may be done twice.
  void run();
  /// Returns a line for reports; empty if the executor never failed.
  [[nodiscard]] std::string report() const;

 private:
  struct copy {
    const sweep* what;
    std::byte* into;
    const std::byte* from;
  };

  void run_alone() const;
  void run_shared(std::size_t num_parts);
  void note_failure(const char* what) noexcept;
  void run_part(std::size_t part, std::size_t num_parts) const;

  executor by_;
  std::vector<copy> copies_;
  std::ptrdiff_t bytes_ = 0;
  std::vector<unsigned char> was_made_;  // per part
  std::int64_t num_failures_ = 0;
  std::string first_failure_;
};

}  // namespace weft::halo::detail
