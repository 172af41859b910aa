// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts work at once, and gives a sender of what it will complete with.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/counting_scope.hpp"
#include "weft/execution/detail/allocate.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/sender_adaptor_closure.hpp"
#include "weft/execution/spawn.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/when_all.hpp"

namespace weft::execution {

struct spawn_future_t;
namespace detail {

/// The receiver of the result of started work.
struct result_consumer {
  using notify_function = void (*)(result_consumer& me) noexcept;
  explicit result_consumer(notify_function body) noexcept : notify(body) {}
  notify_function notify;
};

/// Started work and its completion. It has two owners, the work and the sender; the second to
/// finish frees it.
template <class Env>
using started_env = stoppable_env<inplace_stop_token, Env>;

template <class Child, class Env>
using started_signatures = joined_signatures<
    transformed_signatures<completion_signatures_of_t<Child, started_env<Env>>, by_copy>,
    completion_signatures<set_stopped_t()>>;

template <class List>
struct started_base {
  kept_completion<List> result;
  inplace_stop_source source;
  // 0: at work; else a result_consumer, or one of these.
  static constexpr std::uintptr_t is_done = 1;
  static constexpr std::uintptr_t is_abandoned = 2;
  std::atomic<std::uintptr_t> word{0};
  void (*free)(started_base& me) noexcept = nullptr;
  int kept_index = -1;  // in List
};

template <class Child, class Env, class Association>
struct started : started_base<started_signatures<Child, Env>> {
  using signatures = started_signatures<Child, Env>;
  using base = started_base<signatures>;
  using allocator = allocator_in<Env>;

  using given_callback = stop_callback_for_t<stop_token_of_t<Env>, request_stop_of>;

  struct receiver {
    using receiver_concept = receiver_tag;
    template <class... Values>
    void set_value(Values&&... values) noexcept {
      owner->end_with(set_value_t(), static_cast<Values&&>(values)...);
    }
    template <class Error>
    void set_error(Error&& error) noexcept {
      owner->end_with(set_error_t(), static_cast<Error&&>(error));
    }
    void set_stopped() noexcept { owner->end_with(set_stopped_t()); }
    [[nodiscard]] started_env<Env> get_env() const noexcept {
      return {owner->source.get_token(), owner->environment};
    }
    started* owner;
  };

  started(Child&& child, Env&& env, allocator memory)
      : from(memory),
        environment(static_cast<Env&&>(env)),
        inner(connect(static_cast<Child&&>(child), receiver{this})) {
    this->free = [](base& me) noexcept {
      auto& whole = static_cast<started&>(me);
      [[maybe_unused]] const Association share = std::move(whole.association);
      allocator where = whole.from;
      free_with(where, &whole);
    };
  }

  template <class Tag, class... Args>
  void keep(Tag tag, Args&&... args) {
    this->result.keep(tag, static_cast<Args&&>(args)...);
    this->kept_index = index_of_kept<signatures, decayed<Tag, Args...>>;
  }
  /// Starts the work, which is asked to stop when the given environment's token does.
  void begin() noexcept {
    on_given_stop.emplace(get_stop_token(environment), request_stop_of{&this->source});
    inner.start();
  }
  template <class Tag, class... Args>
  void end_with(Tag tag, Args&&... args) noexcept {
    on_given_stop.reset();
    if constexpr (nothrow_decay_copy<Args...>) {
      keep(tag, static_cast<Args&&>(args)...);
    } else {
      try {
        keep(tag, static_cast<Args&&>(args)...);
      } catch (...) {
        keep(set_error_t(), std::current_exception());
      }
    }
    end();
  }
  void end() noexcept {
    // acq_rel: shows the result to the consumer, acquires the consumer
    const std::uintptr_t before = this->word.exchange(base::is_done, std::memory_order_acq_rel);
    if (before == base::is_abandoned) {
      this->free(*this);
    } else if (before != 0) {
      auto* who = reinterpret_cast<result_consumer*>(before);  // NOLINT(performance-no-int-to-ptr)
      who->notify(*who);
    }
  }

  [[no_unique_address]] allocator from;
  [[no_unique_address]] Env environment;
  Association association;
  std::optional<given_callback> on_given_stop;
  connect_result_t<Child, receiver> inner;
};

/// The sender's share of started work.
template <class List>
class started_share {
 public:
  explicit started_share(started_base<List>* work) noexcept : work_(work) {}
  started_share(started_share&& other) noexcept : work_(std::exchange(other.work_, nullptr)) {}
  started_share& operator=(const started_share&) = delete;
  ~started_share() { abandon(); }
  [[nodiscard]] started_base<List>* get() const noexcept { return work_; }
  [[nodiscard]] started_base<List>* release() noexcept { return std::exchange(work_, nullptr); }

 private:
  void abandon() noexcept {
    if (work_ == nullptr) {
      return;
    }
    work_->source.request_stop();
    // acq_rel: as in end()
    const std::uintptr_t before =
        work_->word.exchange(started_base<List>::is_abandoned, std::memory_order_acq_rel);
    if (before == started_base<List>::is_done) {
      work_->free(*work_);
    }
  }
  started_base<List>* work_;
};

template <class List, class Receiver>
struct started_operation : result_consumer {
  using operation_state_concept = operation_state_tag;
  using outer_token = stop_token_of_t<env_of_t<Receiver>>;
  using stop_callback = stop_callback_for_t<outer_token, request_stop_of>;

  started_operation(started_share<List>&& what, Receiver&& end) noexcept
      : result_consumer(
            [](result_consumer& me) noexcept { static_cast<started_operation&>(me).complete(); }),
        share(std::move(what)),
        to(static_cast<Receiver&&>(end)) {}
  started_operation(const started_operation&) = delete;
  started_operation& operator=(const started_operation&) = delete;
  ~started_operation() = default;

  void start() noexcept {
    started_base<List>& work = *share.get();
    on_stop.emplace(get_stop_token(execution::get_env(to)), request_stop_of{&work.source});
    std::uintptr_t nobody = 0;
    // acq_rel: shows this to the work, or acquires its result
    if (!work.word.compare_exchange_strong(
            nobody,
            reinterpret_cast<std::uintptr_t>(static_cast<result_consumer*>(this)),
            std::memory_order_acq_rel)) {
      complete();
    }
  }
  void complete() noexcept {
    on_stop.reset();
    started_base<List>* const work = share.release();  // this may be gone afterwards
    work->result.send_as(work->kept_index, static_cast<Receiver&&>(to));
    work->free(*work);
  }

  started_share<List> share;
  Receiver to;
  std::optional<stop_callback> on_stop;
};

template <class List>
struct [[nodiscard]] started_sender {
  using tag_type = spawn_future_t;
  using sender_concept = sender_tag;
  using completion_signatures = List;
  template <class Receiver>
  auto connect(Receiver to) && noexcept {
    return started_operation<List, Receiver>(std::move(share), static_cast<Receiver&&>(to));
  }
  started_share<List> share;
};

template <class Sender, class Token, class Env>
auto start_work(Sender&& sender, const Token& token, Env environment) {
  auto work = token.wrap(static_cast<Sender&&>(sender));
  using association = decltype(token.try_associate());
  using state = started<decltype(work), Env, association>;
  auto memory = allocator_of(environment);
  auto* made = make_with<state>(memory, std::move(work), std::move(environment), memory);
  associate_or_free(*made, token, memory);
  started_sender<typename state::signatures> result{
      started_share<typename state::signatures>(made)};
  if (made->association) {
    made->begin();
  } else {
    made->end_with(set_stopped_t());
  }
  return result;
}

}  // namespace detail

/// Starts a sender as work of the token's scope, and returns a sender of its completion. If that
/// sender is destroyed unused, or the stop token of `environment` requests a stop, the work is
/// asked to stop. The work stays in its scope until it has ended.
///
/// Cost:    one allocation, from the environment's allocator or the worker's own blocks.
/// Example: tests/execution/scope_test.cpp: spawn_future_sends_the_result.
struct spawn_future_t {
  template <sender Sender, scope_token Token, class Env = env<>>
  auto operator()(Sender&& sender, Token token, Env environment = {}) const {
    return detail::start_work(static_cast<Sender&&>(sender), token, std::move(environment));
  }
};
inline constexpr spawn_future_t spawn_future{};

/// Starts a sender at once, in no scope, and returns a sender of its completion.
/// Cost:    as `spawn_future`.
struct ensure_started_t {
  template <sender Sender, class Env = env<>>
  auto operator()(Sender&& sender, Env environment = {}) const {
    return detail::start_work(
        static_cast<Sender&&>(sender), detail::no_scope_token(), std::move(environment));
  }
  auto operator()() const { return detail::bound_adaptor(ensure_started_t()); }
};
inline constexpr ensure_started_t ensure_started{};

}  // namespace weft::execution
