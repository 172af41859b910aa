// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A call as a message: how it is sent, run, and answered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "weft/distributed/archive.hpp"
#include "weft/distributed/detail/callee.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/handler.hpp"
#include "weft/distributed/detail/message.hpp"
#include "weft/distributed/detail/object_table.hpp"
#include "weft/tasks/async.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/post.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::distributed::detail {

/// Throws `archive_error` unless the parts that were read are those that come.
void check_parts(const incoming& message, std::span<const part_to_fill> parts);
[[nodiscard]] std::size_t sum_of_parts(const incoming& message) noexcept;

/// Reads `values`. Returns true if parts are to come, which `whole` is then told of.
/// Errors:  what reading throws; the parts are received and thrown away then.
template <class... T>
bool read_message(engine& home,
                  const incoming& message,
                  std::tuple<T...>& values,
                  part_arrival& whole) {
  try {
    input_archive from(message.bytes, sum_of_parts(message));
    std::apply([&from](auto&... each) { from(each...); }, values);
    from.finish();
    check_parts(message, from.parts_to_fill());
    if (message.part_sizes.empty()) {
      return false;
    }
    home.receive_parts(message, from.parts_to_fill(), whole);
    return true;
  } catch (...) {
    home.drain(message);
    throw;
  }
}

/// True if values of these types have no parts: no memory beside their own, and little of that.
template <class Values>
inline constexpr bool is_small = false;
template <class... T>
inline constexpr bool is_small<std::tuple<T...>> =
    (std::is_trivially_copyable_v<T> && ...) && sizeof(std::tuple<T...>) <= 256;

/// Writes `values`, which it keeps alive until their parts have left, and has `send` send that.
template <class Values, class Send>
void write_message(const engine& home, Values&& values, Send send) {
  using kept = std::remove_cvref_t<Values>;
  std::array<std::byte, 320> room;  // NOLINT(cppcoreguidelines-pro-type-member-init): written first
  output_archive to(home.options().part_threshold_bytes, room);
  outgoing message{};
  const auto write = [&](const kept& all) {
    std::apply([&to](const auto&... each) { to(each...); }, all);
    message.bytes = to.bytes();
    message.parts = to.parts();
  };
  if constexpr (is_small<kept>) {
    if (home.options().part_threshold_bytes > sizeof(kept)) {
      write(values);  // too small for a part
      send(message);
      return;
    }
  }
  auto owner = std::make_shared<const kept>(std::forward<Values>(values));
  handles_in_message handles;
  {
    const handles_in_message::writing scope(handles);
    write(*owner);
  }
  if (!message.parts.empty()) {
    message.owner = owner;
  }
  send(message);
  handles.are_sent();
}

/// Gives what posted calls throw to the handler for exceptions that escape from tasks.
void report_lost_exception() noexcept;

/// Calls `Target` with `args` moved, and waits for the future that it may return.
template <class Target, class... Args>
typename Target::result run_target(engine& home, std::tuple<Args...>& args) {
  const auto call = [&]() -> decltype(auto) {
    return std::apply(
        [&home](auto&... each) -> decltype(auto) { return Target::call(home, std::move(each)...); },
        args);
  };
  if constexpr (any_future<decltype(call())>) {
    return call().get();
  } else if constexpr (std::is_void_v<typename Target::result>) {
    call();
  } else {
    return call();
  }
}

/// True for results of calls that serve weft itself: the program's `quiescence` ignores them.
template <class R>
inline constexpr bool is_service = requires { R::is_service; };

/// A call that has come, as a task.
template <class Target>
class remote_call final : public tasks::work_item, public part_arrival {
 public:
  static void handle(engine& home, const incoming& message) noexcept {
    remote_call* call = nullptr;
    try {
      call = new remote_call(home, message);
    } catch (...) {
      home.drain(message);
      refuse(home, message);
      return;
    }
    try {
      if (!read_message(home, message, call->args_, *call)) {
        call->arrived();
      }
    } catch (...) {
      refuse(home, message);
      delete call;
    }
  }
  static constexpr std::string_view name() { return pretty_name<Target>(); }

 private:
  remote_call(engine& home, const incoming& message)
      : tasks::work_item(run),
        home_(home),
        source_(message.source),
        kind_(message.header.kind),
        request_(message.header.request) {}
  ~remote_call() = default;

  void arrived() noexcept override {
    if constexpr (requires { Target::start(home_, *this); }) {
      Target::start(home_, *this);
    } else {
      home_.start(*this);
    }
  }

  static void refuse(engine& home, const incoming& message) noexcept {
    if (message.header.kind == frame_kind::call) {
      home.answer_failure(message.source, message.header.request, name());
      count_answer(home);
    } else {
      report_lost_exception();
    }
    end(home);
  }

  static void count_answer(engine& home) noexcept {
    if constexpr (is_service<typename Target::result>) {
      home.service_message_sent();
    }
  }
  static void end(engine& home) noexcept {
    if constexpr (is_service<typename Target::result>) {
      home.service_message_ends();
    }
    home.message_is_done();
  }

  static tasks::waiter* run(tasks::work_item& item) noexcept {
    auto& me = static_cast<remote_call&>(item);
    try {
      me.call();
    } catch (...) {
      if (me.kind_ == frame_kind::call) {
        me.home_.answer_failure(me.source_, me.request_, name());
        count_answer(me.home_);
      } else {
        report_lost_exception();
      }
    }
    engine& home = me.home_;
    delete &me;
    end(home);
    return nullptr;
  }

  void call() {
    if constexpr (std::is_void_v<typename Target::result>) {
      run_target<Target>(home_, args_);
      answer_with(std::tuple<>());
    } else {
      answer_with(std::tuple<typename Target::result>(run_target<Target>(home_, args_)));
    }
  }

  template <class Values>
  void answer_with(Values&& values) {
    if (kind_ == frame_kind::call) {
      write_message(home_, std::forward<Values>(values), [this](outgoing& message) {
        home_.answer(source_, request_, message);
        count_answer(home_);
      });
    }
  }

  engine& home_;
  const int source_;
  const frame_kind kind_;
  const std::uint64_t request_;
  typename Target::arguments args_;
};

template <class R>
struct result_values {
  using type = std::tuple<R>;
};
template <>
struct result_values<void> {
  using type = std::tuple<>;
};
/// A result as it is sent.
template <class R>
using values_of = typename result_values<R>::type;

/// The caller's side of a call.
template <class R>
class answer_to_promise final : public awaited_answer, public part_arrival {
 public:
  [[nodiscard]] future<R> get_future() { return result_.get_future(); }

  void take(engine& home, const incoming& message) noexcept override {
    home_ = &home;
    if (message.header.kind == frame_kind::failure) {
      fail(home.exception_in(message));
      return;
    }
    std::exception_ptr unreadable;
    try {
      if (!read_message(home, message, value_, *this)) {
        arrived();
      }
    } catch (...) {
      unreadable = std::current_exception();
    }
    if (unreadable != nullptr) {  // after the handler, so that only the future has the exception
      fail(std::move(unreadable));
    }
  }
  void fail(std::exception_ptr why) noexcept override {
    result_.set_exception(std::move(why));
    end();
  }

 private:
  void arrived() noexcept override {
    if constexpr (std::is_void_v<R>) {
      result_.set_value();
    } else {
      result_.set_value(std::move(std::get<0>(value_)));
    }
    end();
  }
  void end() noexcept {
    engine* const home = home_;
    delete this;
    if (home != nullptr) {
      if constexpr (is_service<R>) {
        home->service_message_ends();
      }
      home->message_is_done();
    }
  }

  promise<R> result_;
  values_of<R> value_;
  engine* home_ = nullptr;
};

/// A function with the types of the arguments that it is sent.
template <class Callee, class Arguments>
struct plain_target;
template <class Callee, class... Args>
struct plain_target<Callee, std::tuple<Args...>> {
  using arguments = std::tuple<Args...>;
  using returned = decltype(Callee::call(std::declval<Args>()...));
  using result = typename plain_result<returned>::type;
  static decltype(auto) call(engine& /*home*/, Args&&... args) {
    return Callee::call(std::move(args)...);
  }
};

/// The same for the object that each rank has of a `local_of<T>`.
template <class T, class Callee, class Arguments>
struct object_target;
template <class T, class Callee, class... Args>
struct object_target<T, Callee, std::tuple<Args...>> {
  using arguments = std::tuple<std::uint64_t, Args...>;
  using returned = decltype(Callee::call(std::declval<T&>(), std::declval<Args>()...));
  using result = typename plain_result<returned>::type;
  static auto call(engine& home, std::uint64_t number, Args&&... args) {
    const auto object = std::static_pointer_cast<T>(home.objects()->find(number, typeid(T)));
    if constexpr (any_future<returned>) {
      return Callee::call(*object, std::move(args)...).get();  // the object lives until then
    } else {
      return Callee::call(*object, std::move(args)...);
    }
  }
};

/// A call of this rank to itself, which counts for `quiescence` as messages do.
class local_call {
 public:
  explicit local_call(engine& home) noexcept : home_(&home) { home.local_call_begins(); }
  local_call(local_call&& other) noexcept : home_(std::exchange(other.home_, nullptr)) {}
  local_call& operator=(local_call&&) = delete;
  ~local_call() {
    if (home_ != nullptr) {
      home_->message_is_done();
    }
  }
  [[nodiscard]] engine& home() const noexcept { return *home_; }

 private:
  engine* home_;
};

/// Calls `Target` on `rank` with `args`, which are of the types that it is sent.
template <class Target>
future<typename Target::result> start_call(engine& home,
                                           int rank,
                                           typename Target::arguments&& args) {
  using result = typename Target::result;
  home.require_rank(rank);
  if (home.is_local(rank)) {
    return weft::async([call = local_call(home), args = std::move(args)]() mutable -> result {
      const local_call running = std::move(call);
      auto mine = std::move(args);  // handles in it end before the call does
      return run_target<Target>(running.home(), mine);
    });
  }
  auto awaited = std::make_unique<answer_to_promise<result>>();
  future<result> answer = awaited->get_future();
  write_message(home, std::move(args), [&](outgoing& message) {
    home.call(rank, handler_of<remote_call<Target>>::entry, message, std::move(awaited));
    if constexpr (is_service<result>) {
      home.service_message_sent();
    }
  });
  return answer;
}

/// The same for a call whose result nobody wants.
template <class Target>
void start_post(engine& home, int rank, typename Target::arguments&& args) {
  home.require_rank(rank);
  if (home.is_local(rank)) {
    weft::post([call = local_call(home), args = std::move(args)]() mutable {
      const local_call running = std::move(call);
      auto mine = std::move(args);
      static_cast<void>(run_target<Target>(running.home(), mine));
    });
    return;
  }
  write_message(home, std::move(args), [&](outgoing& message) {
    home.post(rank, handler_of<remote_call<Target>>::entry, message);
  });
}

}  // namespace weft::distributed::detail
