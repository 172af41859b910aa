// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One process, or a recording of one, from look to look.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "top/reader.hpp"
#include "top/recording.hpp"
#include "top/snapshot.hpp"
#include "top/symbols.hpp"
#include "top/view.hpp"

namespace weft::top {

/// Where snapshots come from.
class snapshot_source {
 public:
  snapshot_source() = default;
  snapshot_source(const snapshot_source&) = delete;
  snapshot_source& operator=(const snapshot_source&) = delete;
  virtual ~snapshot_source() = default;
  /// Nothing: there are no more.
  [[nodiscard]] virtual std::optional<snapshot> next() = 0;
  /// False: the files that snapshots name are none of this machine's, and are not opened. A
  /// recording has the names of all functions that were shown when it was made.
  [[nodiscard]] virtual bool is_on_this_machine() const = 0;
};

[[nodiscard]] std::unique_ptr<snapshot_source> read_process_file(std::filesystem::path path);
[[nodiscard]] std::unique_ptr<snapshot_source> read_recording(const std::filesystem::path& path);

/// Turns snapshots into views, and keeps them if that is wished.
class watched {
 public:
  watched(std::unique_ptr<snapshot_source> source,
          const std::optional<std::filesystem::path>& record = std::nullopt);

  /// What there is to show now; nothing at the end of a recording.
  [[nodiscard]] std::optional<view> look();

 private:
  std::unique_ptr<snapshot_source> source_;
  std::optional<recording_writer> record_;
  symbols symbols_;
  history history_;
  std::uint64_t alive_ticks_ = 0;  // when the process was last seen alive
};

}  // namespace weft::top
