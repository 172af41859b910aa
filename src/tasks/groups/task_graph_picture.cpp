// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Task graphs as text for Graphviz, and as pictures of rows of boxes.
#include <algorithm>
#include <cstddef>
#include <locale>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weft/tasks/task_graph.hpp"

namespace weft {
namespace {

// In units of the picture, which are about pixels.
constexpr double box_height = 32;
constexpr double row_distance = 76;
constexpr double gap = 24;  // between boxes of a row, and around the picture
constexpr double letter_width = 8;

std::string with_escapes(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') {
      text += '\\';
    }
    text += c;
  }
  return text;
}

std::string with_entities(std::string_view name) {
  std::string text;
  for (const char c : name) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      default:
        // XML allows no control characters.
        text += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return text;
}

/// Returns the number of characters in UTF-8 text.
std::size_t num_letters(std::string_view name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      name, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// A box, or the place where an edge crosses a row.
struct item {
  std::size_t row = 0;
  double width = 0;
  std::vector<std::size_t> above = {};  // indices of connected items in the row above
  std::vector<std::size_t> below = {};
  double place = 0;  // position in its row: first its rank, then the middle of the box
};

/// Computes the position of each item, in a row below those that it is connected to.
///
/// Source: K. Sugiyama, S. Tagawa and M. Toda, "Methods for Visual Understanding of Hierarchical
/// System Structures", 1981: rows by longest paths, order in a row by the mean of the neighbours.
class layout {
 public:
  std::size_t add(std::size_t row, double width) {
    rows_.resize(std::max(rows_.size(), row + 1));
    items_.push_back({.row = row, .width = width});
    items_.back().place = static_cast<double>(rows_[row].size());
    rows_[row].push_back(items_.size() - 1);
    return items_.size() - 1;
  }
  /// Connects two items through one item in each row between them. Returns all of them.
  std::vector<std::size_t> join(std::size_t from, std::size_t to) {
    std::vector<std::size_t> way{from};
    for (std::size_t row = items_[from].row + 1; row < items_[to].row; ++row) {
      way.push_back(add(row, 0));
    }
    way.push_back(to);
    for (std::size_t i = 1; i < way.size(); ++i) {
      items_[way[i - 1]].below.push_back(way[i]);
      items_[way[i]].above.push_back(way[i - 1]);
    }
    return way;
  }
  void arrange() {
    constexpr int num_sweeps = 8;
    for (int sweep = 0; sweep < num_sweeps; ++sweep) {
      const bool is_down = sweep % 2 == 0;
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        sort_row(rows_[is_down ? i : rows_.size() - 1 - i], is_down ? &item::above : &item::below);
      }
    }
    for (const auto& row : rows_) {
      width_ = std::max(width_, width_of(row));
    }
    for (const auto& row : rows_) {
      double left = (width_ - width_of(row)) / 2 + gap;
      for (const std::size_t each : row) {
        items_[each].place = left + items_[each].width / 2;
        left += items_[each].width + gap;
      }
    }
  }
  [[nodiscard]] double width() const { return width_ + gap; }
  [[nodiscard]] double height() const {
    return static_cast<double>(std::max<std::size_t>(rows_.size(), 1) - 1) * row_distance +
           box_height + 2 * gap;
  }
  [[nodiscard]] double x(std::size_t index) const { return items_[index].place; }
  /// The y coordinate of the upper edge of its box.
  [[nodiscard]] double y(std::size_t index) const {
    return gap + static_cast<double>(items_[index].row) * row_distance;
  }
  [[nodiscard]] double width_of(std::size_t index) const { return items_[index].width; }

 private:
  void sort_row(std::vector<std::size_t>& row, std::vector<std::size_t> item::* side) {
    // with its old position, to order equal ones
    std::vector<std::pair<double, std::size_t>> keyed;
    for (const std::size_t each : row) {
      const std::vector<std::size_t>& joined = items_[each].*side;
      double sum = 0;
      for (const std::size_t other : joined) {
        sum += items_[other].place;
      }
      keyed.emplace_back(
          joined.empty() ? items_[each].place : sum / static_cast<double>(joined.size()),
          keyed.size());
    }
    std::ranges::sort(keyed);
    const std::vector<std::size_t> before = row;
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = before[keyed[i].second];
      items_[row[i]].place = static_cast<double>(i);
    }
  }
  [[nodiscard]] double width_of(const std::vector<std::size_t>& row) const {
    double sum = 0;
    for (const std::size_t each : row) {
      sum += items_[each].width + gap;
    }
    return sum;
  }

  std::vector<item> items_;
  std::vector<std::vector<std::size_t>> rows_;
  double width_ = 0;
};

void draw_edge(std::ostream& to, const layout& all, const std::vector<std::size_t>& way) {
  to << R"(<path d="M)" << all.x(way.front()) << ' ' << all.y(way.front()) + box_height;
  double y = all.y(way.front()) + box_height;
  for (std::size_t i = 1; i < way.size(); ++i) {
    const double next_y = all.y(way[i]);
    const double middle = (y + next_y) / 2;
    to << " C" << all.x(way[i - 1]) << ' ' << middle << ' ' << all.x(way[i]) << ' ' << middle << ' '
       << all.x(way[i]) << ' ' << next_y;
    y = next_y;
    if (i + 1 < way.size()) {  // straight through the row
      y += box_height;
      to << " V" << y;
    }
  }
  to << R"x(" marker-end="url(#arrow)"/>)x" << '\n';
}

void draw_box(std::ostream& to, const layout& all, std::size_t index, const std::string& name) {
  to << R"(<rect x=")" << all.x(index) - all.width_of(index) / 2 << R"(" y=")" << all.y(index)
     << R"(" width=")" << all.width_of(index) << R"(" height=")" << box_height
     << R"(" rx="5"/><text x=")" << all.x(index) << R"(" y=")" << all.y(index) + box_height / 2
     << R"(">)" << with_entities(name) << "</text>\n";
}

}  // namespace

std::string task_graph::dot() const {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << "digraph \"" << with_escapes(name_) << "\" {\n  node [shape=box];\n";
  for (const auto& each : tasks_) {
    text << "  n" << each->index << " [label=\"" << with_escapes(each->name) << "\"];\n";
  }
  for (const auto& each : tasks_) {
    for (const entry* after : each->after) {
      text << "  n" << each->index << " -> n" << after->index << ";\n";
    }
  }
  text << "}\n";
  return std::move(text).str();
}

std::string task_graph::svg() const {
  const std::vector<const entry*> ordered = in_order();
  std::vector<std::size_t> row(tasks_.size());
  for (const entry* each : ordered) {
    for (const entry* after : each->after) {
      row[after->index] = std::max(row[after->index], row[each->index] + 1);
    }
  }
  layout all;
  for (const auto& each : tasks_) {
    const double width = letter_width * static_cast<double>(num_letters(each->name)) + gap;
    static_cast<void>(all.add(row[each->index], width));
  }
  std::vector<std::vector<std::size_t>> ways;
  for (const auto& each : tasks_) {
    for (const entry* after : each->after) {
      ways.push_back(all.join(each->index, after->index));
    }
  }
  all.arrange();

  std::ostringstream text;
  text.imbue(std::locale::classic());
  text
      << R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 )" << all.width() << ' '
      << all.height() << R"(" width=")" << all.width() << R"(" height=")" << all.height()
      << R"(" font-family="sans-serif" font-size="13" fill="#222" text-anchor="middle">)"
      << "\n<title>" << with_entities(name_) << "</title>\n"
      << R"(<style>text{dominant-baseline:central} rect{fill:#eef3fa;stroke:#456} )"
      << R"(path{fill:none;stroke:#456}</style>)" << '\n'
      << R"(<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" )"
      << R"(markerHeight="8" orient="auto"><path d="M0 0 L8 4 L0 8 z" style="fill:#456"/></marker>)"
      << '\n';
  for (const auto& way : ways) {
    draw_edge(text, all, way);
  }
  for (const auto& each : tasks_) {
    draw_box(text, all, each->index, each->name);
  }
  text << "</svg>\n";
  return std::move(text).str();
}

}  // namespace weft
