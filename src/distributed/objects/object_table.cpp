// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts references to objects, and finds and moves the objects.
#include "weft/distributed/detail/object_table.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include <sched.h>

#include "weft/base/error.hpp"
#include "weft/distributed/archive_error.hpp"
#include "weft/distributed/detail/call.hpp"
#include "weft/distributed/detail/engine.hpp"
#include "weft/distributed/detail/rank_tables.hpp"
#include "weft/tasks/runtime_types.hpp"

namespace weft::distributed::detail {
namespace {

// What the home gives to each handle that it sends.
constexpr std::uint64_t usual_credit = std::uint64_t{1} << 20;
// A rank that is sent more gives the excess back, so that the home's sum stays small.
constexpr std::uint64_t most_credit = std::uint64_t{1} << 28;
// A rank that sends a handle gives away this part of its credit.
constexpr std::uint64_t shares = 16;

/// Called on a home by ranks that have given back references.
struct take_back_target {
  using arguments = std::tuple<std::vector<returned_reference>>;
  using result = void;
  static void call(engine& home, std::vector<returned_reference>&& all) {
    home.tables().objects->take_back(all);
  }
};

/// Called by the home of an object that nobody refers to.
struct destroy_target {
  using arguments = std::tuple<object_id>;
  using result = void;
  static void call(engine& home, object_id&& id) { home.tables().objects->destroy(id); }
};

thread_local constinit handles_in_message* written = nullptr;

}  // namespace

object_reference::~object_reference() { all_->release(*this); }

object_table::object_table(engine& home)
    : home_(&home), rank_(home.rank()), size_(home.size()), sender_(*this) {}

engine& object_table::home() const {
  const std::lock_guard guard(lock_);
  if (is_closed_) {
    throw error(errc::invalid_status,
                "the weft::distributed::runtime of this remote handle has ended: use handles only "
                "while it lives");
  }
  return *home_;
}

object_table::reference_pointer object_table::add(std::shared_ptr<void> object,
                                                  const std::type_info& type) {
  const object_id id{.home = rank_, .number = next_number_.fetch_add(1, std::memory_order_relaxed)};
  auto first = std::make_shared<object_reference>(shared_from_this(), id, rank_);
  const std::lock_guard guard(lock_);
  bodies_[id] = {.object = std::move(object), .type = &type};
  made_[id.number] = {.credit = usual_credit, .place = rank_};
  references_[id] = first;
  first->credit_ = usual_credit;
  return first;
}

sent_reference object_table::lend(const reference_pointer& from) {
  const std::lock_guard guard(lock_);
  sent_reference sent{.object = from->id_, .place = from->place()};
  if (const auto home = made_.find(sent.object.number);
      sent.object.home == rank_ && home != made_.end()) {
    home->second.credit += usual_credit;
    sent.credit = usual_credit;
  } else if (from->credit_ > 1) {
    sent.credit = std::max<std::uint64_t>(from->credit_ / shares, 1);
    from->credit_ -= sent.credit;
  } else {
    loan& made = loans_[sent.object];
    if (made.count++ == 0) {
      made.kept = from;
    }
    sent.lender = rank_;
  }
  return sent;
}

object_table::reference_pointer object_table::join(const sent_reference& sent) {
  const auto is_rank = [this](int rank) { return rank >= 0 && rank < size_; };
  if (!is_rank(sent.object.home) || !is_rank(sent.place) ||
      (sent.credit == 0 && !is_rank(sent.lender))) {
    throw archive_error(0, "a handle of a rank that the job has");
  }
  reference_pointer mine;  // outlives the lock, since its end takes the lock
  const std::lock_guard guard(lock_);
  std::weak_ptr<object_reference>& known = references_[sent.object];
  mine = known.lock();
  if (mine == nullptr) {
    mine = std::make_shared<object_reference>(shared_from_this(), sent.object, sent.place);
    known = mine;
  }
  const bool has_share = mine->credit_ != 0 || mine->lender_ >= 0;
  if (sent.credit != 0) {
    mine->credit_ += sent.credit;
    if (mine->credit_ > most_credit) {
      const std::uint64_t excess = mine->credit_ - usual_credit;
      mine->credit_ -= excess;
      give_back(sent.object.home, {.object = sent.object, .credit = excess});
    }
  } else if (has_share) {
    give_back(sent.lender, {.object = sent.object});
  } else {
    mine->lender_ = sent.lender;
  }
  return mine;
}

/// Nobody else refers to `last`. Another reference to its object may exist already.
void object_table::release(const object_reference& last) noexcept {
  const std::lock_guard guard(lock_);
  if (const auto known = references_.find(last.id_);
      known != references_.end() && known->second.expired()) {
    references_.erase(known);
  }
  if (last.credit_ != 0) {
    give_back(last.id_.home, {.object = last.id_, .credit = last.credit_});
  }
  if (last.lender_ >= 0) {
    give_back(last.lender_, {.object = last.id_});
  }
}

/// The task that is started here also sends references which are given back before it runs.
/// `quiescence` waits for it.
void object_table::give_back(int to, returned_reference what) {
  if (is_closed_) {
    return;
  }
  given_back_.push_back({.to = to, .what = what});
  if (!is_sending_back_.exchange(true, std::memory_order_relaxed)) {
    home_->local_call_begins();
    home_->start(sender_);
  }
}

tasks::waiter* object_table::sending_back::run(tasks::work_item& item) noexcept {
  object_table& all = static_cast<sending_back&>(item).all;
  const std::shared_ptr<object_table> kept = all.shared_from_this();
  std::vector<given_back> taken;
  while (all.take_given_back(taken)) {
    try {
      all.send_back(taken);
    } catch (const std::exception& why) {
      all.home_->abort_job("references cannot be given back: " + std::string(why.what()));
    }
  }
  return nullptr;
}

/// Returns false if nothing is left; then the task ends, and the engine may be destroyed.
bool object_table::take_given_back(std::vector<given_back>& all) noexcept {
  const std::lock_guard guard(lock_);
  all.clear();
  all.swap(given_back_);
  if (!all.empty()) {
    return true;
  }
  home_->message_is_done();
  // release: pairs with the acquire in close()
  is_sending_back_.store(false, std::memory_order_release);
  return false;
}

void object_table::send_back(std::span<const given_back> all) {
  std::map<int, std::vector<returned_reference>> by_rank;
  for (const given_back& each : all) {
    by_rank[each.to].push_back(each.what);
  }
  for (auto& [to, those] : by_rank) {
    if (to == rank_) {
      take_back(those);
    } else {
      start_post<take_back_target>(*home_, to, {std::move(those)});
    }
  }
}

void object_table::take_back(std::span<const returned_reference> all) {
  std::vector<reference_pointer> loans_over;
  std::vector<std::pair<object_id, int>> unused;
  {
    const std::lock_guard guard(lock_);
    for (const returned_reference& each : all) {
      if (each.credit == 0) {
        if (const auto lent = loans_.find(each.object);
            lent != loans_.end() && --lent->second.count == 0) {
          loans_over.push_back(std::move(lent->second.kept));
          loans_.erase(lent);
        }
      } else if (const auto known = made_.find(each.object.number);
                 each.object.home == rank_ && known != made_.end()) {
        known->second.credit -= std::min(each.credit, known->second.credit);
        if (known->second.credit == 0) {
          unused.emplace_back(each.object, known->second.place);
          made_.erase(known);
        }
      }
    }
  }
  for (const auto& [id, place] : unused) {
    if (place == rank_) {
      destroy(id);
    } else {
      start_post<destroy_target>(*home_, place, {id});
    }
  }
}

void object_table::destroy(object_id id) {
  body gone;
  const std::lock_guard guard(lock_);
  if (const auto found = bodies_.find(id); found != bodies_.end()) {
    gone = std::move(found->second);
    bodies_.erase(found);
  }
}

std::size_t object_table::num_objects() const {
  const std::lock_guard guard(lock_);
  return bodies_.size();
}

std::size_t object_table::num_entries() const {
  const std::lock_guard guard(lock_);
  return references_.size() + made_.size() + loans_.size();
}

void object_table::close() noexcept {
  decltype(bodies_) bodies;
  decltype(loans_) loans;
  {
    const std::lock_guard guard(lock_);
    is_closed_ = true;
    bodies.swap(bodies_);
    loans.swap(loans_);
    references_.clear();
    made_.clear();
    given_back_.clear();
  }
  // acquire: pairs with the release in take_given_back()
  while (is_sending_back_.load(std::memory_order_acquire)) {
    sched_yield();
  }
}

handles_in_message::~handles_in_message() {
  for (const handle& each : all_) {
    static_cast<void>(each.from->all().join(each.sent));
  }
}

handles_in_message::writing::writing(handles_in_message& to) noexcept
    : outer_(std::exchange(written, &to)) {}
handles_in_message::writing::~writing() { written = outer_; }

sent_reference handles_in_message::add(const std::shared_ptr<object_reference>& one) {
  if (written == nullptr) {
    throw error(errc::invalid_status,
                "a remote handle can be sent to another rank, but not be stored: it means nothing "
                "after the end of its job");
  }
  written->all_.reserve(written->all_.size() + 1);
  const sent_reference sent = one->all().lend(one);
  written->all_.push_back({.from = one, .sent = sent});
  return sent;
}

}  // namespace weft::distributed::detail
