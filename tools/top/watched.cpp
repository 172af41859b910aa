// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Joins the reader of a file, or of a recording, with what is made of its snapshots.
#include "top/watched.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "top/layout.hpp"
#include "top/process_state.hpp"
#include "top/reader.hpp"
#include "top/recording.hpp"
#include "top/snapshot.hpp"
#include "top/view.hpp"

namespace weft::top {

namespace {

class process_source final : public snapshot_source {
 public:
  explicit process_source(std::filesystem::path path) : reader_(std::move(path)) {}
  std::optional<snapshot> next() override { return reader_.read(); }
  [[nodiscard]] bool is_on_this_machine() const override { return true; }

 private:
  segment_reader reader_;
};

class recorded_source final : public snapshot_source {
 public:
  explicit recorded_source(const std::filesystem::path& path) : reader_(path) {}
  std::optional<snapshot> next() override { return reader_.read(); }
  [[nodiscard]] bool is_on_this_machine() const override { return false; }

 private:
  recording_reader reader_;
};

std::string_view module_lines_of(const snapshot& taken, const header_facts& header) {
  const auto* const bytes = reinterpret_cast<const char*>(taken.words.data());
  return {bytes + header.modules, header.modules_bytes};
}

}  // namespace

std::unique_ptr<snapshot_source> read_process_file(std::filesystem::path path) {
  return std::make_unique<process_source>(std::move(path));
}

std::unique_ptr<snapshot_source> read_recording(const std::filesystem::path& path) {
  return std::make_unique<recorded_source>(path);
}

watched::watched(std::unique_ptr<snapshot_source> source,
                 const std::optional<std::filesystem::path>& record)
    : source_(std::move(source)) {
  if (record) {
    record_.emplace(*record);
  }
}

std::optional<view> watched::look() {
  std::optional<snapshot> taken = source_->next();
  if (!taken) {
    return std::nullopt;
  }
  process_state state = decode(*taken, alive_ticks_);
  if (state.status == process_status::running) {
    alive_ticks_ = state.now.ticks;
  }
  symbols_.add_known(taken->symbols);
  if (source_->is_on_this_machine()) {
    symbols_.set_modules(module_lines_of(*taken, state.header), state.header.uid);
  }
  history_.add(std::move(state));
  view shown = history_.show([this](std::uint64_t address) { return symbols_.name_of(address); });
  if (record_) {
    taken->symbols = symbols_.take_new();
    record_->write(*taken);
  }
  return shown;
}

}  // namespace weft::top
