// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON lines for programs, one readable line per cell for people.
#include "lab/harness/reporter.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <ostream>
#include <string>
#include <utility>

#include "weft/base/error.hpp"

#include "lab/harness/experiment.hpp"
#include "lab/harness/gbench_json.hpp"
#include "lab/harness/records.hpp"

namespace weft::lab {
namespace {

std::string cell_text(const cell& what) {
  std::string text = what.problem + " " + what.type + " " + std::to_string(what.size) + ", " +
                     std::to_string(what.threads) + (what.threads == 1 ? " thread" : " threads");
  for (const auto& [name, value] : what.params) {
    text += ", " + name + " " + std::to_string(value);
  }
  return text;
}

std::string measured_text(const measurement& measured) {
  std::string text = duration_text(measured.statistic_s) + " (" + measured.statistic + " of " +
                     std::to_string(measured.taken.per_call_s.size()) + " samples, verified)";
  if (measured.is_oversubscribed) {
    text += ", oversubscribed";
  }
  if (measured.threads.is_sequential.value_or(false)) {
    text += ", ran on one thread";
  }
  return text;
}

}  // namespace

std::string duration_text(double duration_s) {
  struct scale {
    double at_least_s;
    double factor;
    const char* unit;
  };
  constexpr std::array<scale, 4> scales{
      {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "us"}, {0, 1e9, "ns"}}};
  const auto* const fitting = std::find_if(scales.begin(), scales.end(), [&](const scale& each) {
    return duration_s >= each.at_least_s;
  });
  const scale& used = fitting == scales.end() ? scales.back() : *fitting;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g %s", duration_s * used.factor, used.unit);
  return text.data();
}

std::string summary_line(const outcome& answer) {
  const bool names_problem = answer.what && !answer.what->problem.empty();
  if (!names_problem) {
    return to_string(answer.how) + ": " + answer.message;
  }
  const std::string about = cell_text(*answer.what);
  if (answer.measured) {
    return about + ": " + measured_text(*answer.measured);
  }
  std::string text = about + ": " + to_string(answer.how) + ": " + answer.message;
  if (!answer.remedy.empty()) {
    text += "; " + answer.remedy;
  }
  return text;
}

reporter::reporter(std::ostream& out, std::ostream& errors, report_form form, program_facts facts)
    : out_(out), errors_(errors), form_(std::move(form)), facts_(std::move(facts)) {}

void reporter::start() {
  if (!form_.is_summary) {
    write(program_record(facts_));
  }
}

void reporter::add(const outcome& answer) {
  constexpr int exit_error = 2;
  constexpr int exit_wrong = 4;
  const bool is_bad = answer.how == status::error || answer.how == status::wrong;
  if (is_bad) {
    exit_code_ = std::max(exit_code_, answer.how == status::wrong ? exit_wrong : exit_error);
  }
  if (is_bad && !form_.is_stream) {
    errors_ << facts_.build.program << ": " << summary_line(answer) << '\n' << std::flush;
  }
  if (!form_.is_summary) {
    write(result_record(answer, facts_));
  } else if (!is_bad) {
    write(summary_line(answer));
  }
  if (!form_.gbench_json.empty()) {
    for_gbench_.push_back(answer);
  }
}

void reporter::finish() {
  if (form_.gbench_json.empty()) {
    return;
  }
  std::ofstream file(form_.gbench_json);
  file << gbench_json(for_gbench_, facts_) << std::flush;
  if (!file) {
    throw error("cannot write " + form_.gbench_json + "; name a file in a folder you may write to");
  }
}

void reporter::write(const std::string& line) {
  out_ << line << '\n' << std::flush;
  if (!out_) {
    throw error("cannot write the record; is the disk full or the reader gone?");
  }
}

}  // namespace weft::lab
