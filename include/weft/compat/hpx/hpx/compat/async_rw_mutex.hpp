// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A value that readers and writers get in the order in which they asked, as senders.
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <hpx/config.hpp>

#include "weft/tasks/futures.hpp"

namespace hpx::experimental {

namespace detail {

/// One writer, or the readers between two writers. The next are let in when the last has gone.
class access_group {
 public:
  access_group() = default;
  access_group(const access_group&) = delete;
  access_group& operator=(const access_group&) = delete;
  ~access_group() { ended_.set_value(); }

  [[nodiscard]] weft::shared_future<void> end() { return ended_.get_future().share(); }

 private:
  weft::promise<void> ended_;
};

/// The holder may use the value.
template <class T>
class access_to {
 public:
  access_to(std::shared_ptr<access_group> group, std::shared_ptr<T> value) noexcept
      : group_(std::move(group)), value_(std::move(value)) {}
  [[nodiscard]] T& get() const noexcept { return *value_; }
  operator T&() const noexcept { return *value_; }  // implicit, as HPX has it

 private:
  std::shared_ptr<access_group> group_;  // ends after the value is let go
  std::shared_ptr<T> value_;
};
template <class T>
  requires std::is_void_v<T>
class access_to<T> {
 public:
  explicit access_to(std::shared_ptr<access_group> group) noexcept : group_(std::move(group)) {}

 private:
  std::shared_ptr<access_group> group_;
};

struct read_tag {};
struct write_tag {};

/// The two kinds of access are different types, also where both are to nothing.
template <class T, class Tag>
struct tagged_access : access_to<T> {
  using access_to<T>::access_to;
};

struct no_value {};

}  // namespace detail

/// `read()` and `readwrite()` give senders of access, which lasts as long as a copy of what they
/// send. Accesses come in the order of these calls; reads that follow each other overlap.
///
/// T may be void: then it orders only. A reader may be shown a base class, `Read`.
/// Threads: `read` and `readwrite` one at a time; what they give, anywhere. The mutex may go
/// before.
template <class T = void, class Read = T>
class async_rw_mutex {
  static_assert(std::is_void_v<T> == std::is_void_v<Read>);
  using stored = std::conditional_t<std::is_void_v<T>, detail::no_value, T>;

 public:
  using read_access_type = detail::tagged_access<const Read, detail::read_tag>;
  using readwrite_access_type = detail::tagged_access<T, detail::write_tag>;

  async_rw_mutex()
    requires std::default_initializable<stored>
      : value_(std::make_shared<stored>()) {}
  template <class U>
    requires(!std::is_void_v<T> && !std::same_as<std::remove_cvref_t<U>, async_rw_mutex> &&
             std::constructible_from<stored, U>)
  explicit async_rw_mutex(U&& value) : value_(std::make_shared<stored>(std::forward<U>(value))) {}
  async_rw_mutex(async_rw_mutex&&) noexcept = default;
  async_rw_mutex& operator=(async_rw_mutex&&) noexcept = default;
  ~async_rw_mutex() = default;

  /// Errors:  std::bad_alloc.
  [[nodiscard]] auto read() {
    if (readers_ == nullptr) {
      before_readers_ = last_;
      readers_ = std::make_shared<detail::access_group>();
      last_ = readers_->end();
    }
    return access<read_access_type>(before_readers_, readers_);
  }
  [[nodiscard]] auto readwrite() {
    auto writer = std::make_shared<detail::access_group>();
    auto before = std::exchange(last_, writer->end());
    readers_ = nullptr;
    return access<readwrite_access_type>(before, std::move(writer));
  }

 private:
  template <class Access>
  weft::future<Access> access(const weft::shared_future<void>& before,
                              std::shared_ptr<detail::access_group> group) {
    return before.then(weft::launch::sync,
                       [group = std::move(group), value = value_](const auto& /*ready*/) mutable {
                         if constexpr (std::is_void_v<T>) {
                           return Access(std::move(group));
                         } else {
                           return Access(std::move(group), std::move(value));
                         }
                       });
  }

  std::shared_ptr<stored> value_;
  weft::shared_future<void> last_ = weft::make_ready_future().share();  // end of all so far
  weft::shared_future<void> before_readers_;
  std::shared_ptr<detail::access_group> readers_;  // null: the last to ask was a writer
};

}  // namespace hpx::experimental
