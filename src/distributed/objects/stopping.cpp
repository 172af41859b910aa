// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a stop request reaches a call on another rank.
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <tuple>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/handler.hpp"
#include "weft/distributed/detail/message.hpp"
#include "weft/distributed/detail/rank_tables.hpp"
#include "weft/distributed/stoppable.hpp"
#include "weft/execution/lazy_task.hpp"

namespace weft::distributed::detail {
namespace {

/// Asks a call to stop where the message is received: all workers may be busy with calls that look
/// for the request.
struct stop_message {
  using values = std::tuple<std::int32_t, std::uint64_t>;
  static void handle(engine& home, const incoming& message) noexcept {
    try {
      stop_table::call_id call;
      input_archive from(message.bytes);
      from(call.first, call.second);
      from.finish();
      home.tables().stops.request_stop(call);
    } catch (const std::exception& why) {
      home.abort_job("a stop request cannot be read: " + std::string(why.what()));
    }
    home.message_is_done();
  }
  static constexpr std::string_view name() { return "stop request"; }
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
    write_message(*home_, stop_message::values(home_->rank(), number_), [this](outgoing& message) {
      home_->post(rank_, handler_of<stop_message>::entry, message);
    });
  } catch (const std::exception&) {
    return;  // there is no memory for the message; the call ends without it
  }
}

}  // namespace weft::distributed::detail
