// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The common part of both halves of the C interface: opaque types, error codes for exceptions,
// checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/halo.h"
#include "weft/halo/axis.hpp"
#include "weft/halo/detail/grid.hpp"
#include "weft/halo/detail/shape.hpp"
#include "weft/halo/error.hpp"

#include "halo/plan/agree.hpp"
#include "halo/plan/plan.hpp"

struct weft_halo_grid {
  std::shared_ptr<weft::halo::detail::grid> processes;
};

namespace weft::halo::detail {

/// The error for a null pointer or an invalid number.
class bad_argument final : public std::exception {
 public:
  explicit bad_argument(std::string what) : what_(std::move(what)) {}
  [[nodiscard]] const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// Returns the number that an error has in C.
[[nodiscard]] int c_code(errc code) noexcept;
/// Keeps the message; returns `code`.
int c_failed(int code, const char* what) noexcept;

/// Calls it, and converts an exception to a code.
template <class Call>
int guarded(const Call& call) noexcept {
  try {
    call();
    return WEFT_HALO_OK;
  } catch (const error& failed) {
    return c_failed(c_code(failed.code()), std::string(failed.sentence()).c_str());
  } catch (const bad_argument& failed) {
    return c_failed(WEFT_HALO_BAD_ARGUMENT, failed.what());
  } catch (const std::exception& failed) {
    return c_failed(WEFT_HALO_FAILED, failed.what());
  } catch (...) {
    return c_failed(WEFT_HALO_FAILED, "an exception of no known type");
  }
}

/// Calls it. If it throws on any rank, all ranks throw: that rank its own exception, the others
/// `other_rank_refused`. So no rank waits in the next collective call.
/// Threads: collective.
template <class Call>
void prepared_together(const grid& processes, const Call& call) {
  std::exception_ptr own;
  refusal trouble;
  try {
    call();
  } catch (const std::exception& failed) {
    own = std::current_exception();
    trouble.why = failed.what();
  }
  try {
    refuse_together(processes, trouble, std::source_location());
  } catch (const error&) {
    if (own != nullptr) {
      std::rethrow_exception(own);
    }
    throw;
  }
}

/// Throws `bad_argument` for a null pointer.
void require(const void* pointer, const char* name);

/// One axis per dimension of the grid.
[[nodiscard]] std::vector<axis> axes_of(const weft_halo_grid& on, const weft_halo_axis* box);
/// Returns the elements between neighbouring cells of fields without gaps.
[[nodiscard]] std::array<std::ptrdiff_t, max_dims> dense(std::span<const axis> box, int layout);
/// A field whose cells have a size but no other type. `strides`: in elements.
[[nodiscard]] shape shape_of_bytes(std::span<const axis> box,
                                   std::span<const std::ptrdiff_t> strides,
                                   std::int64_t element_bytes);

}  // namespace weft::halo::detail
