// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ranks that act together throw together: each learns of a failure or a mistake of another one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/distributed/collectives.hpp"
#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/exchange.hpp"
#include "weft/distributed/distribution.hpp"
#include "weft/distributed/locality.hpp"
#include "weft/distributed/vector.hpp"

#include "distributed/calls/exceptions.hpp"

namespace weft::distributed::detail {
namespace {

/// The bytes of `root`, of which all ranks know the number.
std::vector<std::byte> broadcast_bytes(std::vector<std::byte> bytes, int root) {
  using operation = kept_collective<char, std::vector<std::byte>>;
  auto started = std::make_unique<operation>('\0', std::move(bytes));
  started->kind = collective_kind::broadcast;
  started->output = started->out().data();
  started->count = started->out().size();
  started->root = root;
  return start_collective(engine::current(), std::move(started)).get();
}

struct requested_vector {
  std::uint64_t size;
  std::uint64_t block_size;  // 0: block

  friend bool operator==(const requested_vector&, const requested_vector&) = default;
};

std::string request_text(std::size_t rank, const requested_vector& wanted) {
  const std::string spread =
      wanted.block_size == 0 ? "block" : "cyclic(" + std::to_string(wanted.block_size) + ")";
  return "rank " + std::to_string(rank) + " passes " + std::to_string(wanted.size) + ", " + spread;
}

std::string layout_text(const element_layout& layout) {
  return std::to_string(layout.size()) + " elements in blocks of " +
         std::to_string(layout.block_size());
}

}  // namespace

void require_same_layout(std::string_view function,
                         const element_layout& first,
                         const element_layout& second) {
  if (first != second) {
    throw error(errc::bad_parameter,
                std::string(function) + " takes vectors of one size and distribution, not " +
                    layout_text(first) + " and " + layout_text(second) +
                    ": copy one of them to a vector that is distributed as the other one");
  }
}

void require_same_size(std::string_view function,
                       const element_layout& first,
                       const element_layout& second) {
  if (first.size() != second.size()) {
    throw error(errc::bad_parameter,
                std::string(function) + " takes vectors of one size, not of " +
                    std::to_string(first.size()) + " and " + std::to_string(second.size()) +
                    " elements");
  }
}

void rethrow_first(std::span<const char> has_failed, const std::exception_ptr& raised) {
  const auto first = std::ranges::find_if(has_failed, [](char each) { return each != 0; });
  if (first == has_failed.end()) {
    return;
  }
  const auto failed = static_cast<int>(first - has_failed.begin());
  const bool is_here = here().rank() == failed;
  std::vector<std::byte> bytes;
  if (is_here) {
    bytes = exception_bytes(raised, failed, "a collective function");
  }
  bytes.resize(broadcast(std::uint64_t{bytes.size()}, locality(failed)).get());
  bytes = broadcast_bytes(std::move(bytes), failed);
  std::rethrow_exception(is_here ? raised : exception_from(bytes));
}

void require_same_everywhere(std::size_t size, distribution spread) {
  const std::vector<requested_vector> all =
      all_gather(requested_vector{size, spread.block_size}).get();
  const auto other =
      std::ranges::find_if(all, [&](const requested_vector& each) { return each != all.front(); });
  if (other != all.end()) {
    throw error(errc::bad_parameter,
                "the ranks make one distributed::vector, but " + request_text(0, all.front()) +
                    " and " + request_text(static_cast<std::size_t>(other - all.begin()), *other) +
                    ": pass the same size and distribution on all ranks");
  }
}

void refuse_index(std::size_t i, std::size_t size) {
  throw error(errc::out_of_range,
              "index " + std::to_string(i) + " is outside a distributed::vector of " +
                  std::to_string(size) + " elements");
}

}  // namespace weft::distributed::detail
