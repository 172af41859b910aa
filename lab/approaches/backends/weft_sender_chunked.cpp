// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Approach weft_sender_chunked: as weft_sender, by bulk_chunked, whose callable is given ranges.
#include <cstddef>
#include <utility>

#include "weft/execution/bulk.hpp"

#include "lab/approaches/backend.hpp"
#include "lab/approaches/backends/weft_pool.hpp"
#include "lab/approaches/backends/weft_sender_bodies.hpp"
#include "lab/approaches/bodies/taylor_bodies.hpp"
#include "lab/approaches/bodies/unit_bodies.hpp"
#include "lab/approaches/operations.hpp"

namespace weft::lab::approaches {
namespace {

struct in_chunks {
  static auto over(std::size_t count, auto body) {
    return execution::bulk_chunked(count,
                                   [body = std::move(body)](std::size_t first, std::size_t last) {
                                     for (; first != last; ++first) {
                                       body(first);
                                     }
                                   });
  }
};

operations offered() {
  operations rows;
  bodies::offer_series<weft_senders<in_chunks>>(rows);
  bodies::offer_units<weft_senders<in_chunks>>(rows);
  rows.bulk_chunk = nullptr;  // chunks of several indices are the purpose of this approach
  return rows;
}

}  // namespace

const backend& linked_backend() {
  static const backend weft_sender_chunked = weft_backend("weft_sender_chunked", offered());
  return weft_sender_chunked;
}

}  // namespace weft::lab::approaches
