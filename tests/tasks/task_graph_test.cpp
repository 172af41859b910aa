// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task graphs: order, many runs, mistakes, exceptions, cancellation, and how they are drawn.
#include "weft/tasks/task_graph.hpp"

#include <atomic>
#include <cstddef>
#include <deque>
#include <locale>
#include <memory>
#include <random>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "weft/base/error.hpp"
#include "weft/tasks/future.hpp"
#include "weft/tasks/runtime.hpp"
#include "weft/tasks/task_group.hpp"
#include "weft/tasks/this_task.hpp"

#include "tasks/with_workers.hpp"

namespace task_graph_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using weft::task_group_status;

class TaskGraph : public testing::TestWithParam<int> {
 protected:
  weft::runtime runtime{weft::test::with_workers(GetParam())};
};

TEST_P(TaskGraph, runs_each_task_after_those_before_it) {
  constexpr std::size_t num_tasks = 120;
  std::mt19937 random(7);
  weft::task_graph graph;
  std::vector<weft::task_graph::node> nodes;
  std::vector<std::vector<std::size_t>> before(num_tasks);
  std::deque<std::atomic<int>> num_runs(num_tasks);
  std::atomic<int> num_early{0};
  for (std::size_t i = 0; i < num_tasks; ++i) {
    nodes.push_back(graph.add(std::to_string(i), [&, i] {
      for (const std::size_t earlier : before[i]) {
        num_early += num_runs[earlier] == num_runs[i] + 1 ? 0 : 1;
      }
      if (i % 16 == 0) {
        weft::this_task::yield();
      }
      ++num_runs[i];
    }));
    for (std::size_t edge = 0; i != 0 && edge < i % 4; ++edge) {
      before[i].push_back(random() % i);
      nodes[i].after(nodes[before[i].back()]);
    }
  }

  for (int run = 0; run < 20; ++run) {
    ASSERT_EQ(runtime.run([&] { return graph.run(); }), task_group_status::complete);
  }

  EXPECT_EQ(num_early.load(), 0);
  for (const std::atomic<int>& each : num_runs) {
    ASSERT_EQ(each.load(), 20);
  }
}

TEST_P(TaskGraph, can_be_changed_between_runs) {
  std::string order;
  weft::task_graph graph;
  const auto a = graph.add("a", [&order, own = std::make_unique<char>('a')] { order += *own; });
  runtime.run([&] { graph.run(); });
  const auto b = graph.add("b", [&] { order += 'b'; });
  const auto c = graph.add("c", [&] { order += 'c'; });
  c.before(b).after(a);
  runtime.run([&] { graph.run(); });

  EXPECT_EQ(order, "aacb");
  EXPECT_EQ(b.name(), "b");
  EXPECT_EQ(graph.size(), 3U);
}

TEST_P(TaskGraph, a_task_may_run_another_graph) {
  std::atomic<int> sum{0};
  weft::task_graph inner("inner");
  for (int i = 0; i < 10; ++i) {
    inner.add("add", [&] { ++sum; });
  }
  weft::task_graph outer("outer");
  const auto all = outer.add("all", [&] { inner.run(); });
  outer.add("check", [&] { EXPECT_EQ(sum.load() % 10, 0); }).after(all);
  runtime.run([&] {
    outer.run();
    outer.run();
  });

  EXPECT_EQ(sum.load(), 20);
}

TEST_P(TaskGraph, an_exception_ends_the_run_and_the_next_one_is_complete) {
  std::atomic<int> num_after{0};
  bool is_bad = true;
  weft::task_graph graph;
  const auto first = graph.add("first", [&] {
    if (is_bad) {
      throw 5;
    }
  });
  for (int i = 0; i < 10; ++i) {
    graph.add("after", [&] { ++num_after; }).after(first);
  }
  runtime.run([&] { EXPECT_THROW(graph.run(), int); });
  EXPECT_EQ(num_after.load(), 0);
  is_bad = false;
  runtime.run([&] { EXPECT_EQ(graph.run(), task_group_status::complete); });

  EXPECT_EQ(num_after.load(), 10);
}

TEST_P(TaskGraph, cancel_ends_the_run_that_goes_on_or_else_the_next) {
  std::atomic<int> num_run{0};
  bool is_to_be_canceled = true;
  weft::task_graph graph;
  const auto first = graph.add("first", [&] {
    if (is_to_be_canceled) {
      graph.cancel();
      EXPECT_TRUE(weft::this_task::stop_requested());
    }
  });
  graph.add("second", [&] { ++num_run; }).after(first);
  runtime.run([&] { EXPECT_EQ(graph.run(), task_group_status::canceled); });
  EXPECT_EQ(num_run.load(), 0);
  is_to_be_canceled = false;
  runtime.run([&] { EXPECT_EQ(graph.run(), task_group_status::complete); });
  EXPECT_EQ(num_run.load(), 1);
  graph.cancel();
  runtime.run([&] { EXPECT_EQ(graph.run(), task_group_status::canceled); });
  EXPECT_EQ(num_run.load(), 1);
  runtime.run([&] { EXPECT_EQ(graph.run(), task_group_status::complete); });
  EXPECT_EQ(num_run.load(), 2);
}

TEST_P(TaskGraph, others_may_cancel_at_any_time) {
  std::atomic<bool> is_over{false};
  weft::task_graph graph;
  const auto first = graph.add("first", [] { weft::this_task::yield(); });
  graph.add("second", [] {}).after(first);
  {
    const std::jthread canceling([&] {
      while (!is_over) {
        graph.cancel();
        std::this_thread::yield();
      }
    });
    for (int run = 0; run < 200; ++run) {
      runtime.run([&] { static_cast<void>(graph.run()); });
    }
    is_over = true;
  }
  runtime.run([&] {
    static_cast<void>(graph.run());
    EXPECT_EQ(graph.run(), task_group_status::complete);
  });
}

TEST_P(TaskGraph, is_canceled_with_the_group_around_it) {
  std::atomic<int> num_run{0};
  weft::task_graph inner("inner");
  weft::task_graph outer("outer");
  const auto first = inner.add("first", [&] {
    outer.cancel();
    EXPECT_TRUE(weft::this_task::stop_requested());
  });
  inner.add("second", [&] { ++num_run; }).after(first);
  outer.add("inner", [&] { EXPECT_EQ(inner.run(), task_group_status::canceled); });
  runtime.run([&] { EXPECT_EQ(outer.run(), task_group_status::canceled); });

  EXPECT_EQ(num_run.load(), 0);
}

TEST_P(TaskGraph, refuses_a_second_run_and_changes_while_it_runs) {
  weft::task_graph graph("frame");
  const auto only = graph.add("only", [&] {
    EXPECT_THAT([&] { graph.run(); }, ThrowsMessage<weft::error>(HasSubstr("it runs already")));
    EXPECT_THAT([&] { graph.add("more", [] {}); },
                ThrowsMessage<weft::error>(HasSubstr("\"frame\": it runs;")));
  });
  runtime.run([&] { graph.run(); });

  EXPECT_EQ(graph.size(), 1U);
  EXPECT_EQ(only.name(), "only");
}

INSTANTIATE_TEST_SUITE_P(Workers, TaskGraph, testing::Values(1, 2, 4, 16));

TEST(TaskGraphOfThread, runs_and_gives_a_future) {
  std::atomic<int> num_run{0};
  weft::task_graph graph;
  EXPECT_TRUE(graph.empty());
  EXPECT_EQ(graph.run(), task_group_status::complete);
  graph.add("a", [&] { ++num_run; }).before(graph.add("b", [&] { ++num_run; }));
  EXPECT_EQ(graph.run(), task_group_status::complete);
  weft::future<task_group_status> later = graph.run_async();
  EXPECT_EQ(later.get(), task_group_status::complete);

  EXPECT_EQ(num_run.load(), 4);
}

TEST(TaskGraphCheck, names_the_tasks_of_a_cycle) {
  weft::task_graph graph("frame");
  int num_run = 0;
  const auto run = [&] { ++num_run; };
  const auto source = graph.add("source", run);
  const auto load = graph.add("load", run);
  const auto left = graph.add("left", run);
  const auto sink = graph.add("sink", run);
  source.before(load);
  load.before(left).after(left);
  left.before(sink);

  EXPECT_THAT([&] { graph.run(); },
              ThrowsMessage<weft::error>(
                  AllOf(HasSubstr("task_graph \"frame\": the tasks \"l"),
                        testing::AnyOf(HasSubstr("\"load\" -> \"left\" -> \"load\" wait"),
                                       HasSubstr("\"left\" -> \"load\" -> \"left\" wait")))));
  EXPECT_EQ(num_run, 0);
  EXPECT_THROW(static_cast<void>(graph.svg()), weft::error);
  EXPECT_THAT(graph.dot(), HasSubstr("n2 -> n1;"));
}

TEST(TaskGraphCheck, names_a_task_that_waits_for_itself) {
  weft::task_graph graph;
  const auto only = graph.add("only", [] {});
  only.before(only);

  EXPECT_THAT([&] { graph.run(); },
              ThrowsMessage<weft::error>(HasSubstr("tasks \"only\" -> \"only\" wait")));
}

TEST(TaskGraphCheck, refuses_an_edge_to_another_graph) {
  weft::task_graph one("one");
  weft::task_graph other("other");
  const auto here = one.add("here", [] {});
  const auto there = other.add("there", [] {});

  EXPECT_THAT([&] { here.before(there); },
              ThrowsMessage<weft::error>(HasSubstr("\"there\" of another graph, \"other\"")));
  EXPECT_EQ(one.run(), task_group_status::complete);
}

TEST(TaskGraphPicture, dot_names_tasks_and_edges) {
  weft::task_graph graph("a \"frame\"");
  const auto load = graph.add("load\nall", [] {});
  const auto scale = graph.add("C:\\scale", [] {});
  load.before(scale);

  EXPECT_EQ(graph.dot(),
            "digraph \"a \\\"frame\\\"\" {\n"
            "  node [shape=box];\n"
            "  n0 [label=\"load\\nall\"];\n"
            "  n1 [label=\"C:\\\\scale\"];\n"
            "  n0 -> n1;\n"
            "}\n");
}

struct box {
  double x, y, width, height;
};

std::vector<box> boxes_of(const std::string& svg) {
  static const std::regex rect(
      R"re(<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)")re");
  std::vector<box> found;
  for (std::sregex_iterator it(svg.begin(), svg.end(), rect), end; it != end; ++it) {
    found.push_back(
        {std::stod((*it)[1]), std::stod((*it)[2]), std::stod((*it)[3]), std::stod((*it)[4])});
  }
  return found;
}

/// Writes 1000 as 1.000, as a user's locale may.
struct grouping : std::numpunct<char> {
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(TaskGraphPicture, svg_has_a_box_for_each_task_below_those_before_it) {
  weft::task_graph graph("frame");
  const auto load = graph.add("load <all>", [] {});
  const auto end = graph.add("end", [] {});
  for (int i = 0; i < 9; ++i) {
    graph.add("a part with a long name & more", [] {}).after(load).before(end);
  }
  load.before(end);
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new grouping));
  const std::string svg = graph.svg();
  std::locale::global(before);

  EXPECT_THAT(svg, AllOf(HasSubstr("<title>frame</title>"), HasSubstr(">load &lt;all&gt;<")));
  EXPECT_THAT(svg, AllOf(HasSubstr("name &amp; more"), testing::EndsWith("</svg>\n")));
  const std::vector<box> boxes = boxes_of(svg);
  ASSERT_EQ(boxes.size(), 11U);
  EXPECT_GT(boxes[2].y, boxes[0].y + boxes[0].height);
  EXPECT_GT(boxes[1].y, boxes[2].y + boxes[2].height);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_TRUE(boxes[i].y != boxes[j].y || boxes[i].x > boxes[j].x + boxes[j].width ||
                  boxes[j].x > boxes[i].x + boxes[i].width)
          << i << " lies on " << j;
    }
  }
}

}  // namespace task_graph_test
