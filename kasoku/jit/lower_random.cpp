/// Random draws of single numbers: by the stream of the function, or of the iteration of a loop.
#include "kasoku/jit/lowering.h"
#include "kasoku/jit/walk.h"

namespace kasoku::jit {

std::string FunctionLowering::uniform() {
  if (!random_.half.empty() && random_.half_epoch == epoch_) return std::exchange(random_.half, "");
  const std::string pair = temp("u");
  line("const ks_two {} = ks_units({}, {}, {} + {});", pair, random_.stream, random_.element, random_.site,
       random_.n_sites++);
  random_.half = pair + ".b";
  random_.half_epoch = epoch_;
  return pair + ".a";
}

std::string FunctionLowering::uniform_float() {
  if (!random_.shared.empty()) {
    const std::string text = random_.shared.front();
    random_.shared.erase(random_.shared.begin());
    return text;
  }
  if (random_.words_epoch != epoch_ || random_.n_taken == 4) {
    random_.words = temp("w");
    random_.words_epoch = epoch_, random_.n_taken = 0;
    line("const ks_words {} = ks_words_of({}, {}, {} + {});", random_.words, random_.stream, random_.element, random_.site, random_.n_sites++);
  }
  return fmt::format("ks_uniform_f32({}.{})", random_.words, "abcd"[random_.n_taken++]);
}

void FunctionLowering::share_call(const std::string& words, const std::string& is_second) {
  random_.shared.clear();
  for (const auto& [first, second] : {std::pair("a", "c"), std::pair("b", "d")})
    random_.shared.push_back(fmt::format("ks_uniform_f32({0} ? {1}.{3} : {1}.{2})", is_second, words, first, second));
}

bool FunctionLowering::is_float_draw(const Expr& e) const {
  const bool is_cast = e.kind == ExprKind::call && e.callee < 0 && e.items[0]->binding.kind == Binding::Kind::dtype;
  if (!is_cast || e.type != Type::scalar(Dtype::float32) || options_.is_cuda) return false;
  const Intrinsic* drawn = intrinsic_of(*e.items[1]);
  return drawn && (drawn->handler == Handler::random || drawn->handler == Handler::rand) && e.items[1]->type.is_scalar();
}

bool FunctionLowering::shares_calls(const Block& body) const {
  int n = 0;
  bool is_plain = true;
  const auto draws_nothing = [&](const Expr& e) {
    bool nothing = true;
    each_expr(e, [&](const Expr& part) { nothing &= !draws_here(part); });
    return nothing;
  };
  const std::function<void(const Expr&)> look = [&](const Expr& e) {
    if (is_float_draw(e)) return void(++n);
    const bool may_skip = e.kind == ExprKind::logic || e.kind == ExprKind::conditional || e.kind == ExprKind::compare || e.kind == ExprKind::comprehension;
    if (may_skip && (e.kind != ExprKind::compare || e.items.size() > 2)) return void(is_plain &= draws_nothing(e));
    is_plain &= !draws_here(e);
    for (const ExprPtr& item : e.items)
      if (item) look(*item);
  };
  const auto nothing_in = [&](const Block& block) {
    each_expr(block, [&](const Expr& e) { is_plain &= !draws_here(e); });
  };
  for (const StmtPtr& stmt : body) {
    const bool is_loop = stmt->kind == StmtKind::for_ || stmt->kind == StmtKind::while_;
    if (stmt->expr && is_loop) is_plain &= draws_nothing(*stmt->expr);
    else if (stmt->expr) look(*stmt->expr);
    for (const ExprPtr& target : stmt->targets) is_plain &= draws_nothing(*target);
    if (stmt->message) is_plain &= draws_nothing(*stmt->message);
    nothing_in(stmt->body), nothing_in(stmt->orelse);
  }
  return is_plain && (n == 1 || n == 2);
}

std::string FunctionLowering::draw(const Expr& e, Handler handler) {
  const auto number = [&](size_t i, const char* otherwise) {
    return has(e, i) ? pin({text_as(*e.items[i + 1], Dtype::float64), float64_type}).text : std::string(otherwise);
  };
  const auto normal = [&] {
    return fmt::format("ks_normal({}, {}, {} + {})", random_.stream, random_.element, random_.site, random_.n_sites++);
  };
  switch (handler) {
    case Handler::random:
    case Handler::rand: return uniform();
    case Handler::uniform: {
      const std::string low = number(0, "0.0"), high = number(1, "1.0");
      return fmt::format("({} + ({} - {}) * {})", low, high, low, uniform());
    }
    case Handler::randn:
    case Handler::standard_normal: return normal();
    case Handler::normal: {
      const std::string mean = number(0, "0.0"), scale = number(1, "1.0");
      return fmt::format("({} + {} * {})", mean, scale, normal());
    }
    case Handler::expovariate: return fmt::format("(-log(1.0 - {}) / {})", uniform(), number(0, "1.0"));
    case Handler::exponential: return fmt::format("(-log(1.0 - {}) * {})", uniform(), number(0, "1.0"));
    default: break;
  }
  std::string low = "0LL", high;
  if (has(e, 1)) {
    low = pin({text_as(*e.items[1], Dtype::int64), int64_type}).text;
    high = text_as(*e.items[2], Dtype::int64);
  } else {
    high = text_as(*e.items[1], Dtype::int64);
  }
  if (handler == Handler::randint_inclusive) high = op_text(Op::add, Dtype::int64, {high, "1"});
  return fmt::format("ks_integer_of({}, {}, {} + {}, {}, {})", random_.stream, random_.element, random_.site,
                     random_.n_sites++, low, high);
}

Val FunctionLowering::call_random(const Expr& e, Handler handler) {
  if (e.type.is_array()) return computed(e);
  if (options_.is_cuda) error(e.place, "random draws in a kernel come from cuda.random states");
  return {draw(e, handler), e.type};
}

}  // namespace kasoku::jit
