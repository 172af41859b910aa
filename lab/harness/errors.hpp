// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The errors that a bench program answers with a record instead of ending.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace weft::lab {

/// A cell names something that does not exist or is impossible; `field` is the key to correct.
class bad_cell : public std::invalid_argument {
 public:
  bad_cell(std::string field, const std::string& message)
      : std::invalid_argument(message), field_(std::move(field)) {}
  [[nodiscard]] const std::string& field() const noexcept { return field_; }

 private:
  std::string field_;
};

}  // namespace weft::lab
