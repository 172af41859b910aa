// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a program puts its own workers in the place of those of the parallel scheduler.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "weft/execution/queries.hpp"
#include "weft/execution/stop_token.hpp"

namespace weft::execution::parallel_scheduler_replacement {

/// The receiver of a piece of work. The backend calls exactly one of its three functions.
struct receiver_proxy {
  virtual void set_value() noexcept = 0;
  virtual void set_error(std::exception_ptr error) noexcept = 0;
  virtual void set_stopped() noexcept = 0;

  /// Asks the receiver's environment. Only `try_query<inplace_stop_token>(get_stop_token)` has an
  /// answer, whichever kind of stop token the receiver has.
  template <class P, class Query>
    requires std::is_class_v<Query>
  [[nodiscard]] std::optional<P> try_query(Query /*query*/) const noexcept {
    static_assert(
        std::is_object_v<P> && !std::is_array_v<P> && std::same_as<P, std::remove_cv_t<P>>,
        "weft::execution: try_query<P>: P is an object type without const, and no array");
    if constexpr (std::same_as<Query, get_stop_token_t> && std::same_as<P, inplace_stop_token>) {
      return find_stop_token();
    } else {
      return std::nullopt;
    }
  }

 protected:
  ~receiver_proxy() = default;

 private:
  [[nodiscard]] virtual std::optional<inplace_stop_token> find_stop_token() const noexcept {
    return std::nullopt;
  }
};

/// The same for bulk work: the backend calls `execute` first, for pieces of [0, n).
struct bulk_item_receiver_proxy : receiver_proxy {
  virtual void execute(std::size_t first, std::size_t last) noexcept = 0;

 protected:
  ~bulk_item_receiver_proxy() = default;
};

/// Workers that can be put in the place of weft's.
///
/// The storage that comes with each call is the backend's until it completes the proxy.
/// Source:  C++26 working draft, [exec.parschedrepl]
/// Example: tests/execution/replaced_scheduler_test.cpp: work_goes_to_the_programs_backend.
struct parallel_scheduler_backend {
  parallel_scheduler_backend() = default;
  parallel_scheduler_backend(const parallel_scheduler_backend&) = default;
  parallel_scheduler_backend& operator=(const parallel_scheduler_backend&) = default;
  virtual ~parallel_scheduler_backend() = default;

  virtual void schedule(receiver_proxy& to, std::span<std::byte> storage) noexcept = 0;
  virtual void schedule_bulk_chunked(std::size_t n,
                                     bulk_item_receiver_proxy& to,
                                     std::span<std::byte> storage) noexcept = 0;
  virtual void schedule_bulk_unchunked(std::size_t n,
                                       bulk_item_receiver_proxy& to,
                                       std::span<std::byte> storage) noexcept = 0;
};

/// The backend of `get_parallel_scheduler()`: weft's workers. A program that defines this function
/// itself, in one of its files, replaces it.
[[nodiscard]] std::shared_ptr<parallel_scheduler_backend> query_parallel_scheduler_backend();

}  // namespace weft::execution::parallel_scheduler_replacement

namespace weft::execution::detail {

/// Completes `to`, which may be a reference, and answers with its stop token or one that follows
/// it.
template <class Receiver, class Proxy>
class receiver_proxy_of : public Proxy {
  using rvalue = std::remove_reference_t<Receiver>&&;
  using token_type = stop_token_of_t<env_of_t<Receiver>>;
  struct pass_on {
    void operator()() const noexcept { source->request_stop(); }
    inplace_stop_source* source;
  };
  struct follower {
    explicit follower(token_type token) : callback(std::move(token), pass_on{&source}) {}
    inplace_stop_source source;
    stop_callback_for_t<token_type, pass_on> callback;
  };
  struct nothing {};
  static constexpr bool follows =
      !unstoppable_token<token_type> && !std::same_as<token_type, inplace_stop_token>;

 public:
  receiver_proxy_of(const receiver_proxy_of&) = delete;
  receiver_proxy_of& operator=(const receiver_proxy_of&) = delete;

  void set_value() noexcept override {
    stop_following();
    static_cast<rvalue>(to).set_value();
  }
  void set_error(std::exception_ptr error) noexcept override {
    stop_following();
    static_cast<rvalue>(to).set_error(std::move(error));
  }
  void set_stopped() noexcept override {
    stop_following();
    static_cast<rvalue>(to).set_stopped();
  }

 protected:
  explicit receiver_proxy_of(Receiver&& end) noexcept : to(static_cast<Receiver&&>(end)) {}
  ~receiver_proxy_of() = default;
  void follow() noexcept {
    if constexpr (follows) {
      follower_.emplace(get_stop_token(execution::get_env(to)));
    }
  }
  void stop_following() noexcept {
    if constexpr (follows) {
      follower_.reset();
    }
  }

  [[no_unique_address]] Receiver to;

 private:
  [[nodiscard]] std::optional<inplace_stop_token> find_stop_token() const noexcept override {
    if constexpr (follows) {
      return follower_->source.get_token();
    } else if constexpr (unstoppable_token<token_type>) {
      return inplace_stop_token();
    } else {
      return get_stop_token(execution::get_env(to));
    }
  }

  [[no_unique_address]] std::conditional_t<follows, std::optional<follower>, nothing> follower_;
};

/// Size of the storage that a backend gets with each proxy.
inline constexpr std::size_t backend_storage_bytes = 8 * sizeof(void*);

}  // namespace weft::execution::detail
