// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways in which weft-top shows what it sees. Each returns when there is nothing more to see or
// the user wants to stop.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "top/options.hpp"
#include "top/watched.hpp"

namespace weft::top {

/// Prints one look, after a second one if the process runs.
void show_once(watched& of, const top_options& options);

/// Prints look after look until the process ends, or writes them to the file that is asked for.
void show_stream(watched& of, const top_options& options);

/// Draws on the terminal, look after look.
void show_live(watched& of, const top_options& options);

/// Answers requests until the process ends.
void serve(watched& of, std::uint16_t port);

/// All processes of a folder, once or look after look.
void show_all(const std::filesystem::path& folder, const top_options& options);

}  // namespace weft::top
