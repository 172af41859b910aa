// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a stop request reaches a call on another rank.
#include <cstdint>
#include <exception>
#include <tuple>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/rank_tables.hpp"
#include "weft/distributed/stoppable.hpp"
#include "weft/execution/lazy_task.hpp"

namespace weft::distributed::detail {
namespace {

/// Called on the rank that runs the call.
struct stop_target {
  using arguments = std::tuple<std::int32_t, std::uint64_t>;
  using result = void;
  static void call(engine& home, std::int32_t&& caller, std::uint64_t&& number) {
    home.tables().stops.request_stop({caller, number});
  }
};

}  // namespace

const std::exception_ptr& stopped_call() noexcept { return execution::detail::stopped_exception(); }

std::uint64_t next_stop_number(engine& home) noexcept { return home.tables().stops.next_number(); }

stop_link::~stop_link() {
  if (listed_ != nullptr) {
    listed_->tables().stops.remove({caller_, number_});
  }
}

void stop_link::load(input_archive& from) {
  from(caller_, number_);
  engine& here = engine::current();
  token_ = here.tables().stops.add({caller_, number_});
  listed_ = &here;
}

void stop_request::operator()() const noexcept {
  try {
    start_post<stop_target>(*home_, rank_, {home_->rank(), number_});
  } catch (const std::exception&) {
    return;  // there is no memory for the message; the call ends without it
  }
}

}  // namespace weft::distributed::detail
