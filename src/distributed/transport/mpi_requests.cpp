// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests requests of the program, and makes their futures ready.
#include "distributed/transport/mpi_requests.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "weft/base/error.hpp"
#include "weft/distributed/mpi_request.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/progress.hpp"
#include "weft/tasks/promise.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/runtime_interface.hpp"

#include "distributed/transport/mpi_lock.hpp"

namespace weft::distributed::detail {
namespace {

constexpr std::size_t most_at_once = 64;

std::exception_ptr failure_of(const char* call, int result) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int size = 0;
  MPI_Error_string(result, text.data(), &size);
  return std::make_exception_ptr(
      error(std::string(call) + ": " + std::string(text.data(), static_cast<std::size_t>(size))));
}

bool is_in_status(int result) {
  int kind = result;
  MPI_Error_class(result, &kind);
  return kind == MPI_ERR_IN_STATUS;
}

thread_local bool is_within_with_mpi = false;

}  // namespace

/// Requests that were not tested yet are tested alone: MPI_Testsome ignores inactive ones forever.
class mpi_requests final : public tasks::progress_source {
 public:
  mpi_requests() : home_(tasks::scheduler_of(default_runtime())) {
    tasks::add_progress_source(home_, *this);
  }
  mpi_requests(const mpi_requests&) = delete;
  mpi_requests& operator=(const mpi_requests&) = delete;
  ~mpi_requests() override {
    tasks::remove_progress_source(home_, *this);
    take_added();
    for (pending& each : pending_) {
      each.ended.failed = std::make_exception_ptr(
          error(errc::invalid_status,
                "the weft::distributed::runtime ended before an MPI request was complete: await "
                "all requests before it ends"));
      each.ended.tell();
    }
  }

  [[nodiscard]] future<MPI_Status> add(MPI_Request request) {
    promise<MPI_Status> result;
    future<MPI_Status> gives = result.get_future();
    {
      const std::lock_guard guard(adding_);
      added_.push_back({request, {std::move(result), {}, nullptr}});
    }
    num_pending_.fetch_add(1, std::memory_order_relaxed);
    tasks::expect_progress(home_);
    return gives;
  }

  bool poll() noexcept override {
    std::vector<outcome> ended;
    {
      std::unique_lock guard(mpi_lock(), std::defer_lock);
      if (!wants_polling() || !guard.try_lock()) {
        return false;
      }
      test_some(ended);
      test_added(ended);
    }
    num_pending_.fetch_sub(ended.size(), std::memory_order_relaxed);
    std::ranges::for_each(ended, &outcome::tell);
    return !ended.empty();
  }
  [[nodiscard]] bool wants_polling() const noexcept override {
    return num_pending_.load(std::memory_order_relaxed) != 0;
  }

 private:
  struct outcome {
    promise<MPI_Status> result;
    MPI_Status status;
    std::exception_ptr failed;

    void tell() noexcept {
      if (failed != nullptr) {
        result.set_exception(std::move(failed));
      } else {
        result.set_value(status);
      }
    }
  };
  struct pending {
    MPI_Request request;
    outcome ended;
  };

  /// Appends the requests that were added since; returns the number of earlier ones.
  std::size_t take_added() {
    const std::size_t num_known = pending_.size();
    const std::lock_guard guard(adding_);
    std::ranges::move(added_, std::back_inserter(pending_));
    added_.clear();
    return num_known;
  }

  void end(std::size_t at, std::vector<outcome>& ended) {
    ended.push_back(std::move(pending_[at].ended));
    std::swap(pending_[at], pending_.back());
    pending_.pop_back();
  }

  void test_added(std::vector<outcome>& ended) {
    const std::size_t num_known = take_added();
    for (std::size_t i = pending_.size(); i-- > num_known;) {
      int is_complete = 0;
      outcome& of = pending_[i].ended;
      const int result = MPI_Test(&pending_[i].request, &is_complete, &of.status);
      if (result != MPI_SUCCESS) {
        of.failed = failure_of("MPI_Test", result);
      }
      if (result != MPI_SUCCESS || is_complete != 0) {
        end(i, ended);
      }
    }
  }

  /// Tests different requests each time.
  void test_some(std::vector<outcome>& ended) {
    first_tested_ = first_tested_ < pending_.size() ? first_tested_ : 0;
    const std::size_t first = first_tested_;
    const std::size_t size = std::min(most_at_once, pending_.size() - first);
    first_tested_ += size;
    if (size == 0) {
      return;
    }
    for (std::size_t i = 0; i < size; ++i) {
      requests_[i] = pending_[first + i].request;
    }
    int num_done = 0;
    const int result = MPI_Testsome(
        static_cast<int>(size), requests_.data(), &num_done, indices_.data(), statuses_.data());
    for (std::size_t i = 0; i < size; ++i) {
      pending_[first + i].request = requests_[i];
    }
    std::size_t count = num_done == MPI_UNDEFINED ? 0 : static_cast<std::size_t>(num_done);
    if (result != MPI_SUCCESS && !is_in_status(result)) {  // of no request in particular
      count = size;
      std::iota(indices_.begin(), indices_.end(), 0);
    }
    for (std::size_t i = 0; i < count; ++i) {
      outcome& of = pending_[first + static_cast<std::size_t>(indices_[i])].ended;
      const int own = is_in_status(result) ? statuses_[i].MPI_ERROR : result;
      of.status = statuses_[i];
      of.failed = own == MPI_SUCCESS ? nullptr : failure_of("MPI_Testsome", own);
    }
    const std::span done(indices_.data(), count);
    std::ranges::sort(done, std::greater());  // from the back: the last one fills the gap
    for (const int index : done) {
      end(first + static_cast<std::size_t>(index), ended);
    }
  }

  tasks::scheduler& home_;
  std::atomic<std::size_t> num_pending_{0};
  tasks::spin_lock adding_;
  std::vector<pending> added_;
  // Of the polling thread, under the lock of MPI.
  std::vector<pending> pending_;
  std::size_t first_tested_ = 0;
  std::array<MPI_Request, most_at_once> requests_{};
  std::array<int, most_at_once> indices_{};
  std::array<MPI_Status, most_at_once> statuses_{};
};

namespace {
std::atomic<mpi_requests*> requests_in_use{nullptr};
}

polled_requests::polled_requests() : requests_(std::make_unique<mpi_requests>()) {
  requests_in_use.store(requests_.get(), std::memory_order_release);
}
polled_requests::~polled_requests() { requests_in_use.store(nullptr, std::memory_order_relaxed); }

}  // namespace weft::distributed::detail

namespace weft::mpi {

namespace dd = distributed::detail;

future<MPI_Status> request(MPI_Request request) {
  dd::mpi_requests* const home = dd::requests_in_use.load(std::memory_order_acquire);
  if (home == nullptr) {
    throw error(errc::invalid_status,
                "weft::mpi::request needs a weft::distributed::runtime that uses MPI: start the "
                "program with mpirun, or call MPI_Init_thread, before the runtime is made");
  }
  return home->add(request);
}

namespace detail {

exclusive_calls::exclusive_calls() {
  if (dd::is_within_with_mpi) {
    throw error(errc::invalid_status, "with_mpi is called within with_mpi: call MPI directly");
  }
  int is_begun = 0;
  MPI_Initialized(&is_begun);
  if (is_begun == 0) {
    throw error(errc::invalid_status,
                "with_mpi calls MPI, which is not initialised: start the program with mpirun, or "
                "call MPI_Init_thread before the weft::distributed::runtime is made");
  }
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level != MPI_THREAD_MULTIPLE) {
    dd::mpi_lock().lock();
    dd::is_within_with_mpi = is_locked_ = true;
  }
}

exclusive_calls::~exclusive_calls() {
  if (is_locked_) {
    dd::is_within_with_mpi = false;
    dd::mpi_lock().unlock();
  }
}

}  // namespace detail
}  // namespace weft::mpi
