// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exception for wrong use of a future or a promise.
#pragma once

#include <cstdint>

#include "weft/base/error.hpp"

namespace weft {

/// Which mistake a `future_error` reports.
enum class future_errc : std::uint8_t {
  no_state,
  already_retrieved,
  promise_already_satisfied,
  broken_promise,
  no_exception,
  no_callable,
};

/// A wrong use of a future, promise or packaged task; `what()` says which and what to do instead.
class future_error : public error {
 public:
  explicit future_error(future_errc code);
  [[nodiscard]] future_errc code() const noexcept { return code_; }

 private:
  future_errc code_;
};

}  // namespace weft
