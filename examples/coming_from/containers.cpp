// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneTBB's concurrent containers in tasks of weft, as docs/coming_from.md shows them.
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/concurrent_vector.h>
#include <weft/tasks/async.hpp>
#include <weft/tasks/future.hpp>
#include <weft/tasks/parallel_for.hpp>

namespace {

using counts = tbb::concurrent_hash_map<std::string, int>;

counts count_words(const std::vector<std::string>& words) {
  counts seen;
  weft::parallel_for(words.size(), [&](std::size_t i) {
    counts::accessor entry;  // holds a lock on the element until its scope ends
    seen.insert(entry, words[i]);
    ++entry->second;
  });
  return seen;
}

int length_on_disk(const std::string& word) { return static_cast<int>(word.size()); }

/// Waits first, without the lock, and stores the result afterwards.
void refresh(counts& seen, const std::string& word) {
  weft::future<int> length = weft::async(length_on_disk, word);
  const int fresh = length.get();  // may suspend this task: no accessor lives here
  counts::accessor entry;
  seen.insert(entry, word);
  entry->second = fresh;
}

bool collect() {
  tbb::concurrent_vector<std::size_t> found;
  tbb::concurrent_queue<std::size_t> to_do;
  weft::parallel_for(1000, [&](std::size_t i) {
    if (i % 10 == 0) {
      found.push_back(i);
      to_do.push(i);
    }
  });
  std::size_t num_taken = 0;
  for (std::size_t i = 0; to_do.try_pop(i);) {  // never waits; to wait, use weft::channel
    ++num_taken;
  }
  return found.size() == 100 && num_taken == 100;
}

}  // namespace

int main() {
  const std::vector<std::string> words(300, "warp");
  counts seen = count_words(words);
  counts::const_accessor entry;
  bool is_right = seen.find(entry, "warp") && entry->second == 300;
  entry.release();
  refresh(seen, "weft");
  is_right = is_right && seen.find(entry, "weft") && entry->second == 4 && collect();
  std::puts(is_right ? "counted" : "wrong");
  return is_right ? 0 : 1;
}
