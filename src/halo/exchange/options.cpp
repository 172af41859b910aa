// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the options' values.
#include "weft/halo/options.hpp"

#include <string_view>

namespace weft::halo {

std::string_view to_string(packing what) noexcept {
  switch (what) {
    case packing::automatic:
      return "automatic";
    case packing::loops:
      return "loops";
    case packing::mpi_pack:
      return "mpi_pack";
    case packing::mpi_datatype:
      return "mpi_datatype";
    case packing::direct:
      return "direct";
  }
  return "unknown";
}

std::string_view to_string(schedule what) noexcept {
  switch (what) {
    case schedule::automatic:
      return "automatic";
    case schedule::bulk:
      return "bulk";
    case schedule::staged:
      return "staged";
  }
  return "unknown";
}

std::string_view to_string(directions what) noexcept {
  switch (what) {
    case directions::faces:
      return "faces";
    case directions::faces_edges:
      return "faces_edges";
    case directions::all:
      return "all";
  }
  return "unknown";
}

std::string_view to_string(transport what) noexcept {
  return what == transport::automatic ? "automatic" : "messages";
}

std::string_view to_string(validation what) noexcept {
  switch (what) {
    case validation::automatic:
      return "automatic";
    case validation::off:
      return "off";
    case validation::descriptors:
      return "descriptors";
    case validation::check_sums:
      return "check_sums";
    case validation::cells:
      return "cells";
  }
  return "unknown";
}

}  // namespace weft::halo
