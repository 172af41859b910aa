// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the senders of a range and sends a vector of what they send.
#pragma once

#include <cstddef>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/execution/completion_signatures.hpp"
#include "weft/execution/detail/storage.hpp"
#include "weft/execution/queries.hpp"
#include "weft/execution/sender.hpp"
#include "weft/execution/when_all.hpp"

namespace weft::execution {
namespace detail {

template <class Values>
struct range_values;
template <>
struct range_values<std::tuple<>> {
  using signature = set_value_t();
};
template <class Value>
struct range_values<std::tuple<Value>> {
  using signature = set_value_t(std::vector<Value>);
};
template <class First, class Second, class... Rest>
struct range_values<std::tuple<First, Second, Rest...>> {
  using signature = set_value_t(std::vector<std::tuple<First, Second, Rest...>>);
};
template <>
struct range_values<void> : range_values<std::tuple<>> {};

template <class Child, class... Env>
using range_errors = joined_signatures<when_all_errors<Child, Env...>, exception_signature>;

template <class Child, class Receiver>
using range_state = joint_state<Receiver,
                                range_errors<Child, when_all_env<env_of_t<Receiver>>>,
                                any_may_stop<when_all_env<env_of_t<Receiver>>, Child>>;

/// All operations of a range lie in one block, the results beside them.
template <class Child, class Receiver>
struct when_all_range_operation : range_state<Child, Receiver> {
  using operation_state_concept = operation_state_tag;
  using state = range_state<Child, Receiver>;
  using stored = when_all_values<Child, typename state::environment>;
  using kept = std::conditional_t<std::is_void_v<stored>, std::tuple<>, stored>;
  using receiver = when_all_receiver<when_all_range_operation, stored, typename state::environment>;
  struct entry {
    std::optional<kept> value;
    connect_result_t<Child, receiver> operation;
  };

  when_all_range_operation(std::vector<Child> senders, Receiver&& end)
      : state(senders.size(), static_cast<Receiver&&>(end)), size(senders.size()) {
    entries =
        static_cast<entry*>(::operator new(size * sizeof(entry), std::align_val_t(alignof(entry))));
    try {
      for (Child& each : senders) {
        entry* const place = entries + num_made;
        ::new (static_cast<void*>(place))
            entry{{}, connect(static_cast<Child&&>(each), receiver{this, &place->value})};
        ++num_made;
      }
    } catch (...) {
      destroy();
      throw;
    }
  }
  when_all_range_operation(const when_all_range_operation&) = delete;
  when_all_range_operation& operator=(const when_all_range_operation&) = delete;
  ~when_all_range_operation() { destroy(); }

  void start() noexcept {
    this->begin();
    if (size == 0) {
      complete();
      return;
    }
    entry* const first = entries;
    const std::size_t count = size;  // this may be gone once the last one has been started
    for (std::size_t i = 0; i < count; ++i) {
      first[i].operation.start();
    }
  }
  void child_ended() noexcept {
    if (this->arrive()) {
      complete();
    }
  }
  void complete() noexcept {
    if (this->is_completed_without_values()) {
      return;
    }
    if constexpr (std::is_same_v<kept, std::tuple<>>) {
      static_cast<Receiver&&>(this->to).set_value();
    } else {
      send_values();
    }
  }
  void send_values() noexcept {
    set_value_of_call(static_cast<Receiver&&>(this->to), [this] {
      using value =
          std::conditional_t<std::tuple_size_v<kept> == 1, std::tuple_element_t<0, kept>, kept>;
      std::vector<value> all;
      all.reserve(size);
      for (std::size_t i = 0; i < size; ++i) {
        // NOLINTNEXTLINE(bugprone-unchecked-optional-access): all children have sent
        kept& sent = *entries[i].value;
        if constexpr (std::tuple_size_v<kept> == 1) {
          all.push_back(std::get<0>(std::move(sent)));
        } else {
          all.push_back(std::move(sent));
        }
      }
      return all;
    });
  }
  void destroy() noexcept {
    while (num_made != 0) {
      entries[--num_made].~entry();
    }
    ::operator delete(static_cast<void*>(entries), std::align_val_t(alignof(entry)));
  }

  std::size_t size;
  std::size_t num_made = 0;
  entry* entries = nullptr;
};

template <class Child>
struct [[nodiscard]] when_all_range_sender : connects_as_it_is<when_all_range_sender<Child>> {
  using sender_concept = sender_tag;
  template <class Self, class... Env>
    requires sender_in<Child, when_all_env<Env>...>
  static consteval auto get_completion_signatures() {
    return joined_signatures<completion_signatures<typename range_values<
                                 when_all_values<Child, when_all_env<Env>...>>::signature>,
                             range_errors<Child, when_all_env<Env>...>,
                             when_all_stops<Child, when_all_env<Env>...>>();
  }
  template <class Self, class Receiver>
  static constexpr auto connect_self(Self&& self, Receiver&& to) {
    return when_all_range_operation<Child, Receiver>(static_cast<Self&&>(self).children,
                                                     static_cast<Receiver&&>(to));
  }
  std::vector<Child> children;
};

}  // namespace detail

/// `when_all(range)` runs the senders of a range, which all have one type. It sends a std::vector
/// of their values in order; no value if they send none. Errors and stops are as with `when_all`.
/// Cost:    one allocation for the operations of all senders, one for the vector of their values.
/// Example: tests/execution/joint_test.cpp: a_range_sends_a_vector.
template <class Range>
  requires(!sender<Range>)
constexpr auto when_all_t::operator()(Range&& senders) const {
  using child = std::iter_value_t<decltype(std::begin(senders))>;
  static_assert(sender<child>,
                "weft::execution::when_all: this is neither a sender nor a range of senders");
  if constexpr (std::is_same_v<std::remove_cvref_t<Range>, std::vector<child>>) {
    return detail::when_all_range_sender<child>{{}, static_cast<Range&&>(senders)};
  } else {
    detail::when_all_range_sender<child> all;
    for (auto&& each : senders) {
      all.children.push_back(static_cast<decltype(each)>(each));
    }
    return all;
  }
}

}  // namespace weft::execution
