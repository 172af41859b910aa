// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Workers of a runtime behind the replacement interface of a parallel scheduler: weft's or
// another's.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "weft/execution/bulk.hpp"
#include "weft/execution/runtime_scheduler.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft::execution::detail {

/// A backend of the types that `Interface` names: `backend`, `receiver`, `bulk_receiver`,
/// `storage`.
template <class Interface>
class workers_backend final : public Interface::backend {
 public:
  using receiver = typename Interface::receiver;
  using bulk_receiver = typename Interface::bulk_receiver;

  explicit workers_backend(tasks::scheduler& home) noexcept : home_(&home) {}

  void schedule(receiver& to, typename Interface::storage storage) noexcept override {
    start<single>(storage, to, single_arguments{&to});
  }
  void schedule_bulk_chunked(std::size_t shape,
                             bulk_receiver& to,
                             typename Interface::storage storage) noexcept override {
    start<bulk_task>(storage, to, bulk_arguments{&to, shape, std::nullopt});
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
    std::optional<std::size_t> grain;
  };

  template <class Arguments>
  struct started_task : tasks::work_item {
    started_task(run_function body, const Arguments& what, bool is_heap) noexcept
        : tasks::work_item(body), arguments(what), is_on_heap(is_heap) {}
    Arguments arguments;
    bool is_on_heap;
  };
  using single = started_task<single_arguments>;
  using bulk_task = started_task<bulk_arguments>;

  template <class Task>
  static auto take(tasks::work_item& t) noexcept {
    auto& me = static_cast<Task&>(t);
    const auto arguments = me.arguments;
    if (me.is_on_heap) {
      delete &me;
    }
    return arguments;
  }

  static tasks::waiter* run(tasks::work_item& t, single_arguments /*kind*/) noexcept {
    take<single>(t).to->set_value();
    return nullptr;
  }
  static tasks::waiter* run(tasks::work_item& t, bulk_arguments /*kind*/) noexcept {
    const bulk_arguments work = take<bulk_task>(t);
    try {
      bulk_receiver* to = work.to;
      detail::run_chunks(work.shape,
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
    constexpr auto body = [](tasks::work_item& t) noexcept { return run(t, Arguments{}); };
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
    detail::start_task(*home_, *made);
  }

  tasks::scheduler* home_;
};

}  // namespace weft::execution::detail
