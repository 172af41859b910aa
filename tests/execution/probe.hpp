// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A receiver that writes down how it was completed, and a sender that waits to be stopped.
#pragma once

#include <atomic>
#include <exception>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/stop_token.hpp"

namespace weft::test {

struct outcome {
  std::atomic<int> num_values{0};
  std::atomic<int> num_errors{0};
  std::atomic<int> num_stops{0};
  int value = 0;  // the sum of the ints that were sent
  std::string error;

  [[nodiscard]] int num_completions() const { return num_values + num_errors + num_stops; }
};

/// Takes everything; ints are added up, messages of exceptions kept.
template <class Env = execution::env<>>
struct probe {
  using receiver_concept = execution::receiver_tag;
  template <class... Values>
  void set_value(Values&&... values) noexcept {
    int sum = 0;
    static_cast<void>(std::initializer_list<int>{(add(sum, values), 0)..., 0});
    result->value = sum;
    ++result->num_values;
  }
  template <class Error>
  void set_error(Error&& error) noexcept {
    if constexpr (std::is_same_v<std::decay_t<Error>, std::exception_ptr>) {
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& caught) {
        result->error = caught.what();
      } catch (...) {
        result->error = "not a std::exception";
      }
    } else {
      result->error = std::to_string(error);
    }
    ++result->num_errors;
  }
  void set_stopped() noexcept { ++result->num_stops; }
  [[nodiscard]] const Env& get_env() const noexcept { return environment; }

  template <class Value>
  static void add(int& sum, const Value& value) {
    if constexpr (std::is_convertible_v<const Value&, int>) {
      sum += static_cast<int>(value);
    }
  }

  outcome* result;
  [[no_unique_address]] Env environment{};
};
template <class Env>
probe(outcome*, Env) -> probe<Env>;
probe(outcome*) -> probe<execution::env<>>;

/// How `sender` completes, which it does before `start` returns.
template <class Sender>
void expect_value(Sender&& sender, int value) {
  outcome result;
  auto operation = execution::connect(std::forward<Sender>(sender), probe(&result));
  operation.start();

  EXPECT_EQ(result.num_values, 1);
  EXPECT_EQ(result.num_completions(), 1);
  EXPECT_EQ(result.value, value);
}
template <class Sender>
void expect_error(Sender&& sender, const std::string& error) {
  outcome result;
  auto operation = execution::connect(std::forward<Sender>(sender), probe(&result));
  operation.start();

  EXPECT_EQ(result.num_errors, 1);
  EXPECT_EQ(result.num_completions(), 1);
  EXPECT_EQ(result.error, error);
}
template <class Sender>
void expect_stopped(Sender&& sender) {
  outcome result;
  auto operation = execution::connect(std::forward<Sender>(sender), probe(&result));
  operation.start();

  EXPECT_EQ(result.num_stops, 1);
  EXPECT_EQ(result.num_completions(), 1);
}

/// Ends only when it is asked to stop, though it might send a number. For one thread.
struct waits_for_stop {
  using sender_concept = execution::sender_tag;
  using completion_signatures =
      execution::completion_signatures<execution::set_value_t(int), execution::set_stopped_t()>;
  template <class Receiver>
  struct operation {
    using operation_state_concept = execution::operation_state_tag;
    using token_type = execution::stop_token_of_t<execution::env_of_t<Receiver>>;
    struct end {
      void operator()() const noexcept {
        operation* const of = owner;
        of->on_stop.reset();  // who completes has done with the token
        std::move(of->to).set_stopped();
      }
      operation* owner;
    };
    void start() noexcept {
      const auto token = execution::get_stop_token(execution::get_env(to));
      if (token.stop_requested()) {
        std::move(to).set_stopped();
      } else {
        on_stop.emplace(token, end{this});
      }
    }
    Receiver to;
    std::optional<stop_callback_for_t<token_type, end>> on_stop{};
  };
  template <class Receiver>
  operation<Receiver> connect(Receiver to) const {
    return {std::move(to)};
  }
};

/// For functions that fail.
[[noreturn]] inline void fail_with(const char* message) { throw std::runtime_error(message); }

/// A policy of `bulk` that weft does not know: one call after the other.
struct in_sequence {
  static constexpr bool is_parallel = false;
};

}  // namespace weft::test
