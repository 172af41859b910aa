// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The files of a stored vector: one of each rank, and one that names them, which is replaced last.
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "weft/distributed/checkpoint.hpp"
#include "weft/distributed/detail/exchange.hpp"
#include "weft/distributed/distribution.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/vector.hpp"

namespace weft::distributed::detail {
namespace {

stored_vector read_header(const std::filesystem::path& file) {
  stored_vector stored{};
  load_checkpoint(file, stored);
  if (stored.num_ranks < 1 || stored.block_size == 0) {
    throw checkpoint_error(file.string() +
                           " does not describe a distributed vector: load a file "
                           "that distributed::vector::save wrote");
  }
  return stored;
}

}  // namespace

std::filesystem::path file_of_rank(const std::filesystem::path& file,
                                   const stored_vector& stored,
                                   int rank) {
  return file.string() + '.' + std::to_string(stored.version) + '.' + std::to_string(rank);
}

std::pair<stored_vector, stored_vector> next_version(const std::filesystem::path& file,
                                                     const element_layout& layout) {
  const stored_vector former = gather_parts([&] {
                                 const bool reads =
                                     here().rank() == 0 && std::filesystem::exists(file);
                                 return reads ? read_header(file) : stored_vector{};
                               }).front();
  return {former,
          {.version = former.version + 1,
           .size = layout.size(),
           .block_size = layout.block_size(),
           .num_ranks = layout.num_ranks()}};
}

void replace_version(const std::filesystem::path& file,
                     const stored_vector& former,
                     const stored_vector& next) {
  static_cast<void>(gather_parts([&] {
    if (here().rank() == 0) {
      save_checkpoint(file, next);
    }
  }));
  for (int rank = here().rank(); rank < former.num_ranks; rank += num_localities()) {
    std::error_code ignored;
    std::filesystem::remove(file_of_rank(file, former, rank), ignored);
  }
}

stored_vector read_stored_vector(const std::filesystem::path& file) {
  return gather_parts([&] { return here().rank() == 0 ? read_header(file) : stored_vector{}; })
      .front();
}

}  // namespace weft::distributed::detail
