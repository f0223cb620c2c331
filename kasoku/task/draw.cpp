// A box per task, an arrow per use. Colours go by the function's name, so that
// tasks of one kind are seen at a glance.
#include <fmt/format.h>

#include <algorithm>

#include "kasoku/task/task.h"

namespace kasoku {

namespace {

std::string escape(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::string duration(double seconds) {
  if (seconds >= 1) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.1f} ms", seconds * 1e3);
  return fmt::format("{:.1f} µs", seconds * 1e6);
}

std::string size(uint64_t bytes) {
  if (bytes >= 10'000'000'000) return fmt::format("{} GB", bytes / 1'000'000'000);
  if (bytes >= 10'000'000) return fmt::format("{} MB", bytes / 1'000'000);
  if (bytes >= 10'000) return fmt::format("{} kB", bytes / 1000);
  return fmt::format("{} B", bytes);
}

/// What a run says of its tasks: nothing, if there was none.
class Ran {
 public:
  Ran(const TaskGraph& graph, const std::vector<TaskTime>* times) : times_(times), is_critical_(graph.size()) {
    if (!times_) return;
    // The path along which tasks took most time altogether: nothing less makes the run shorter.
    std::vector<double> length(graph.size());
    std::vector<size_t> before(graph.size());
    size_t last = 0;
    for (size_t i = 0; i < graph.size(); ++i) {
      before[i] = i;
      for (const uint32_t from : graph.inputs(i))
        if (before[i] == i || length[from] > length[before[i]]) before[i] = from;
      length[i] = (*times_)[i].end - (*times_)[i].begin + (before[i] == i ? 0 : length[before[i]]);
      if (length[i] > length[last]) last = i;
    }
    for (size_t i = last; graph.size(); i = before[i]) {
      is_critical_[i] = true;
      if (before[i] == i) break;
    }
  }
  /// Time and bytes; empty before a run.
  std::string label(size_t i) const {
    if (!times_ || (*times_)[i].worker < 0) return {};
    const TaskTime& time = (*times_)[i];
    return duration(time.end - time.begin) + (time.bytes ? ", " + size(time.bytes) : "");
  }
  bool is_critical(size_t i) const { return is_critical_[i]; }
  bool is_critical(size_t from, size_t to) const { return is_critical_[from] && is_critical_[to]; }

 private:
  const std::vector<TaskTime>* const times_;
  std::vector<bool> is_critical_;
};

constexpr const char* critical_colour = "#c62828";

std::string xml_escape(const std::string& text) {
  std::string result;
  for (char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '&')
      result += "&amp;";
    else
      result += c;
  }
  return result;
}

const char* colour_of(const std::string& name) {
  static constexpr const char* colours[] = {"#cfe8fc", "#fde2c4", "#d6f2d0", "#f8d7e3",
                                            "#e4dcf7", "#fbf3c0", "#d3f1ef", "#e8e8e8"};
  size_t kind = 0;
  for (unsigned char c : name) kind = kind * 31 + c;
  return colours[kind % std::size(colours)];
}

}  // namespace

std::string dot_text(const TaskGraph& graph, const std::vector<TaskTime>* times) {
  std::string text =
      "digraph tasks {\n"
      "  rankdir=BT;\n"
      "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", color=\"#555555\"];\n"
      "  edge [color=\"#777777\", arrowsize=0.7];\n";
  const Ran ran(graph, times);
  for (size_t i = 0; i < graph.size(); ++i) {
    const std::string name = graph.task(i).name();
    std::string label = escape(name);
    if (const std::string said = ran.label(i); !said.empty()) label += "\\n" + said;
    const std::string frame = ran.is_critical(i) ? fmt::format(", color=\"{}\", penwidth=2.5", critical_colour) : "";
    text += fmt::format("  t{} [label=\"{}\", tooltip=\"{}\", fillcolor=\"{}\"{}];\n", i, label,
                        escape(graph.task(i).key()), colour_of(name), frame);
  }
  for (size_t i = 0; i < graph.size(); ++i)
    for (uint32_t from : graph.inputs(i))
      text +=
          fmt::format("  t{} -> t{}{};\n", from, i,
                      ran.is_critical(from, i) ? fmt::format(" [color=\"{}\", penwidth=2.5]", critical_colour) : "");
  return text + "}\n";
}

std::string svg_text(const TaskGraph& graph, const std::vector<TaskTime>* times) {
  // A task stands one layer above the highest of its inputs; readers are on top.
  const int width = times ? 230 : 150;
  constexpr int height = 34, gap_x = 24, gap_y = 46;
  std::vector<size_t> layer(graph.size()), place(graph.size()), sizes;
  for (size_t i = 0; i < graph.size(); ++i) {
    for (uint32_t from : graph.inputs(i)) layer[i] = std::max(layer[i], layer[from] + 1);
    if (layer[i] >= sizes.size()) sizes.resize(layer[i] + 1);
    place[i] = sizes[layer[i]]++;
  }
  const Ran ran(graph, times);
  const size_t widest = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
  const auto total_width = static_cast<double>(widest * (width + gap_x) + gap_x);
  const auto total_height = static_cast<double>(sizes.size() * (height + gap_y));
  const auto x_of = [&](size_t i) {
    const auto row = static_cast<double>(sizes[layer[i]] * (width + gap_x) + gap_x);
    return (total_width - row) / 2 + gap_x + static_cast<double>(place[i] * (width + gap_x));
  };
  const auto y_of = [&](size_t i) {
    return total_height - gap_y / 2.0 - height - static_cast<double>(layer[i] * (height + gap_y));
  };
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica,sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n"
      "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
      "markerHeight=\"7\" orient=\"auto\"><path d=\"M0,0 L8,4 L0,8 z\" fill=\"#777777\"/></marker></defs>\n",
      total_width, total_height);
  for (size_t i = 0; i < graph.size(); ++i)
    for (uint32_t from : graph.inputs(i))
      text += fmt::format(
          "<path d=\"M{:.1f},{:.1f} L{:.1f},{:.1f}\" stroke=\"{}\" fill=\"none\" "
          "marker-end=\"url(#arrow)\"/>\n",
          x_of(from) + width / 2.0, y_of(from), x_of(i) + width / 2.0, y_of(i) + height,
          ran.is_critical(from, i) ? critical_colour : "#777777");
  for (size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph.task(i);
    const std::string name = task.name();
    std::string label = name.size() > 22 ? name.substr(0, 21) + "…" : name;
    if (const std::string said = ran.label(i); !said.empty()) label += "  " + said;
    text += fmt::format(
        "<g><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"6\" "
        "fill=\"{}\" stroke=\"{}\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
        xml_escape(task.key()), x_of(i), y_of(i), width, height, colour_of(name),
        ran.is_critical(i) ? critical_colour : "#555555", x_of(i) + width / 2.0, y_of(i) + height / 2.0 + 4,
        xml_escape(label));
  }
  return text + "</svg>\n";
}

}  // namespace kasoku
