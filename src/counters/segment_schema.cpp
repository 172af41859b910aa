// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names every number of a block, so that a reader of another version finds it.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weft/counters/segment.hpp"
#include "weft/counters/segment_format.hpp"
#include "weft/counters/worker_block.hpp"

namespace weft::counters {

namespace {

struct named_count {
  cell worker_counts<cell>::* member;
  std::string_view unit;
  std::string_view name;
};

constexpr std::string_view none;

constexpr std::array named_counts = {
    named_count{&worker_counts<cell>::tasks_executed, none, "tasks_executed"},
    named_count{&worker_counts<cell>::loop_runs, none, "loop_runs"},
    named_count{&worker_counts<cell>::yields, none, "yields"},
    named_count{&worker_counts<cell>::injected, none, "injected"},
    named_count{&worker_counts<cell>::steals_tried, none, "steals_tried"},
    named_count{&worker_counts<cell>::steals_won, none, "steals_won"},
    named_count{&worker_counts<cell>::steals_lost, none, "steals_lost"},
    named_count{&worker_counts<cell>::publications, none, "publications"},
    named_count{&worker_counts<cell>::tasks_published, none, "tasks_published"},
    named_count{&worker_counts<cell>::forced_publications, none, "forced_publications"},
    named_count{&worker_counts<cell>::suspensions, none, "suspensions"},
    named_count{&worker_counts<cell>::resumes, none, "resumes"},
    named_count{&worker_counts<cell>::direct_resumes, none, "direct_resumes"},
    named_count{&worker_counts<cell>::stack_switches, none, "stack_switches"},
    named_count{&worker_counts<cell>::stacks_acquired, none, "stacks_acquired"},
    named_count{&worker_counts<cell>::mutex_contended, none, "mutex_contended"},
    named_count{&worker_counts<cell>::parks, none, "parks"},
    named_count{&worker_counts<cell>::wakes, none, "wakes"},
    named_count{&worker_counts<cell>::wakes_sent, none, "wakes_sent"},
    named_count{&worker_counts<cell>::ticks_executing, "ticks", "ticks_executing"},
    named_count{&worker_counts<cell>::ticks_searching, "ticks", "ticks_searching"},
    named_count{&worker_counts<cell>::ticks_stealing, "ticks", "ticks_stealing"},
    named_count{&worker_counts<cell>::ticks_parked, "ticks", "ticks_parked"},
};

/// Collects fields; offsets are those of members of one object.
class field_list {
 public:
  explicit field_list(const void* object) : object_(object) {}

  template <class Member>
  segment_field& add(std::string_view name,
                     std::string_view unit,
                     field_kind kind,
                     const Member& member) {
    segment_field field;
    std::ranges::copy(name, field.name.begin());
    std::ranges::copy(unit, field.unit.begin());
    field.kind = kind;
    field.offset_bytes = static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(&member) -
                                                    static_cast<const std::byte*>(object_));
    field.element_bytes = field.stride_bytes = sizeof(Member);
    fields_.push_back(field);
    return fields_.back();
  }

  [[nodiscard]] const std::vector<segment_field>& fields() const noexcept { return fields_; }

 private:
  const void* object_;
  std::vector<segment_field> fields_;
};

void add_durations(field_list& to, std::string_view prefix, const duration_sums<real_cell>& sums) {
  const auto add = [&](std::string_view name, std::string_view unit, const real_cell& sum) {
    to.add(std::string(prefix).append(name), unit, field_kind::real, sum);
  };
  add("num", none, sums.num);
  add("weight", none, sums.weight);
  add("ticks", "ticks", sums.ticks);
  add("weight2", none, sums.weight2);
  add("ticks_w2", "ticks", sums.ticks_w2);
  add("ticks2_w2", "ticks^2", sums.ticks2_w2);
}

void add_samples(field_list& to, const sample_sums<real_cell>& samples) {
  add_durations(to, "sampled_task_", samples.task);
  add_durations(to, "sampled_loop_", samples.loop);
  to.add("sampled_num_gaps", none, field_kind::real, samples.num_gaps);
  to.add("sampled_gap_ticks", "ticks", field_kind::real, samples.gap_ticks);
  to.add("sampled_window_tasks", none, field_kind::real, samples.window_tasks);
  to.add("sampled_window_gaps", none, field_kind::real, samples.window_gaps);
  to.add("sampled_window_ticks", "ticks", field_kind::real, samples.window_ticks);
  to.add("sampled_disturbed", none, field_kind::real, samples.disturbed);
}

void add_histogram(field_list& to, std::string_view name, const tick_histogram<cell>& histogram) {
  segment_field& field = to.add(name, "ticks", field_kind::histogram, histogram.weight.front());
  field.num_elements = tick_histogram<cell>::num_buckets;
  field.ranges_per_doubling = 4;
}

void add_labels(field_list& to, const std::array<label_slot, worker_block::num_labels>& labels) {
  const auto add =
      [&](std::string_view name, std::string_view unit, field_kind kind, const auto& member) {
        segment_field& field = to.add(name, unit, kind, member);
        field.num_elements = worker_block::num_labels;
        field.stride_bytes = sizeof(label_slot);
      };
  add("label_function", none, field_kind::address, labels.front().function);
  add("label_weight", none, field_kind::real, labels.front().weight);
  add("label_ticks", "ticks", field_kind::real, labels.front().ticks);
}

std::vector<segment_field> block_fields() {
  const auto example = std::make_unique<block_slot>();
  const worker_block& block = example->block;
  field_list list(example.get());
  list.add("owner", "nobody|departed|present|closed", field_kind::state, example->held_by);
  list.add("pool", none, field_kind::number, block.pool);
  list.add("worker", none, field_kind::number, block.worker);
  list.add("change", none, field_kind::number, block.change);
  list.add("state",
           "executing|searching|stealing|parked|absent",
           field_kind::state,
           block.state_place());
  list.add("state_since", "ticks", field_kind::number, block.state_since_ticks);
  list.add("queue_length", none, field_kind::gauge, block.queue_length);
  list.add("thread_id", none, field_kind::number, block.thread_id);
  list.add("current_label", none, field_kind::address, block.current_label);
  list.add("sample_period", none, field_kind::gauge, block.sample_period);
  for (const named_count& count : named_counts) {
    list.add(count.name, count.unit, field_kind::total, block.*count.member);
  }
  add_samples(list, block.samples);
  add_histogram(list, "task_duration", block.histograms.task_duration);
  add_histogram(list, "queue_delay", block.histograms.queue_delay);
  add_histogram(list, "park_latency", block.histograms.park_latency);
  add_labels(list, block.labels);
  return list.fields();
}

}  // namespace

std::span<const segment_field> segment_schema() {
  static const auto* const fields = new std::vector(block_fields());  // outlives statics' users
  return *fields;
}

}  // namespace weft::counters
