// A box per task, an arrow per use. Colours go by the function's name, so that
// tasks of one kind are seen at a glance.
#include <fmt/format.h>

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

}  // namespace

std::string dot_text(const TaskGraph& graph, const std::vector<TaskTime>* times) {
  static constexpr const char* colours[] = {"#cfe8fc", "#fde2c4", "#d6f2d0", "#f8d7e3",
                                            "#e4dcf7", "#fbf3c0", "#d3f1ef", "#e8e8e8"};
  std::string text =
      "digraph tasks {\n"
      "  rankdir=BT;\n"
      "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", color=\"#555555\"];\n"
      "  edge [color=\"#777777\", arrowsize=0.7];\n";
  const auto& entries = graph.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::string& name = entries[i].task->name;
    size_t kind = 0;
    for (unsigned char c : name) kind = kind * 31 + c;
    std::string label = escape(name);
    if (times && i < times->size() && (*times)[i].worker >= 0)
      label += "\\n" + duration((*times)[i].end - (*times)[i].begin);
    text += fmt::format("  t{} [label=\"{}\", tooltip=\"{}\", fillcolor=\"{}\"];\n", i, label,
                        escape(entries[i].task->key), colours[kind % std::size(colours)]);
  }
  for (size_t i = 0; i < entries.size(); ++i)
    for (uint32_t from : entries[i].inputs) text += fmt::format("  t{} -> t{};\n", from, i);
  return text + "}\n";
}

}  // namespace kasoku
