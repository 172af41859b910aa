// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Barriers, and how ranks detect that no work is left.
#include "weft/distributed/collectives.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "weft/distributed/detail/collective.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/this_task.hpp"

namespace weft::distributed {
namespace detail {
namespace {

using sums = std::array<std::uint64_t, 2>;

/// The sums of the counts of all ranks.
future<sums> start_sums(engine& home, bool with_service) {
  const engine::message_counts mine = home.counts(with_service);
  auto started = std::make_unique<kept_collective<sums, sums>>(sums{mine.sent, mine.done}, sums());
  started->kind = collective_kind::all_reduce;
  started->type = element::uint64;
  started->operation = reduction::sum;
  started->input = started->in().data();
  started->output = started->out().data();
  started->count = started->in().size();
  started->channel = collective_channel::quiescence;
  return start_collective(home, std::move(started));
}

class barrier_operation final : public collective {
 public:
  [[nodiscard]] future<void> get_future() { return result_.get_future(); }
  void done() noexcept override {
    result_.set_value();
    delete this;
  }

 private:
  promise<void> result_;
};

}  // namespace

future<void> start_barrier(engine& home) {
  auto started = std::make_unique<barrier_operation>();
  started->kind = collective_kind::barrier;
  future<void> result = started->get_future();
  home.start(*started);
  static_cast<void>(started.release());
  return result;
}

/// Ends after two successive rounds with equal sums and as many messages done as sent. Then no
/// message was sent between the rounds, and none was in flight.
///
/// The rounds have their own channel, so that they do not mix with collectives that the program
/// starts meanwhile. All ranks run the same number of rounds, since they compare the same sums.
future<void> start_quiescence(engine& home, bool with_service) {
  promise<void> end;
  future<void> former = home.queue_quiescence(end.get_future());
  return weft::async(
      [&home, with_service, former = std::move(former), end = std::move(end)]() mutable {
        former.wait();
        constexpr auto longest_pause = std::chrono::microseconds(1000);
        auto pause = std::chrono::microseconds(0);
        sums before = start_sums(home, with_service).get();
        for (;;) {
          if (pause.count() != 0) {
            this_task::sleep_for(pause);  // messages in flight take longer than a round
          }
          const sums now = start_sums(home, with_service).get();
          if (now == before && now[0] == now[1]) {
            end.set_value();
            return;
          }
          before = now;
          pause = std::min(2 * pause + std::chrono::microseconds(10), longest_pause);
        }
      });
}

}  // namespace detail

future<void> barrier() { return detail::start_barrier(detail::engine::current()); }
future<void> quiescence() { return detail::start_quiescence(detail::engine::current(), false); }

}  // namespace weft::distributed
