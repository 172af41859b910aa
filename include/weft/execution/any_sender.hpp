// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sender whose type says only what it sends.
#pragma once

#include <concepts>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/as_exception_ptr.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"
#include "weft/execution/when_all.hpp"
#include "weft/tasks/runtime_interface.hpp"

namespace weft::execution {
namespace detail {

/// A receiver whose type is not known.
template <class... Values>
struct erased_receiver {
  struct calls {
    void (*set_value)(erased_receiver& me, Values... values) noexcept;
    void (*set_error)(erased_receiver& me, std::exception_ptr error) noexcept;
    void (*set_stopped)(erased_receiver& me) noexcept;
  };
  explicit erased_receiver(const calls& table) noexcept : how(&table) {}
  const calls* how;
  inplace_stop_token token;
  waiting_side* side = nullptr;
};

struct erased_env {
  using forwards_all = void;
  [[nodiscard]] inplace_stop_token query(get_stop_token_t /*key*/) const noexcept { return token; }
  [[nodiscard]] waiting_side* query(get_waiting_side_t /*key*/) const noexcept { return side; }
  inplace_stop_token token;
  waiting_side* side;
};

/// The receiver to which a sender of unknown type is connected.
template <class... Values>
struct erasing_receiver {
  using receiver_concept = receiver_tag;
  template <class... Sent>
    requires std::is_invocable_v<void (*)(Values...), Sent...>
  void set_value(Sent&&... sent) noexcept {
    if constexpr ((std::is_nothrow_constructible_v<Values, Sent> && ...)) {
      to->how->set_value(*to, static_cast<Sent&&>(sent)...);
    } else {
      try {  // the values are made here, before the call
        to->how->set_value(*to, static_cast<Sent&&>(sent)...);
      } catch (...) {
        to->how->set_error(*to, std::current_exception());
      }
    }
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    to->how->set_error(*to, as_exception_ptr(static_cast<Error&&>(error)));
  }
  void set_stopped() noexcept { to->how->set_stopped(*to); }
  [[nodiscard]] erased_env get_env() const noexcept { return {to->token, to->side}; }
  erased_receiver<Values...>* to;
};

/// A sender, and later its operation, in one block.
template <class... Values>
struct erased_work {
  struct calls {
    void (*start)(erased_work& me, erased_receiver<Values...>& to);
    void (*free)(erased_work& me) noexcept;
  };
  explicit erased_work(const calls& table) noexcept : how(&table) {}
  const calls* how;
};

template <class Sender, class... Values>
struct work_block : erased_work<Values...> {
  using base = erased_work<Values...>;
  using operation = connect_result_t<Sender, erasing_receiver<Values...>>;

  template <class Given>
    requires(!std::is_same_v<std::remove_cvref_t<Given>, work_block>)
  explicit work_block(Given&& given) : base(table), sender(static_cast<Given&&>(given)) {}
  work_block(const work_block&) = delete;
  work_block& operator=(const work_block&) = delete;
  ~work_block() { inner.reset(); }

  static void start(base& me, erased_receiver<Values...>& to) {
    auto& block = static_cast<work_block&>(me);
    block.inner
        .emplace_from(
            [&] { return connect(std::move(block.sender), erasing_receiver<Values...>{&to}); })
        .start();
  }
  static void free(base& me) noexcept {
    auto& block = static_cast<work_block&>(me);
    block.~work_block();
    tasks::free_block<work_block>(tasks::self(), &block);
  }
  static constexpr typename base::calls table{&start, &free};

  Sender sender;
  one_of<operation> inner;
};

template <class... Values>
struct work_deleter {
  void operator()(erased_work<Values...>* work) const noexcept { work->how->free(*work); }
};
template <class... Values>
using work_pointer = std::unique_ptr<erased_work<Values...>, work_deleter<Values...>>;

template <class Receiver, class... Values>
struct any_operation : erased_receiver<Values...> {
  using operation_state_concept = operation_state_tag;
  using base = erased_receiver<Values...>;
  using outer_token = stop_token_of_t<env_of_t<Receiver>>;
  static constexpr bool bridges_tokens =
      !unstoppable_token<outer_token> && !std::same_as<outer_token, inplace_stop_token>;
  struct bridge {
    explicit bridge(outer_token outer) : on_stop(std::move(outer), request_stop_of{&source}) {}
    inplace_stop_source source;
    stop_callback_for_t<outer_token, request_stop_of> on_stop;
  };

  any_operation(work_pointer<Values...>&& what, Receiver&& end) noexcept
      : base(table), work(std::move(what)), to(static_cast<Receiver&&>(end)) {}
  any_operation(const any_operation&) = delete;
  any_operation& operator=(const any_operation&) = delete;
  ~any_operation() = default;

  void start() noexcept {
    const auto environment = execution::get_env(to);
    if constexpr (answers<env_of_t<Receiver>, get_waiting_side_t>) {
      this->side = environment.query(get_waiting_side_t());
    }
    try {
      if constexpr (bridges_tokens) {
        tokens.emplace(get_stop_token(environment));
        this->token = tokens->source.get_token();
      } else if constexpr (std::same_as<outer_token, inplace_stop_token>) {
        this->token = get_stop_token(environment);
      }
      work->how->start(*work, *this);
    } catch (...) {
      tokens.reset();
      static_cast<Receiver&&>(to).set_error(std::current_exception());
    }
  }

  static any_operation& of(base& me) noexcept {
    auto& mine = static_cast<any_operation&>(me);
    mine.tokens.reset();
    return mine;
  }
  static constexpr typename base::calls table{
      [](base& me, Values... values) noexcept {
        static_cast<Receiver&&>(of(me).to).set_value(static_cast<Values&&>(values)...);
      },
      // NOLINTNEXTLINE(performance-unnecessary-value-param): some receivers keep it
      [](base& me, std::exception_ptr error) noexcept {
        static_cast<Receiver&&>(of(me).to).set_error(std::move(error));
      },
      [](base& me) noexcept { static_cast<Receiver&&>(of(me).to).set_stopped(); }};

  work_pointer<Values...> work;
  [[no_unique_address]] Receiver to;
  std::optional<std::conditional_t<bridges_tokens, bridge, std::monostate>> tokens;
};

}  // namespace detail

/// Any sender that sends `Values`, fails with any error (sent as std::exception_ptr; a
/// std::error_code as that of a std::system_error), or is stopped. It can be moved, and is
/// connected once.
///
/// Its receiver's stop token reaches the sender; nothing else of the environment does.
/// Cost:    one block for the sender and its operation, from the worker's own blocks; a call
///          through a pointer to start, another to complete.
/// Example: tests/execution/extras_test.cpp: recursion_needs_no_other_type.
template <class... Values>
class [[nodiscard]] any_sender {
 public:
  using sender_concept = sender_tag;
  using completion_signatures = execution::completion_signatures<set_value_t(Values...),
                                                                 set_error_t(std::exception_ptr),
                                                                 set_stopped_t()>;

  /// Errors:  std::bad_alloc, and what moving the sender throws.
  template <class Sender>
    requires(!std::same_as<std::decay_t<Sender>, any_sender> && sender<Sender>)
  any_sender(Sender&& sender)  // implicit by design
      : work_(tasks::make_block<detail::work_block<std::decay_t<Sender>, Values...>>(
            tasks::self(), static_cast<Sender&&>(sender))) {}

  template <class Receiver>
  auto connect(Receiver to) && noexcept {
    return detail::any_operation<Receiver, Values...>(std::move(work_),
                                                      static_cast<Receiver&&>(to));
  }

 private:
  detail::work_pointer<Values...> work_;
};

}  // namespace weft::execution
