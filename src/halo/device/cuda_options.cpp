// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the options' values.
#include "weft/halo/cuda_options.hpp"

#include <string_view>

namespace weft::halo {

std::string_view to_string(device_path what) noexcept {
  switch (what) {
    case device_path::automatic:
      return "automatic";
    case device_path::gpu_aware:
      return "gpu_aware";
    case device_path::staged:
      return "staged";
  }
  return "unknown";
}

}  // namespace weft::halo
