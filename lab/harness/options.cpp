// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options: the fields of a cell with dashes, and a few of the program itself.
#include "lab/harness/options.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/harness/cells.hpp"
#include "lab/harness/errors.hpp"
#include "lab/harness/experiment.hpp"
#include "lab/harness/names.hpp"

namespace weft::lab {
namespace {

struct cell_option {
  std::string_view option;
  std::string_view field;
};

constexpr std::array<cell_option, 14> cell_options{{{"--problem", "problem"},
                                                    {"--type", "type"},
                                                    {"--size", "size"},
                                                    {"--threads", "threads"},
                                                    {"--allocator", "allocator"},
                                                    {"--placement", "placement"},
                                                    {"--smt", "smt"},
                                                    {"--seed", "seed"},
                                                    {"--protocol", "protocol"},
                                                    {"--min-samples", "min_samples"},
                                                    {"--max-samples", "max_samples"},
                                                    {"--min-time-s", "min_time_s"},
                                                    {"--max-time-s", "max_time_s"},
                                                    {"--probe", "probe"}}};

/// The fields that may have several values, in the order of the loops over them.
constexpr std::array<std::string_view, 4> list_fields{"problem", "type", "size", "threads"};

const std::vector<std::string>& all_options() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{
        "--help", "--list", "--stream", "--json", "--output", "--gbench-json", "--param"};
    for (const cell_option& each : cell_options) {
      all.emplace_back(each.option);
    }
    return all;
  }();
  return names;
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(comma + 1);
  }
}

class parser {
 public:
  explicit parser(std::span<const std::string> arguments) : rest_(arguments) {}

  command_line parse() {
    while (!rest_.empty()) {
      read_option();
    }
    make_cells();
    return result_;
  }

 private:
  void read_option() {
    const std::string argument = rest_.front();
    rest_ = rest_.subspan(1);
    const std::size_t equals = argument.find('=');
    option_ = argument.substr(0, equals);
    has_inline_value_ = equals != std::string::npos;
    inline_value_ = has_inline_value_ ? argument.substr(equals + 1) : "";
    if (!read_switch() && !read_own_value()) {
      read_cell_option();
    }
  }

  bool read_switch() {
    const std::map<std::string_view, bool*> switches{{"--help", &result_.wants_help},
                                                     {"-h", &result_.wants_help},
                                                     {"--list", &result_.wants_list},
                                                     {"--stream", &result_.wants_stream},
                                                     {"--json", &result_.wants_json}};
    const auto found = switches.find(option_);
    if (found == switches.end()) {
      return false;
    }
    if (has_inline_value_) {
      throw bad_cell(option_, option_ + " takes no value");
    }
    *found->second = true;
    return true;
  }

  bool read_own_value() {
    if (option_ == "--output") {
      result_.output = value();
    } else if (option_ == "--gbench-json") {
      result_.gbench_json = value();
    } else if (option_ == "--param") {
      const std::string pair = value();
      const std::size_t equals = pair.find('=');
      if (equals == std::string::npos) {
        throw bad_cell("params",
                       "--param needs a name and a value such as k_it=1000, not \"" + pair + "\"");
      }
      set_param(result_.defaults, pair.substr(0, equals), pair.substr(equals + 1));
    } else {
      return false;
    }
    return true;
  }

  void read_cell_option() {
    const auto* const found =
        std::find_if(cell_options.begin(), cell_options.end(), [this](const cell_option& each) {
          return each.option == option_;
        });
    if (found == cell_options.end()) {
      throw bad_cell(option_, unknown_name("option", option_, all_options()));
    }
    const std::string text = value();
    const bool is_list =
        std::find(list_fields.begin(), list_fields.end(), found->field) != list_fields.end();
    std::vector<std::string> values = is_list ? split(text) : std::vector<std::string>{text};
    set_field(result_.defaults, found->field, values.front());
    lists_[found->field] = std::move(values);
    result_.names_placement |= found->field == "placement" || found->field == "smt";
  }

  std::string value() {
    if (has_inline_value_) {
      return inline_value_;
    }
    if (rest_.empty() || rest_.front().starts_with("--")) {
      throw bad_cell(option_, option_ + " needs a value; --help shows examples");
    }
    const std::string next = rest_.front();
    rest_ = rest_.subspan(1);
    return next;
  }

  void make_cells() {
    if (!lists_.contains("problem")) {
      return;
    }
    result_.cells = {result_.defaults};
    for (const std::string_view field : list_fields) {
      if (!lists_.contains(field)) {
        continue;
      }
      std::vector<cell> product;
      for (const cell& base : result_.cells) {
        for (const std::string& text : lists_[field]) {
          set_field(product.emplace_back(base), field, text);
        }
      }
      result_.cells = std::move(product);
    }
  }

  std::span<const std::string> rest_;
  std::string option_;
  bool has_inline_value_ = false;
  std::string inline_value_;
  std::map<std::string_view, std::vector<std::string>> lists_;
  command_line result_;
};

}  // namespace

command_line parse_command_line(std::span<const std::string> arguments) {
  return parser(arguments).parse();
}

std::string help_text(const std::string& program, const suite& what) {
  const std::string example = what.problems().empty() ? "sort" : what.problems().front();
  const size_words sizes = what.about_sizes();
  return "Measures suite " + std::string(what.name()) + " with backend " +
         std::string(what.backend()) +
         ": verifies the answer, then times it.\n\n"
         "  " +
         program +
         " --list\n"
         "  " +
         program + " --problem " + example + " --size " + std::string(sizes.example) +
         " --threads 1,2\n"
         "  " +
         program +
         " --stream < cells.jsonl > records.jsonl\n\n"
         "Which cells (problem, type, size and threads take several values, comma-separated):\n"
         "  --problem NAME        see --list\n"
         "  --type NAME           int, float, double (default)\n"
         "  --size N              " +
         std::string(sizes.meaning) +
         "\n"
         "  --threads N           default: all usable CPUs\n"
         "  --allocator NAME      default, first_touch\n"
         "  --placement NAME      none (default), cores: as many distinct cores as threads\n"
         "  --smt on|off          off: only the first hardware thread of each core\n"
         "  --param NAME=N        a parameter of the problem; repeatable\n"
         "  --seed N              of the input (default 42)\n\n"
         "How long:\n"
         "  --protocol NAME       robust (default), paper: 5 s and the mean\n"
         "  --min-samples N, --max-samples N   default 10, 1000\n"
         "  --min-time-s S, --max-time-s S     seconds of timed work, default 0.02, 0.5\n"
         "  --probe yes|no        no: do not watch whether the threads work in parallel\n\n"
         "In and out:\n"
         "  --stream              read cells as JSON lines from standard input\n"
         "  --json                write JSON lines even to a terminal\n"
         "  --output FILE         write the JSON lines to FILE\n"
         "  --gbench-json FILE    also write Google-Benchmark-compatible JSON\n"
         "  --list [--json], --help\n\n"
         "Exit code: 0 all measured or skipped, 2 a bad cell, 4 a wrong answer.\n";
}

}  // namespace weft::lab
