// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A range whose elements a coroutine makes, one when each is asked for.
#pragma once

#include <concepts>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include "weft/tasks/detail/futures/coroutine_promise.hpp"

namespace weft {

/// In `co_yield elements_of(range)` of a generator: all elements of that range, one by one.
///
/// It refers to the range, which is another generator of the same elements or any input range.
template <std::ranges::range Range>
class elements_of {
 public:
  explicit constexpr elements_of(Range&& all) noexcept : range_(std::addressof(all)) {}
  [[nodiscard]] constexpr Range&& get() const noexcept { return static_cast<Range&&>(*range_); }

 private:
  std::remove_reference_t<Range>* range_;
};
template <class Range>
elements_of(Range&&) -> elements_of<Range&&>;

template <class Reference, class Value = void>
class generator;

namespace tasks::detail {

/// True for an rvalue of a generator that yields such elements; clang deduces it without its `&&`.
template <class Range, class Yielded>
inline constexpr bool is_generator_of = false;
template <class Reference, class Value, class Yielded>
inline constexpr bool is_generator_of<generator<Reference, Value>&&, Yielded> =
    std::same_as<typename generator<Reference, Value>::yielded, Yielded>;
template <class Reference, class Value, class Yielded>
inline constexpr bool is_generator_of<generator<Reference, Value>, Yielded> =
    std::same_as<typename generator<Reference, Value>::yielded, Yielded>;

/// The state that generators share if they yield each other's elements.
///
/// The iterator resumes the outermost generator, the root. The root knows the innermost one, which
/// runs. A loop of the iterator alternates between them, so the stack does not grow with their
/// number.
template <class Yielded>
struct generator_promise {
  using handle = std::coroutine_handle<>;

  generator_promise() noexcept : root(this) {}

  static void* operator new(std::size_t bytes) { return allocate_frame(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { free_frame(frame, bytes); }

  std::suspend_always initial_suspend() const noexcept { return {}; }

  struct at_end {
    static bool await_ready() noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      generator_promise& me = ended.promise();
      if (me.root != &me) {
        me.root->innermost = me.outer;
      }
    }
    static void await_resume() noexcept {}
  };
  at_end final_suspend() noexcept { return {}; }

  void return_void() const noexcept {}
  void unhandled_exception() {
    if (root == this) {
      throw;  // out of the iterator
    }
    raised = std::current_exception();
  }
  void await_transform() = delete;  // a generator makes elements, and waits for nothing

  /// Runs until there is an element. False: there is none any more.
  bool advance(handle self_handle) {
    value = nullptr;
    do {
      innermost.resume();
    } while (value == nullptr && !self_handle.done());
    return value != nullptr;
  }

  generator_promise* root;
  handle innermost = nullptr;  // this and the next: of the root
  std::add_pointer_t<Yielded> value = nullptr;
  handle outer = nullptr;  // this and the next: of the others
  std::exception_ptr raised;
};

/// Keeps a copy of what is yielded by a constant reference while the coroutine is suspended.
template <class Yielded>
class yielded_copy {
 public:
  using value_type = std::remove_cvref_t<Yielded>;
  yielded_copy(const value_type& value, generator_promise<Yielded>& from)
      : copy_(value), from_(from) {}
  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> /*waiting*/) noexcept {
    from_.root->value = std::addressof(copy_);
  }
  static void await_resume() noexcept {}

 private:
  value_type copy_;
  generator_promise<Yielded>& from_;
};

/// Waits in one generator until another one, which it owns, has yielded all its elements.
template <class Generator, class Yielded>
class nested_elements {
 public:
  nested_elements(Generator&& inner, generator_promise<Yielded>& outer) noexcept
      : inner_(std::move(inner)), outer_(outer) {}

  [[nodiscard]] bool await_ready() const noexcept { return !inner_.coroutine_; }
  void await_suspend(std::coroutine_handle<> waiting) noexcept {
    generator_promise<Yielded>& promise = inner_.coroutine_.promise();
    promise.root = outer_.root;
    promise.outer = waiting;
    outer_.root->innermost = inner_.coroutine_;
  }
  void await_resume() const {
    if (inner_.coroutine_ && inner_.coroutine_.promise().raised != nullptr) {
      std::rethrow_exception(inner_.coroutine_.promise().raised);
    }
  }

 private:
  Generator inner_;
  generator_promise<Yielded>& outer_;
};

}  // namespace tasks::detail

/// The elements that a coroutine yields, as an input range: std::generator of C++23 but for its
/// allocators. `Reference` is what its iterators give (`T` stands for `T&&`), `Value` their value
/// type.
///
/// Each step of the iterator runs the coroutine until its next `co_yield`. It runs on the caller's
/// stack, and may call functions that suspend this stack (`future::get`). `co_yield
/// elements_of(inner)` passes on the elements of another generator. The cost does not grow with the
/// depth.
/// Cost:    a frame from the calling worker's own blocks, one resumption per element.
/// Threads: one at a time.
/// Errors:  what the coroutine throws comes out of the iterator.
/// Source:  C++23, [coro.generator]
/// Example: tests/tasks/generator_test.cpp: yields_one_element_per_step
template <class Reference, class Value>
class [[nodiscard]] generator : public std::ranges::view_interface<generator<Reference, Value>> {
  using value = std::conditional_t<std::is_void_v<Value>, std::remove_cvref_t<Reference>, Value>;
  using reference = std::conditional_t<std::is_void_v<Value>, Reference&&, Reference>;

 public:
  using yielded = std::conditional_t<std::is_reference_v<reference>, reference, const reference&>;
  class promise_type;
  class iterator;

  generator(const generator&) = delete;
  generator(generator&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  generator& operator=(generator other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~generator() {
    if (coroutine_) {
      coroutine_.destroy();
    }
  }

  /// Runs to the first element. Once.
  [[nodiscard]] iterator begin() {
    auto& promise = coroutine_.promise();
    promise.innermost = coroutine_;
    promise.advance(coroutine_);
    return iterator(coroutine_);
  }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return std::default_sentinel; }

 private:
  friend promise_type;
  template <class, class>
  friend class tasks::detail::nested_elements;
  explicit generator(std::coroutine_handle<promise_type> fresh) noexcept : coroutine_(fresh) {}

  std::coroutine_handle<promise_type> coroutine_;
};

template <class Reference, class Value>
class generator<Reference, Value>::promise_type
    : public tasks::detail::generator_promise<typename generator::yielded> {
  using base = tasks::detail::generator_promise<yielded>;

 public:
  generator get_return_object() noexcept {
    return generator(std::coroutine_handle<promise_type>::from_promise(*this));
  }

  std::suspend_always yield_value(yielded element) noexcept {
    this->root->value = std::addressof(element);
    return {};
  }
  auto yield_value(const std::remove_reference_t<yielded>& element)
    requires std::is_rvalue_reference_v<yielded> &&
             std::constructible_from<std::remove_cvref_t<yielded>,
                                     const std::remove_reference_t<yielded>&>
  {
    return tasks::detail::yielded_copy<yielded>(element, *this);
  }
  template <std::ranges::input_range Range>
    requires std::convertible_to<std::ranges::range_reference_t<Range>, yielded>
  auto yield_value(elements_of<Range> all) {
    if constexpr (tasks::detail::is_generator_of<Range, yielded>) {
      return tasks::detail::nested_elements<std::remove_cvref_t<Range>, yielded>(
          std::move(all.get()), *this);
    } else {
      return each_of(std::forward<Range>(all.get()));
    }
  }

 private:
  template <class Range>
  auto each_of(Range&& range) {
    using inner = generator<yielded, std::ranges::range_value_t<Range>>;
    auto each = [](std::ranges::iterator_t<Range> it,
                   std::ranges::sentinel_t<Range> last) -> inner {
      for (; it != last; ++it) {
        co_yield static_cast<yielded>(*it);
      }
    };
    return tasks::detail::nested_elements<inner, yielded>(
        each(std::ranges::begin(range), std::ranges::end(range)), *this);
  }
};

template <class Reference, class Value>
class generator<Reference, Value>::iterator {
 public:
  using value_type = value;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  iterator(iterator&& other) noexcept : coroutine_(std::exchange(other.coroutine_, {})) {}
  iterator& operator=(iterator&& other) noexcept {
    coroutine_ = std::exchange(other.coroutine_, {});
    return *this;
  }

  [[nodiscard]] reference operator*() const
      noexcept(std::is_nothrow_copy_constructible_v<reference>) {
    return static_cast<reference>(*coroutine_.promise().value);
  }
  iterator& operator++() {
    coroutine_.promise().advance(coroutine_);
    return *this;
  }
  void operator++(int) { ++*this; }
  friend bool operator==(const iterator& it, std::default_sentinel_t /*end*/) noexcept {
    return it.coroutine_.done();
  }

 private:
  friend generator;
  explicit iterator(std::coroutine_handle<promise_type> of) noexcept : coroutine_(of) {}

  std::coroutine_handle<promise_type> coroutine_;
};

}  // namespace weft
