// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// weft's workers as the parallel scheduler of somebody else's `std::execution`.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "weft/execution/bulk.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/tasks/detail/task.hpp"

namespace weft::compat {

/// A backend of the parallel scheduler of a library that has the standard's replacement interface:
/// its types are given by `Interface`.
///
/// For stdexec, in one file of the program:
///
///     struct stdexec_interface {
///       using backend = stdexec::parallel_scheduler_replacement::parallel_scheduler_backend;
///       using receiver = stdexec::parallel_scheduler_replacement::receiver_proxy;
///       using bulk_receiver = stdexec::parallel_scheduler_replacement::bulk_item_receiver_proxy;
///       using storage = std::span<std::byte>;
///     };
///     namespace stdexec::parallel_scheduler_replacement {
///     auto query_parallel_scheduler_backend() -> std::shared_ptr<parallel_scheduler_backend> {
///       return weft::compat::make_parallel_scheduler_backend<stdexec_interface>();
///     }
///     }
///
/// Cost:    no allocation if the library's storage has room for a task, about 64 bytes; else one.
/// Threads: any.
/// Source:  C++26 working draft, [exec.parschedrepl]
template <class Interface>
class parallel_scheduler_backend final : public Interface::backend {
 public:
  using receiver = typename Interface::receiver;
  using bulk_receiver = typename Interface::bulk_receiver;

  explicit parallel_scheduler_backend(tasks::detail::scheduler& home) noexcept : home_(&home) {}

  void schedule(receiver& to, typename Interface::storage storage) noexcept override {
    start<single>(storage, to, single_arguments{&to});
  }
  void schedule_bulk_chunked(std::size_t shape,
                             bulk_receiver& to,
                             typename Interface::storage storage) noexcept override {
    start<bulk_task>(storage, to, bulk_arguments{&to, shape, 0});
  }
  void schedule_bulk_unchunked(std::size_t shape,
                               bulk_receiver& to,
                               typename Interface::storage storage) noexcept override {
    start<bulk_task>(storage, to, bulk_arguments{&to, shape, 1});
  }

 private:
  struct single_arguments {
    receiver* to;
  };
  struct bulk_arguments {
    bulk_receiver* to;
    std::size_t shape;
    std::size_t grain;
  };

  template <class Arguments>
  struct started_task : tasks::detail::task {
    started_task(run_function body, const Arguments& what, bool is_heap) noexcept
        : task(body), arguments(what), is_on_heap(is_heap) {}
    Arguments arguments;
    bool is_on_heap;
  };
  using single = started_task<single_arguments>;
  using bulk_task = started_task<bulk_arguments>;

  template <class Task>
  static auto take(tasks::detail::task& t) noexcept {
    auto& me = static_cast<Task&>(t);
    const auto arguments = me.arguments;
    if (me.is_on_heap) {
      delete &me;
    }
    return arguments;
  }

  static tasks::detail::waiter* run(tasks::detail::task& t, single_arguments /*kind*/) noexcept {
    take<single>(t).to->set_value();
    return nullptr;
  }
  static tasks::detail::waiter* run(tasks::detail::task& t, bulk_arguments /*kind*/) noexcept {
    const bulk_arguments work = take<bulk_task>(t);
    try {
      bulk_receiver* to = work.to;
      execution::detail::run_chunks(work.shape,
                                    work.grain,
                                    {[](void* context, std::size_t first, std::size_t last) {
                                       static_cast<bulk_receiver*>(context)->execute(first, last);
                                     },
                                     to});
    } catch (...) {
      work.to->set_error(std::current_exception());
      return nullptr;
    }
    work.to->set_value();
    return nullptr;
  }

  template <class Task, class Receiver, class Storage, class Arguments>
  void start(Storage storage, Receiver& to, const Arguments& arguments) noexcept {
    constexpr auto body = [](tasks::detail::task& t) noexcept { return run(t, Arguments{}); };
    void* room = storage.data();
    std::size_t size_bytes = storage.size();
    Task* made = nullptr;
    if (std::align(alignof(Task), sizeof(Task), room, size_bytes) != nullptr) {
      made = ::new (room) Task(body, arguments, false);
    } else {
      made = new (std::nothrow) Task(body, arguments, true);
    }
    if (made == nullptr) {
      to.set_error(std::make_exception_ptr(std::bad_alloc()));
      return;
    }
    execution::detail::start_task(*home_, *made);
  }

  tasks::detail::scheduler* home_;
};

/// The backend on the workers of the default runtime, which this starts; the same for every call.
template <class Interface>
[[nodiscard]] std::shared_ptr<typename Interface::backend> make_parallel_scheduler_backend() {
  // One for all: schedulers are equal if their backend is the same object.
  static const std::shared_ptr<typename Interface::backend> only =
      std::make_shared<parallel_scheduler_backend<Interface>>(
          execution::detail::default_scheduler());
  return only;
}

}  // namespace weft::compat
