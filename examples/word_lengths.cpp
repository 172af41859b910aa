// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the words of a text are, counted in three ways of which one scales; docs/counters.md
// finds out why: word_lengths locked|per-word|per-block|all [MEBIBYTES] [ROUNDS]
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <ratio>
#include <string>
#include <string_view>

#include <weft/base/error.hpp>
#include <weft/tasks/mutex.hpp>
#include <weft/tasks/runtime.hpp>
#include <weft/tasks/task_group.hpp>

namespace {

constexpr std::size_t longest = 15;
constexpr std::size_t block_bytes = std::size_t{64} * 1024;

using table = std::array<long, longest + 1>;  // how many words have so many letters

/// Takes the first word off `text`, and the blank behind it.
std::string_view take_word(std::string_view& text) {
  const std::size_t size = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return word;
}

/// Takes about `block_bytes` off `text`, up to the end of a word.
std::string_view take_block(std::string_view& text) {
  const std::size_t end = text.find(' ', std::min(block_bytes, text.size()));
  const std::string_view block = text.substr(0, end);
  text.remove_prefix(std::min(block.size() + 1, text.size()));
  return block;
}

void count_words(std::string_view text, table& lengths) {
  while (!text.empty()) {
    ++lengths[take_word(text).size()];
  }
}

/// A task per block. They share a table, and a lock protects it.
table count_locked(std::string_view text) {
  table lengths{};
  weft::mutex mutex;
  weft::task_group group;
  while (!text.empty()) {
    group.run([&, block = take_block(text)] {
      const std::scoped_lock lock(mutex);
      count_words(block, lengths);
    });
  }
  group.wait();
  return lengths;
}

/// A task per word: no lock, as each adds to the table once.
table count_per_word(std::string_view text) {
  std::array<std::atomic<long>, longest + 1> lengths{};
  weft::task_group group;
  while (!text.empty()) {
    group.run([&, word = take_word(text)] {
      lengths[word.size()].fetch_add(1, std::memory_order_relaxed);
    });
  }
  group.wait();
  table result{};
  std::ranges::copy(lengths, result.begin());
  return result;
}

/// A task per block, with a table of its own; the lock is held just to add it to the others.
table count_per_block(std::string_view text) {
  table lengths{};
  weft::mutex mutex;
  weft::task_group group;
  while (!text.empty()) {
    group.run([&, block = take_block(text)] {
      table own{};
      count_words(block, own);
      const std::scoped_lock lock(mutex);
      std::ranges::transform(lengths, own, lengths.begin(), std::plus());
    });
  }
  group.wait();
  return lengths;
}

/// Words of random lengths, the same every time.
std::string make_text(std::size_t bytes) {
  std::string text;
  text.reserve(bytes + longest + 1);
  std::uint32_t random = 1;
  while (text.size() < bytes) {
    random = random * 1664525 + 1013904223;
    text.append(1 + (random >> 16) % longest, 'x');
    text += ' ';
  }
  return text;
}

struct way {
  std::string_view name;
  table (*count)(std::string_view text);
};

constexpr std::array ways = {way{"locked", count_locked},
                             way{"per-word", count_per_word},
                             way{"per-block", count_per_block}};

/// False: the counts are wrong.
bool run(const way& how, const std::string& text, long num_rounds) {
  table expected{};
  count_words(text, expected);
  bool is_right = true;
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < num_rounds; ++i) {
    is_right = weft::default_runtime().run([&] { return how.count(text); }) == expected && is_right;
  }
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  std::printf("%-9s on %d workers: %6.1f ms per round\n",
              std::string(how.name).c_str(),
              weft::default_runtime().num_workers(),
              time.count() / static_cast<double>(num_rounds));
  return is_right;
}

}  // namespace

int main(int argc, char** argv) try {
  weft::init(argc, argv);
  const std::string wanted = argc > 1 ? argv[1] : "all";
  const std::string text = make_text((argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 16) << 20);
  const long num_rounds = argc > 3 ? std::strtol(argv[3], nullptr, 10) : 20;

  int num_run = 0;
  bool is_right = true;
  for (const way& each : ways) {
    if (wanted == "all" || wanted == each.name) {
      is_right = run(each, text, num_rounds) && is_right;
      ++num_run;
    }
  }
  if (num_run == 0) {
    std::fprintf(stderr, "error: no way to count is called %s\n", wanted.c_str());
  }
  return num_run > 0 && is_right ? 0 : 1;
} catch (const weft::error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 2;
}
