// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows tasks across workers.
#include "counters/trace/trace_slices.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "weft/counters/trace_ring.hpp"

#include "counters/trace/trace_writer.hpp"

namespace weft::counters::detail {

slice_builder::slice_builder(trace_writer& writer, plan what)
    : writer_(writer), plan_(std::move(what)), tracks_(plan_.num_rings) {}

trace_writer::moment slice_builder::at(std::size_t ring) const {
  return {.track = first_worker_track + ring, .steady_ns = now_ns_};
}

std::uint64_t slice_builder::new_flow() { return is_writing_ ? ++num_flows_ : 0; }

name_id slice_builder::task_name(std::uint64_t label) {
  const auto [known, is_new] = task_names_.try_emplace(label, 0);
  if (is_new) {
    known->second = writer_.intern(label == 0 ? "task" : plan_.name_of(label));
  }
  return known->second;
}

void slice_builder::add(std::size_t ring, std::int64_t steady_ns, const trace_record& record) {
  if (!is_writing_ && steady_ns >= plan_.first_ns.value_or(steady_ns)) {
    now_ns_ = plan_.first_ns.value_or(steady_ns);
    start_writing();
  }
  now_ns_ = steady_ns;
  switch (record.kind) {
    case trace_kind::spawn:
      return spawn(ring, record);
    case trace_kind::begin:
      return begin(ring, record);
    case trace_kind::annotate:
      return annotate(ring, record);
    case trace_kind::end:
      return end(ring);
    case trace_kind::suspend:
      return suspend(ring, record);
    case trace_kind::resume:
      return resume(ring, record);
    case trace_kind::ready:
      return make_ready(ring, record);
    case trace_kind::steal:
      if (is_writing_) {
        const std::string what = "steal from worker " + std::to_string(record.subject);
        writer_.instant(at(ring),
                        {.category = event_category::steal, .name = writer_.intern(what)});
      }
      return;
    case trace_kind::decide:
      return decide(ring, record);
    case trace_kind::search:
    case trace_kind::wake:
      return go_idle(ring, "searching");
    case trace_kind::park:
      return go_idle(ring, "parked");
    case trace_kind::none:
      ++num_unmatched_;
      return;
  }
  ++num_unmatched_;  // a kind of a later version
}

std::optional<std::uint64_t> slice_builder::unspawned_task(const trace_record& record) const {
  if (record.kind == trace_kind::begin && !spawned_.contains(record.subject)) {
    return record.subject;
  }
  if (record.kind == trace_kind::resume) {
    const auto found = suspended_.find(record.subject);
    if (found != suspended_.end() && ready_.contains(found->second.ready_task)) {
      return found->second.ready_task;
    }
  }
  return std::nullopt;
}

/// Begins all running tasks at the time when writing begins.
void slice_builder::start_writing() {
  is_writing_ = true;
  for (std::size_t ring = 0; ring < tracks_.size(); ++ring) {
    const auto open = std::exchange(tracks_[ring].open, {});
    for (const name_id name : open) {
      open_task(ring, {.name = name});
    }
    if (tracks_[ring].idle != 0) {
      writer_.begin(at(ring), {.category = event_category::idle, .name = tracks_[ring].idle});
    }
  }
  writer_.count({.track = busy_workers_track, .steady_ns = now_ns_}, num_busy_);
}

void slice_builder::open_task(std::size_t ring, const event_label& what) {
  tracks_[ring].open.push_back(what.name);
  if (is_writing_) {
    num_slices_ += what.category == event_category::task ? 1 : 0;
    writer_.begin(at(ring), what);
  }
}

void slice_builder::begin(std::size_t ring, const trace_record& record) {
  stop_idling(ring);
  set_busy(tracks_[ring], true);
  std::uint64_t flow = 0;
  if (const auto found = spawned_.find(record.subject); found != spawned_.end()) {
    flow = found->second;
    spawned_.erase(found);
    count_waiting();
  }
  open_task(ring, {.name = task_name(record.label), .incoming_flows = {flow}});
}

name_id slice_builder::annotation(const trace_record& record, const char* otherwise) {
  return writer_.intern(plan_.annotation_of ? plan_.annotation_of(record.subject) : otherwise);
}

void slice_builder::annotate(std::size_t ring, const trace_record& record) {
  stop_idling(ring);
  open_task(ring,
            {.category = event_category::annotation, .name = annotation(record, "annotation")});
}

void slice_builder::decide(std::size_t ring, const trace_record& record) {
  if (is_writing_) {
    writer_.instant(at(ring),
                    {.category = event_category::decision, .name = annotation(record, "decision")});
  }
}

void slice_builder::end(std::size_t ring) {
  stop_idling(ring);
  worker_track& track = tracks_[ring];
  if (track.open.empty()) {
    ++num_unmatched_;
    return;
  }
  track.open.pop_back();
  if (is_writing_) {
    writer_.end(at(ring));
  }
}

void slice_builder::close_all(worker_track& track, std::size_t ring) {
  for (; !track.open.empty(); track.open.pop_back()) {
    if (is_writing_) {
      writer_.end(at(ring));
    }
  }
}

void slice_builder::suspend(std::size_t ring, const trace_record& record) {
  stop_idling(ring);
  worker_track& track = tracks_[ring];
  suspended_task task{.open = track.open, .flow = new_flow()};
  if (is_writing_) {
    writer_.instant(at(ring),
                    {.category = event_category::wait,
                     .name = writer_.intern("wait"),
                     .outgoing_flow = task.flow});
  }
  close_all(track, ring);
  suspended_.insert_or_assign(record.subject, std::move(task));
}

void slice_builder::resume(std::size_t ring, const trace_record& record) {
  stop_idling(ring);
  worker_track& track = tracks_[ring];
  num_unmatched_ += track.open.size();  // the records of their ends were lost
  close_all(track, ring);
  set_busy(track, true);
  suspended_task task{.open = {task_name(record.label)}};
  if (const auto found = suspended_.find(record.subject); found != suspended_.end()) {
    if (!found->second.open.empty()) {
      task.open = std::move(found->second.open);
    }
    task.flow = found->second.flow;
    task.ready_flow = found->second.ready_flow;
    ready_.erase(found->second.ready_task);
    suspended_.erase(found);
  }
  const name_id innermost = task.open.back();
  task.open.pop_back();
  for (const name_id caller : task.open) {
    open_task(ring, {.category = event_category::caller, .name = caller});
  }
  open_task(ring, {.name = innermost, .incoming_flows = {task.flow, task.ready_flow}});
}

void slice_builder::make_ready(std::size_t ring, const trace_record& record) {
  if (const auto found = suspended_.find(record.subject); found != suspended_.end()) {
    ready_.insert(record.label);
    found->second.ready_task = record.label;
    found->second.ready_flow = new_flow();
    if (is_writing_) {
      writer_.instant(at(ring),
                      {.category = event_category::wait,
                       .name = writer_.intern("made ready"),
                       .outgoing_flow = found->second.ready_flow});
    }
  }
}

void slice_builder::spawn(std::size_t ring, const trace_record& record) {
  if (ready_.erase(record.subject) != 0) {
    return;
  }
  const std::uint64_t flow = new_flow();
  spawned_.insert_or_assign(record.subject, flow);
  if (is_writing_) {
    writer_.instant(at(ring),
                    {.category = event_category::spawn,
                     .name = writer_.intern("spawn"),
                     .outgoing_flow = flow});
  }
  count_waiting();
}

void slice_builder::go_idle(std::size_t ring, const char* how) {
  worker_track& track = tracks_[ring];
  const name_id name = writer_.intern(how);
  set_busy(track, false);
  write_waiting();
  if (track.idle == name) {
    return;
  }
  stop_idling(ring);
  track.idle = name;
  if (is_writing_) {
    writer_.begin(at(ring), {.category = event_category::idle, .name = name});
  }
}

void slice_builder::stop_idling(std::size_t ring) {
  if (std::exchange(tracks_[ring].idle, 0) != 0 && is_writing_) {
    writer_.end(at(ring));
  }
}

void slice_builder::set_busy(worker_track& track, bool is_busy) {
  if (std::exchange(track.is_busy, is_busy) != is_busy) {
    num_busy_ += is_busy ? 1 : -1;
    if (is_writing_) {
      writer_.count({.track = busy_workers_track, .steady_ns = now_ns_}, num_busy_);
    }
  }
}

/// Writes often enough to draw a line if the number changes all the time.
void slice_builder::count_waiting() {
  constexpr std::int64_t interval_ns = 10'000;
  if (now_ns_ - waiting_written_ns_ >= interval_ns) {
    write_waiting();
  }
}

/// If records are missing, some of the tasks that seem to wait have long begun.
void slice_builder::write_waiting() {
  const auto num_waiting = static_cast<std::int64_t>(spawned_.size());
  if (is_writing_ && plan_.is_complete && num_waiting != waiting_written_) {
    waiting_written_ = num_waiting;
    waiting_written_ns_ = now_ns_;
    writer_.count({.track = waiting_tasks_track, .steady_ns = now_ns_}, num_waiting);
  }
}

void slice_builder::finish() {
  for (std::size_t ring = 0; ring < tracks_.size(); ++ring) {
    stop_idling(ring);
  }
  write_waiting();
}

}  // namespace weft::counters::detail
