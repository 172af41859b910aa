// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads cells from the command line or a stream, one after the other, and answers each by a record.
#include "lab/harness/bench.hpp"

#include <fstream>
#include <istream>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weft/base/error.hpp"
#include "weft/base/topology.hpp"

#include "lab/harness/build_info.hpp"
#include "lab/harness/cells.hpp"
#include "lab/harness/clock.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/measure.hpp"
#include "lab/harness/options.hpp"
#include "lab/harness/placement.hpp"
#include "lab/harness/records.hpp"
#include "lab/harness/reporter.hpp"
#include "lab/harness/sampler.hpp"

namespace weft::lab {
namespace {

constexpr int exit_failed = 1;

/// Runs cells in one process. The command line or the first cell fixes its placement.
class session {
 public:
  session(const suite& what, const base::topology& machine, instruments& with, reporter& to)
      : what_(what), machine_(machine), with_(with), to_(to) {}

  /// The placement comes from the command line: every cell must agree with it.
  void fix_placement(const process_placement& wanted) {
    fixed_ = wanted;
    const cpu_choice choice = choose_cpus(machine_, wanted);
    impossible_ = choice.impossible;
    if (!impossible_ && !choice.hardware_threads.empty() && held_since_start().empty()) {
      hold_to(choice.hardware_threads);
    }
  }

  outcome answer(const cell& given) {
    const cell asked = with_default_threads(given, what_, to_.facts().cpus_usable);
    outcome refused;
    refused.what = asked;
    try {
      check_fields(asked);
      agree_with_placement(asked);
    } catch (const bad_cell& problem) {
      reject(refused, problem.field(), problem.what());
      return refused;
    }
    if (impossible_) {
      refuse(refused, *impossible_);
      return refused;
    }
    return measure(asked, what_, to_.facts().cpus_usable, with_);
  }

 private:
  void agree_with_placement(const cell& asked) {
    const process_placement wanted = placement_of(asked);
    if (!fixed_) {
      fix_placement(wanted);
    }
    const process_placement fixed = fixed_.value_or(wanted);
    const auto refuse_other = [](const std::string& field, const std::string& has) {
      throw bad_cell(field,
                     "this process was started with " + field + " " + has +
                         ", which cannot change; start another for other values");
    };
    if (wanted.placement != fixed.placement) {
      refuse_other("placement", fixed.placement);
    }
    if (wanted.smt != fixed.smt) {
      refuse_other("smt", fixed.smt);
    }
    if (wanted.threads != fixed.threads) {
      refuse_other("threads", std::to_string(fixed.threads) + " on as many cores");
    }
  }

  const suite& what_;
  const base::topology& machine_;
  instruments& with_;
  reporter& to_;
  std::optional<process_placement> fixed_;
  std::optional<skip> impossible_;
};

program_facts describe(const suite& what, const build_info& build, const base::topology& machine) {
  const base::cpu_share share = machine.usable_cpus();
  program_facts facts;
  facts.build = build;
  facts.suite = what.name();
  facts.backend = what.backend();
  facts.libraries = what.libraries();
  facts.problems = what.problems();
  facts.cpus_usable = share.cpus;
  facts.cpus_source = share.source;
  return facts;
}

void run_stream(std::istream& in, const cell& defaults, session& run, reporter& to) {
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) {
      continue;
    }
    cell asked = defaults;
    try {
      read_cell(line, asked);
    } catch (const bad_cell& problem) {
      outcome refused;
      if (problem.field() != "line") {
        refused.what = asked;
      }
      reject(refused, problem.field(), problem.what());
      to.add(refused);
      continue;
    }
    to.add(run.answer(asked));
  }
}

void run_cells(const command_line& options,
               const suite& what,
               const base::topology& machine,
               std::istream& in,
               reporter& to) {
  monotonic_clock clock;
  instruments with{.clock = clock, .timer = to.facts().timer, .counters = {}};
  session run(what, machine, with, to);
  if (options.names_placement) {
    run.fix_placement(
        placement_of(with_default_threads(options.defaults, what, to.facts().cpus_usable)));
  }
  for (const cell& asked : options.cells) {
    to.add(run.answer(asked));
  }
  if (options.wants_stream) {
    run_stream(in, options.defaults, run, to);
  }
}

/// Returns the parsed options, or the outcome that describes their error.
std::variant<command_line, outcome> parse(std::span<const std::string> arguments) {
  outcome refused;
  try {
    command_line options = parse_command_line(arguments);
    if (!options.cells.empty() || options.wants_stream || options.wants_help ||
        options.wants_list) {
      return options;
    }
    reject(
        refused, "problem", "no problem named; --list names the problems, --help shows examples");
  } catch (const bad_cell& problem) {
    reject(refused, problem.field(), problem.what());
  }
  return refused;
}

report_form form_of(const command_line* options, const bench_streams& streams) {
  report_form form;
  form.is_summary = streams.out_is_terminal;
  if (options != nullptr) {
    form.is_summary = form.is_summary && options->output.empty() && !options->wants_json &&
                      !options->wants_stream;
    form.is_stream = options->wants_stream;
    form.gbench_json = options->gbench_json;
  }
  return form;
}

/// The rest of the program, after the options that are answered without measuring.
int run_parsed(const std::variant<command_line, outcome>& parsed,
               const suite& what,
               program_facts facts,
               const base::topology& machine,
               const bench_streams& streams) {
  monotonic_clock clock;
  facts.timer = measure_timer(clock);
  sampler probe(clock, facts.timer);
  facts.call_overhead_s = measure_call_overhead(probe);
  const auto* options = std::get_if<command_line>(&parsed);
  std::ofstream file;
  if (options != nullptr && !options->output.empty()) {
    file.open(options->output);
    if (!file) {
      throw error("cannot write " + options->output + "; name a file in a folder you may write to");
    }
  }
  reporter to(file.is_open() ? file : streams.out,
              streams.errors,
              form_of(options, streams),
              std::move(facts));
  to.start();
  if (options == nullptr) {
    to.add(std::get<outcome>(parsed));
  } else {
    run_cells(*options, what, machine, streams.in, to);
  }
  to.finish();
  return to.exit_code();
}

/// Answers --help and --list; returns whether one of them was given.
bool answer_question(const command_line& options,
                     const suite& what,
                     const program_facts& facts,
                     std::ostream& out) {
  if (options.wants_help) {
    out << help_text(facts.build.program, what) << std::flush;
  } else if (options.wants_list && options.wants_json) {
    out << problem_list(facts) << '\n' << std::flush;
  } else if (options.wants_list) {
    for (const std::string& problem : facts.problems) {
      out << problem << '\n';
    }
    out << std::flush;
  }
  if (!out) {
    throw error("cannot write the answer; is the disk full or the reader gone?");
  }
  return options.wants_help || options.wants_list;
}

}  // namespace

int run_bench(std::span<const std::string> arguments,
              const suite& what,
              const build_info& build,
              const bench_streams& streams) {
  try {
    const base::topology machine = read_machine();
    program_facts facts = describe(what, build, machine);
    const std::variant<command_line, outcome> parsed = parse(arguments);
    const auto* options = std::get_if<command_line>(&parsed);
    if (options != nullptr && answer_question(*options, what, facts, streams.out)) {
      return 0;
    }
    return run_parsed(parsed, what, std::move(facts), machine, streams);
  } catch (const error& problem) {
    streams.errors << build.program << ": " << problem.what() << '\n' << std::flush;
    return exit_failed;
  }
}

}  // namespace weft::lab
