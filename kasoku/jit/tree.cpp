#include "kasoku/jit/tree.h"

#include <fmt/format.h>

namespace kasoku::jit {

const char* str(Operator op) {
  constexpr const char* names[] = {"+",  "-",  "*",  "/",   "//",  "%",  "**", "@",  "<<", ">>",
                                   "&",  "|",  "^",  "-",   "+",   "~",  "not", "and", "or", "<",
                                   "<=", ">",  ">=", "==",  "!=",  "is", "is not", "in", "not in"};
  return names[static_cast<size_t>(op)];
}

ExprPtr make_expr(ExprKind kind, Place place) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->place = place;
  return expr;
}

ExprPtr make_constant(Value value, Place place) {
  ExprPtr constant = make_expr(ExprKind::constant, place);
  constant->value = std::move(value);
  return constant;
}

ExprPtr make_name(const std::string& text, Place place) {
  ExprPtr name = make_expr(ExprKind::name, place);
  name->text = text;
  return name;
}

StmtPtr make_stmt(StmtKind kind, Place place) {
  auto stmt = std::make_unique<Stmt>();
  stmt->kind = kind;
  stmt->place = place;
  return stmt;
}

ExprPtr Expr::clone() const {
  auto copy = std::make_unique<Expr>();
  copy->kind = kind;
  copy->place = place;
  copy->op = op;
  copy->ops = ops;
  copy->text = text;
  copy->value = value;
  for (const ExprPtr& item : items) copy->items.push_back(item ? item->clone() : nullptr);
  copy->keywords = keywords;
  copy->binding = binding;
  copy->variable = variable;
  copy->may_be_unset = may_be_unset;
  copy->callee = callee;
  copy->type = type;
  return copy;
}

StmtPtr Stmt::clone() const {
  auto copy = std::make_unique<Stmt>();
  copy->kind = kind;
  copy->place = place;
  copy->op = op;
  for (const ExprPtr& target : targets) copy->targets.push_back(target->clone());
  if (expr) copy->expr = expr->clone();
  if (message) copy->message = message->clone();
  copy->text = text;
  copy->level = level;
  copy->body = jit::clone(body);
  copy->orelse = jit::clone(orelse);
  return copy;
}

Block clone(const Block& block) {
  Block copy;
  for (const StmtPtr& stmt : block) copy.push_back(stmt->clone());
  return copy;
}

std::string place_text(const Function& function, Place place) {
  const size_t line = static_cast<size_t>(place.line);
  std::string text =
      fmt::format("{}:{}, in {}", function.file, function.first_line + place.line - 1, function.name);
  if (line >= 1 && line <= function.lines.size()) {
    const std::string& source = function.lines[line - 1];
    const size_t start = source.find_first_not_of(" \t");
    if (start != std::string::npos) text += "    " + source.substr(start);
  }
  return text;
}

}  // namespace kasoku::jit
