// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts about recording in this process; what traces hold is tested in tests/traces.
#include "weft/counters/trace.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>  // SIGXFSZ is POSIX's
#include <sys/resource.h>
#include <unistd.h>

#include "weft/base/error.hpp"
#include "weft/counters/trace_ring.hpp"

#include "counters/trace/trace_recorder.hpp"
#include "tests/support/fake_root.hpp"

namespace trace_test {

using testing::HasSubstr;
using weft::counters::trace_kind;
using weft::counters::trace_options;
using weft::counters::trace_ring;
using weft::counters::detail::trace_recorder;

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const weft::error& refused) {
    return refused.what();
  }
  return "nothing was refused";
}

class Trace : public testing::Test {
 protected:
  [[nodiscard]] trace_options to(const std::string& name) const {
    return {.destination = root_.path() / name, .bytes_per_worker = 4096};
  }
  void run_task(std::uint32_t worker, std::uint64_t ticks) {
    trace_ring* ring = recorder_.ring_for(0, worker);
    ASSERT_NE(ring, nullptr);
    ring->write({.ticks = ticks, .kind = trace_kind::begin});
    ring->write({.ticks = ticks + 1, .kind = trace_kind::end});
  }
  [[nodiscard]] bool exists(const std::string& name) const {
    return std::filesystem::exists(root_.path() / name);
  }

  weft::test::fake_root root_;
  trace_recorder recorder_;
};

TEST_F(Trace, nothing_is_recorded_before_it_is_started) {
  EXPECT_EQ(recorder_.ring_for(0, 0), nullptr);
  EXPECT_FALSE(recorder_.finish().has_value());
  EXPECT_THAT(refusal([&] { static_cast<void>(recorder_.write(root_.path() / "t")); }),
              HasSubstr("start it with WEFT_TRACE=FILE"));
}

TEST_F(Trace, what_workers_did_is_written_on_demand) {
  recorder_.start(to("t"));
  run_task(0, 1);
  run_task(1, 2);

  EXPECT_EQ(recorder_.write(root_.path() / "now").num_slices, 2u);
  EXPECT_TRUE(exists("now"));
  EXPECT_FALSE(exists("t"));
  EXPECT_TRUE(exists("t.rings"));
}

TEST_F(Trace, the_end_writes_the_trace_and_takes_the_rings_away) {
  recorder_.start(to("t"));
  run_task(0, 1);

  const auto trace = recorder_.finish();

  ASSERT_TRUE(trace.has_value());
  EXPECT_EQ(trace->num_slices, 1u);
  EXPECT_TRUE(exists("t"));
  EXPECT_FALSE(exists("t.rings"));
  EXPECT_FALSE(exists("t.unfinished"));
}

TEST_F(Trace, rings_may_be_kept_for_somebody_else) {
  trace_options options = to("t");
  options.keeps_rings = true;
  recorder_.start(options);

  EXPECT_FALSE(recorder_.finish().has_value());
  EXPECT_TRUE(exists("t.rings"));
}

TEST_F(Trace, a_worker_that_comes_back_goes_on_in_its_ring) {
  recorder_.start(to("t"));

  EXPECT_EQ(recorder_.ring_for(0, 3), recorder_.ring_for(0, 3));
  EXPECT_NE(recorder_.ring_for(0, 3), recorder_.ring_for(1, 3));
}

TEST_F(Trace, a_second_start_with_the_same_file_changes_nothing) {
  recorder_.start(to("t"));
  trace_ring* const ring = recorder_.ring_for(0, 0);

  recorder_.start(to("t"));

  EXPECT_EQ(recorder_.ring_for(0, 0), ring);
  EXPECT_THAT(refusal([&] { recorder_.start(to("u")); }), HasSubstr("a process has one trace"));
}

TEST_F(Trace, a_file_that_another_one_records_in_is_left_alone) {
  trace_recorder other;
  other.start(to("t.pftrace"));

  recorder_.start(to("t.pftrace"));

  EXPECT_EQ(recorder_.destination().filename(), "t." + std::to_string(getpid()) + ".pftrace");
}

TEST_F(Trace, rings_follow_no_link) {
  root_.write("victim", "precious");
  const std::filesystem::path victim = root_.path() / "victim";
  std::filesystem::create_symlink(victim, root_.path() / "t.rings");

  EXPECT_THAT(refusal([&] { recorder_.start(to("t")); }),
              HasSubstr("t.rings: it is a symbolic link; name another file"));

  EXPECT_EQ(std::filesystem::file_size(victim), 9u) << "the link's target was emptied";
}

TEST_F(Trace, rings_of_another_user_are_left_alone) {
  root_.write("t.rings", "theirs");
  if (chown((root_.path() / "t.rings").c_str(), 65534, 65534) != 0) {
    GTEST_SKIP() << "only root can give a file to another user";
  }

  EXPECT_THAT(refusal([&] { recorder_.start(to("t")); }),
              HasSubstr("it belongs to user 65534, not to user 0"));
}

TEST_F(Trace, what_is_written_follows_no_link) {
  root_.write("victim", "precious");
  const std::filesystem::path victim = root_.path() / "victim";
  std::filesystem::create_symlink(victim, root_.path() / "t.unfinished");
  recorder_.start(to("t"));
  run_task(0, 1);

  recorder_.finish();

  EXPECT_EQ(std::filesystem::file_size(victim), 9u) << "the link's target was overwritten";
  EXPECT_TRUE(exists("t"));
}

TEST_F(Trace, the_same_file_is_written_again_and_again) {
  for (int i = 0; i < 3; ++i) {
    trace_recorder recorder;
    recorder.start(to("t"));
    static_cast<void>(recorder.ring_for(0, 0));

    EXPECT_TRUE(recorder.finish().has_value());
    EXPECT_TRUE(exists("t"));
  }
}

TEST_F(Trace, the_program_wins_over_the_environment) {
  recorder_.start(to("t"));

  recorder_.start_from_environment(
      [](const char*) -> std::optional<std::string> { return "/nonexistent/t"; });

  EXPECT_EQ(recorder_.destination(), root_.path() / "t");
}

TEST_F(Trace, the_environment_is_asked_once) {
  int num_questions = 0;
  const auto ask = [&](const char*) -> std::optional<std::string> {
    ++num_questions;
    return std::nullopt;
  };

  recorder_.start_from_environment(ask);
  recorder_.start_from_environment(ask);

  EXPECT_EQ(num_questions, 1);
  EXPECT_FALSE(recorder_.is_recording());
}

TEST_F(Trace, a_full_disk_refuses_the_ring_instead_of_killing_the_worker) {
  recorder_.start(to("t"));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, SIG_IGN);
  const rlimit little{.rlim_cur = 56 << 10, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &little);
  const std::string why = refusal([&] { static_cast<void>(recorder_.ring_for(0, 0)); });
  setrlimit(RLIMIT_FSIZE, &before);

  EXPECT_THAT(why, HasSubstr("choose a smaller --weft:trace-buffer"));
}

}  // namespace trace_test
