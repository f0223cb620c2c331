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
  for (size_t i = 0; i < graph.size(); ++i) {
    const std::string name = graph.task(i).name();
    std::string label = escape(name);
    if (times && i < times->size() && (*times)[i].worker >= 0)
      label += "\\n" + duration((*times)[i].end - (*times)[i].begin);
    text += fmt::format("  t{} [label=\"{}\", tooltip=\"{}\", fillcolor=\"{}\"];\n", i, label,
                        escape(graph.task(i).key()), colour_of(name));
  }
  for (size_t i = 0; i < graph.size(); ++i)
    for (uint32_t from : graph.inputs(i)) text += fmt::format("  t{} -> t{};\n", from, i);
  return text + "}\n";
}

std::string svg_text(const TaskGraph& graph, const std::vector<TaskTime>* times) {
  // A task stands one layer above the highest of its inputs; readers are on top.
  constexpr int width = 150, height = 34, gap_x = 24, gap_y = 46;
  std::vector<size_t> layer(graph.size()), place(graph.size()), sizes;
  for (size_t i = 0; i < graph.size(); ++i) {
    for (uint32_t from : graph.inputs(i)) layer[i] = std::max(layer[i], layer[from] + 1);
    if (layer[i] >= sizes.size()) sizes.resize(layer[i] + 1);
    place[i] = sizes[layer[i]]++;
  }
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
          "<path d=\"M{:.1f},{:.1f} L{:.1f},{:.1f}\" stroke=\"#777777\" fill=\"none\" "
          "marker-end=\"url(#arrow)\"/>\n",
          x_of(from) + width / 2.0, y_of(from), x_of(i) + width / 2.0, y_of(i) + height);
  for (size_t i = 0; i < graph.size(); ++i) {
    const Task& task = graph.task(i);
    const std::string name = task.name();
    std::string label = name.size() > 22 ? name.substr(0, 21) + "…" : name;
    if (times && i < times->size() && (*times)[i].worker >= 0)
      label += "  " + duration((*times)[i].end - (*times)[i].begin);
    text += fmt::format(
        "<g><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"6\" "
        "fill=\"{}\" stroke=\"#555555\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text></g>\n",
        xml_escape(task.key()), x_of(i), y_of(i), width, height, colour_of(name), x_of(i) + width / 2.0,
        y_of(i) + height / 2.0 + 4, xml_escape(label));
  }
  return text + "</svg>\n";
}

}  // namespace kasoku
