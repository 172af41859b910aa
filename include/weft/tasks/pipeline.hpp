// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that pass through stages, several at once and in order where a stage asks for it.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/tasks/detail/sync/spin_lock.hpp"
#include "weft/tasks/parallel_for.hpp"
#include "weft/tasks/stop_token.hpp"
#include "weft/tasks/task_group.hpp"

namespace weft {

namespace tasks::detail {

enum class stage_order : std::uint8_t { serial_in_order, serial_out_of_order, parallel };

template <stage_order how, class F>
struct pipeline_stage {
  static constexpr stage_order order = how;
  F call;
};

template <class T>
inline constexpr bool is_stage = false;
template <stage_order how, class F>
inline constexpr bool is_stage<pipeline_stage<how, F>> = true;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

}  // namespace tasks::detail

/// A stage, which `pipeline` takes after its options: made by one of the functions in
/// `weft::stage`.
template <class Stage>
concept pipeline_stage = tasks::detail::is_stage<Stage>;

namespace stage {

/// A stage that gets one value at a time, in the order in which the first stage returned them.
template <class F>
[[nodiscard]] auto serial_in_order(F call) {
  return tasks::detail::pipeline_stage<tasks::detail::stage_order::serial_in_order, F>{
      std::move(call)};
}

/// A stage that gets one value at a time, in the order in which they arrive.
template <class F>
[[nodiscard]] auto serial_out_of_order(F call) {
  return tasks::detail::pipeline_stage<tasks::detail::stage_order::serial_out_of_order, F>{
      std::move(call)};
}

/// A stage that is called for several values at once.
template <class F>
[[nodiscard]] auto parallel(F call) {
  return tasks::detail::pipeline_stage<tasks::detail::stage_order::parallel, F>{std::move(call)};
}

}  // namespace stage

/// How many values a pipeline works on at once, and what stops it.
struct pipeline_options {
  /// Most values that are on their way at once, those that wait for a stage included, 0 as
  /// 1; none: four for each worker.
  std::optional<std::size_t> num_tokens = {};
  /// Cancels the pipeline when it asks to stop.
  stop_token stop = {};
};

namespace tasks::detail {

[[nodiscard]] inline std::size_t num_tokens(const pipeline_options& options) {
  const std::size_t wanted = options.num_tokens ? *options.num_tokens : 4 * num_workers_here();
  return wanted == 0 ? 1 : wanted;
}

/// Lets values into a serial stage one at a time, by their numbers, and keeps those that wait.
template <class Value>
class serial_gate {
 public:
  struct token {
    std::uint64_t number = 0;  // as the first stage returned it
    std::optional<Value> value;
  };

  /// At most `num_tokens` values have begun and not passed the gate at any time.
  explicit serial_gate(std::size_t num_tokens) : places_(num_tokens) {}

  /// The number of an arrival, for a stage without an order of its own.
  [[nodiscard]] std::uint64_t arrive() noexcept {
    return num_arrived_.fetch_add(1, std::memory_order_relaxed);
  }

  /// True: the caller owns the stage, and calls `leave` after it.
  [[nodiscard]] bool enter(std::uint64_t turn) noexcept {
    const std::lock_guard guard(lock_);
    return enter_locked(turn);
  }

  /// Keeps the token until its turn comes. False: it has come, and the stage is the caller's.
  [[nodiscard]] bool keep(std::uint64_t turn, token& arrived) {
    place& mine = place_of(turn);  // no other token has it before this one has passed
    mine.kept.number = arrived.number;
    // NOLINTNEXTLINE(bugprone-unchecked-optional-access): who arrives has a value
    mine.kept.value.emplace(*std::move(arrived.value));
    {
      const std::lock_guard guard(lock_);
      if (!enter_locked(turn)) {
        mine.is_taken = true;
        return true;
      }
    }
    arrived.value.emplace(*std::move(mine.kept.value));
    mine.kept.value.reset();
    return false;
  }

  /// Ends turn `turn`. If the next token waits, returns it: the stage is then the caller's again.
  [[nodiscard]] std::optional<token> leave(std::uint64_t turn) {
    place& next = place_of(turn + 1);
    {
      const std::lock_guard guard(lock_);
      next_ = turn + 1;
      is_busy_ = std::exchange(next.is_taken, false);
      if (!is_busy_) {
        return std::nullopt;
      }
    }
    std::optional<token> taken(std::move(next.kept));
    next.kept.value.reset();
    return taken;
  }

 private:
  struct place {
    token kept;
    bool is_taken = false;  // under the lock
  };

  [[nodiscard]] bool enter_locked(std::uint64_t turn) noexcept {
    if (is_busy_ || turn != next_) {
      return false;
    }
    is_busy_ = true;
    return true;
  }
  [[nodiscard]] place& place_of(std::uint64_t turn) noexcept {
    return places_[turn % places_.size()];
  }

  std::atomic<std::uint64_t> num_arrived_{0};
  spin_lock lock_;
  std::uint64_t next_ = 0;
  bool is_busy_ = false;
  std::vector<place> places_;
};

/// In the place of the gate of a parallel stage.
struct free_passage {
  explicit free_passage(std::size_t /*num_tokens*/) noexcept {}
};

/// What stage `i` gets, as a type.
template <std::size_t i, class Source, class... Stages>
struct stage_input {
  using stage = std::tuple_element_t<i - 1, std::tuple<Stages...>>;
  using before = typename stage_input<i - 1, Source, Stages...>::type;
  static_assert(std::is_invocable_v<decltype(stage::call)&, before>,
                "weft::pipeline: a stage cannot be called with the result of the stage before it");
  using type = std::decay_t<std::invoke_result_t<decltype(stage::call)&, before>>;
  static_assert(!std::is_void_v<type>, "weft::pipeline: only the last stage may return nothing");
};
template <class Source, class... Stages>
struct stage_input<0, Source, Stages...> {
  using returned = std::decay_t<std::invoke_result_t<decltype(Source::call)&>>;
  static_assert(is_optional<returned>,
                "weft::pipeline: the first stage returns a std::optional, empty after the last "
                "value");
  using type = typename returned::value_type;
};

/// One call of `pipeline`, in its frame.
template <class Source, class... Stages>
class pipeline_run {
 public:
  pipeline_run(std::size_t num_tokens, Source& source, Stages&... stages)
      : source_(source),
        stages_(stages...),
        num_free_(num_tokens - 1),
        gates_(make_gates(num_tokens, std::index_sequence_for<Stages...>())) {}

  task_group_status run(const stop_token& stop) {
    const stop_callback cancel(stop, [this] { group_.cancel(); });
    group_.run([this] { feed(); });
    return group_.wait();
  }

 private:
  template <std::size_t i>
  using stage_at = std::tuple_element_t<i, std::tuple<Stages...>>;
  template <std::size_t i>
  using input_of = typename stage_input<i, Source, Stages...>::type;
  template <std::size_t i>
  static constexpr bool is_serial = stage_at<i>::order != stage_order::parallel;
  template <std::size_t i>
  using gate_of = std::conditional_t<is_serial<i>, serial_gate<input_of<i>>, free_passage>;
  template <std::size_t... i>
  static std::tuple<gate_of<i>...> gates_for(std::index_sequence<i...> /*all*/);
  using gates_type = decltype(gates_for(std::index_sequence_for<Stages...>()));
  static constexpr bool is_source_serial = Source::order != stage_order::parallel;

  template <std::size_t... i>
  static gates_type make_gates(std::size_t num_tokens, std::index_sequence<i...> /*all*/) {
    return gates_type((static_cast<void>(i), num_tokens)...);
  }

  /// Makes values and takes each as far as it goes. The caller has a token and, if the source is
  /// serial, its turn.
  void feed() {
    do {
      if constexpr (!is_source_serial) {
        let_others_feed();
      }
      if (group_.is_canceled()) {
        return;
      }
      auto made = std::invoke(source_.call);
      if (!made) {
        has_ended_.store(true, std::memory_order_relaxed);  // a hint to a parallel source's others
        return;
      }
      const std::uint64_t number = num_made_.fetch_add(1, std::memory_order_relaxed);
      if constexpr (is_source_serial) {
        let_others_feed();
      }
      if (!pass<0>(number, *std::move(made))) {
        return;
      }
    } while (begin_again());
  }

  /// Starts another feeding task, if a token is left. Otherwise the task that frees a token feeds.
  void let_others_feed() {
    {
      const std::lock_guard guard(lock_);
      if (num_free_ == 0) {
        is_turn_free_ = true;
        return;
      }
      if (has_ended_.load(std::memory_order_relaxed)) {
        return;
      }
      --num_free_;
    }
    group_.run([this] { feed(); });
  }

  /// After a value has passed the last stage. True: the caller feeds with its token.
  [[nodiscard]] bool begin_again() noexcept {
    if constexpr (is_source_serial) {
      const std::lock_guard guard(lock_);
      if (!std::exchange(is_turn_free_, false)) {
        ++num_free_;
        return false;
      }
      return true;
    } else {
      return !has_ended_.load(std::memory_order_relaxed);
    }
  }

  /// Passes a value into stage `i` and on. False: it waits for its turn in a stage; the task whose
  /// turn ends before it continues with it.
  template <std::size_t i, class Value>
  bool pass(std::uint64_t number, Value value) {
    if constexpr (i == sizeof...(Stages)) {
      return true;
    } else {
      if (group_.is_canceled()) {
        return false;
      }
      if constexpr (!is_serial<i>) {
        return call<i>(number, std::move(value), [] {});
      } else {
        auto& gate = std::get<i>(gates_);
        std::uint64_t turn = number;
        if constexpr (stage_at<i>::order == stage_order::serial_out_of_order) {
          turn = gate.arrive();
        }
        if (gate.enter(turn)) {
          return take_turn<i>(number, turn, std::move(value));
        }
        typename serial_gate<input_of<i>>::token arrived{number, std::move(value)};
        return !gate.keep(turn, arrived) && take_turn<i>(number, turn, *std::move(arrived.value));
      }
    }
  }

  /// Calls serial stage `i`, which the caller owns; the next value that waits for the stage
  /// continues in a task of its own.
  template <std::size_t i, class Value>
  bool take_turn(std::uint64_t number, std::uint64_t turn, Value&& value) {
    return call<i>(number, std::forward<Value>(value), [this, turn] {
      if (auto next = std::get<i>(gates_).leave(turn)) {
        group_.run([this, turn, next = *std::move(next)]() mutable {
          if (take_turn<i>(next.number, turn + 1, *std::move(next.value)) && begin_again()) {
            feed();
          }
        });
      }
    });
  }

  /// Calls stage `i`, then `leave()`, and takes what the stage returned into the next one.
  template <std::size_t i, class Value, class Leave>
  bool call(std::uint64_t number, Value&& value, Leave leave) {
    auto& body = std::get<i>(stages_).call;
    if constexpr (i + 1 == sizeof...(Stages)) {
      static_assert(
          std::is_invocable_v<decltype(body), Value>,
          "weft::pipeline: a stage cannot be called with the result of the stage before it");
      static_cast<void>(std::invoke(body, std::forward<Value>(value)));
      leave();
      return true;
    } else {
      input_of<i + 1> result = std::invoke(body, std::forward<Value>(value));
      leave();
      return pass<i + 1, input_of<i + 1>>(number, std::move(result));
    }
  }

  Source& source_;
  std::tuple<Stages&...> stages_;
  std::atomic<std::uint64_t> num_made_{0};
  std::atomic<bool> has_ended_{false};
  spin_lock lock_;
  std::size_t num_free_;       // tokens that nothing has, under the lock
  bool is_turn_free_ = false;  // of a serial source, which waits for a token; under the lock
  gates_type gates_;
  task_group group_{on_exception::cancel_others};  // last: its end is the end of all tasks
};

}  // namespace tasks::detail

/// Calls `source()` until it returns an empty `std::optional`, and passes each value through all
/// stages; returns when the last value has passed the last stage.
///
/// `weft::pipeline({.num_tokens = 16}, stage::serial_in_order(read), stage::parallel(work),
/// stage::serial_in_order(write))`: each stage gets the result of the one before it; the last one
/// may return nothing. Serial stages, the first included, never run twice at once, though on
/// different workers. A value that waits for a serial stage keeps no worker. If the first stage is
/// parallel, values have the order in which its calls returned.
/// Cost:    a task per value; per serial stage a short lock, and at most two moves. Memory for
///          `num_tokens` values per serial stage is allocated at the start.
/// Threads: from any. Stages run as tasks of a group, see task_group. They may wait, make nested
///          groups and pipelines, and call `this_task::stop_requested()`.
/// Errors:  an exception of a stage, or of the move of a value, cancels the pipeline and is
///          rethrown. Of several, the one of the task that was started first is rethrown.
///          Cancellation by `options.stop`, or of the group whose task the caller is, ends the
///          pipeline after the running calls. It then returns `task_group_status::canceled`, and
///          values in the pipeline are destroyed. std::bad_alloc.
/// Example: tests/tasks/pipeline_test.cpp: values_arrive_in_order.
template <pipeline_stage Source, pipeline_stage... Stages>
task_group_status pipeline(const pipeline_options& options, Source source, Stages... stages) {
  static_assert(std::is_invocable_v<decltype(source.call)&>,
                "weft::pipeline: the first stage is called without arguments");
  const std::size_t num_tokens = tasks::detail::num_tokens(options);
  return tasks::detail::pipeline_run<Source, Stages...>(num_tokens, source, stages...)
      .run(options.stop);
}

}  // namespace weft
