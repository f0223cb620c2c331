/// \file tests/compile/random_loops.h
/// Random kernels without barriers: loops in threads, loops that stride over the grid, rows and
/// columns of arrays by signed and unsigned indices, guards, blocks of one and two dimensions -
/// and what each thread must compute, by an interpreter of one thread after the other.
///
/// Threads write only elements of their own, so any order of threads and blocks is right.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace random_loops {

constexpr uint32_t n_in = 1 << 19, n_variables = 4, n_strided = 4096;

struct Shape {
  uint32_t x, y, grid_x, grid_y;
  uint32_t width() const { return x * grid_x; }
  uint32_t height() const { return y * grid_y; }
  uint32_t threads() const { return width() * height(); }
};

struct Memory {
  std::vector<uint32_t> in, out, strided;
  explicit Memory(Shape shape)
      : in(n_in), out(shape.threads() * (n_variables + 2), 77), strided(n_strided, 78) {
    for (uint32_t i = 0; i < n_in; ++i) in[i] = (i * 2654435761u) >> 7;
  }
};

struct Thread {
  Memory& memory;
  Shape shape;
  uint32_t tx, ty, bx, by, a, n;
  uint32_t v[n_variables];
  double f[2] = {0, 0};
  uint32_t k[4] = {0, 0, 0, 0};
  bool returned = false;
  uint32_t gx() const { return bx * shape.x + tx; }
  uint32_t gy() const { return by * shape.y + ty; }
};

struct Value {
  std::string text;
  std::function<uint32_t(const Thread&)> get;
};
struct Action {
  std::string text;
  std::function<void(Thread&)> run;
};

class Generator {
 public:
  Generator(uint32_t seed, Shape shape)
      : random_(seed), shape_(shape), is_plain_(seed % 4 == 3) {}

  Action make() {
    Action body = sequence(0, 2 + pick(3));
    const bool is_guarded = chance(60), by_columns = chance(40), returns = chance(50);
    const uint32_t slack = static_cast<uint32_t>(pick(20));
    const std::string h = std::to_string(shape_.height()), w = std::to_string(shape_.width());
    std::string place = by_columns ? "(gx * " + h + " + gy)" : "(gy * " + w + " + gx)";
    std::string text =
        "extern \"C\" __global__ void kernel(const unsigned* in, unsigned* out, unsigned* strided, "
        "unsigned a, unsigned n) {\n"
        "  int gx = blockIdx.x * blockDim.x + threadIdx.x, gy = blockIdx.y * blockDim.y + threadIdx.y;\n"
        "  unsigned v0 = gx, v1 = gy * 3 + a, v2 = 7, v3 = n;\n  float f0 = 0, f1 = 0;\n";
    if (is_guarded && returns) text += "  if (gx + " + str(slack) + " >= n) return;\n";
    if (is_guarded && !returns) text += "  if (gx + " + str(slack) + " < n && gy < (int)n) {\n";
    text += body.text;
    for (uint32_t i = 0; i < n_variables + 2; ++i)
      text += "  out[" + place + " + " + std::to_string(i * shape_.threads()) + "] = " +
              (i < n_variables ? "v" + std::to_string(i) : "(unsigned)f" + std::to_string(i - n_variables)) +
              ";\n";
    if (is_guarded && !returns) text += "  }\n";
    text += "}\n";
    auto run = body.run;
    return {text, [=, shape = shape_](Thread& t) {
              for (uint32_t i = 0; i < n_variables; ++i)
                t.v[i] = i == 0 ? t.gx() : i == 1 ? t.gy() * 3 + t.a : i == 2 ? 7 : t.n;
              if (is_guarded && t.gx() + slack >= t.n) return;
              if (is_guarded && !returns && t.gy() >= t.n) return;
              run(t);
              const uint32_t at = by_columns ? t.gx() * shape.height() + t.gy()
                                             : t.gy() * shape.width() + t.gx();
              for (uint32_t i = 0; i < n_variables + 2; ++i)
                t.memory.out[at + i * shape.threads()] =
                    i < n_variables ? t.v[i] : static_cast<uint32_t>(t.f[i - n_variables]);
            }};
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  bool chance(int percent) { return pick(100) < percent; }
  static std::string str(uint32_t value) { return std::to_string(value) + "u"; }

  /// Small and never negative, so that sums of products of it stay within `in`.
  Value small(int depth) {
    const int kind = pick(depth ? 7 : 6);
    switch (is_plain_ && (kind == 0 || kind == 4) ? 2 : is_plain_ && kind == 1 ? 3 : kind) {
      case 0: return {"threadIdx.x", [](const Thread& t) { return t.tx; }};
      case 1: return {"threadIdx.y", [](const Thread& t) { return t.ty; }};
      case 2: return {"gx", [](const Thread& t) { return t.gx(); }};
      case 3: return {"gy", [](const Thread& t) { return t.gy(); }};
      case 4: return {"blockIdx.x", [](const Thread& t) { return t.bx; }};
      case 5: {
        const uint32_t c = static_cast<uint32_t>(pick(9));
        return {str(c), [c](const Thread&) { return c; }};
      }
      default: {
        const int i = pick(depth);
        return {"k" + std::to_string(i), [i](const Thread& t) { return t.k[i]; }};
      }
    }
  }

  Value element(int depth) {
    if (chance(12)) {
      const int i = pick(n_variables);
      return {"in[v" + std::to_string(i) + " & 1023u]",
              [i](const Thread& t) { return t.memory.in[t.v[i] & 1023]; }};
    }
    const char* types[] = {"int", "unsigned", "size_t"};
    const std::string type = types[pick(3)];
    Value sum{str(static_cast<uint32_t>(pick(30))), {}};
    const uint32_t start = static_cast<uint32_t>(std::stoul(sum.text));
    std::vector<std::pair<uint32_t, std::function<uint32_t(const Thread&)>>> parts;
    for (int i = 1 + pick(3); i > 0; --i) {
      Value of = small(depth);
      const uint32_t times = chance(50) ? 1 : static_cast<uint32_t>(1 + pick(30));
      sum.text += " + (" + type + ")" + of.text + (times == 1 ? "" : " * " + std::to_string(times));
      parts.push_back({times, of.get});
    }
    return {"in[(" + type + ")" + sum.text + "]", [=](const Thread& t) {
              uint32_t index = start;
              for (const auto& [times, get] : parts) index += times * get(t);
              return t.memory.in[index];
            }};
  }

  Value value(int depth) {
    switch (pick(5)) {
      case 0: return small(depth);
      case 1: {
        const int i = pick(n_variables);
        return {"v" + std::to_string(i), [i](const Thread& t) { return t.v[i]; }};
      }
      case 2: return {"a", [](const Thread& t) { return t.a; }};
      default: return element(depth);
    }
  }

  Action assign(int depth) {
    const int i = pick(n_variables), op = pick(5);
    const std::string v = "v" + std::to_string(i);
    Value x = value(depth), y = value(depth);
    auto first = x.get, second = y.get;
    if (chance(25)) {  // floats that hold whole numbers are exact
      const std::string f = "f" + std::to_string(i & 1);
      return {f + " += (float)(" + x.text + " & 63u) * (float)(" + y.text + " & 15u);\n",
              [=](Thread& t) { t.f[i & 1] += (first(t) & 63) * (second(t) & 15); }};
    }
    const char* ops[] = {" + ", " * ", " ^ ", " - ", ""};
    std::string text = v + (chance(60) && op != 4 ? " = " + v + ops[op] + x.text : " += " + x.text);
    const bool keeps = text.find("+=") != std::string::npos;
    if (!keeps && op == 3 && chance(50)) {
      text = v + " = " + x.text + " > " + y.text + " ? " + x.text + " : " + v;
      return {text + ";\n", [=](Thread& t) { t.v[i] = first(t) > second(t) ? first(t) : t.v[i]; }};
    }
    return {text + ";\n", [=](Thread& t) {
              const uint32_t with = first(t);
              uint32_t& to = t.v[i];
              if (keeps || op == 0) to += with;
              else if (op == 1) to *= with;
              else if (op == 2) to ^= with;
              else to -= with;
            }};
  }

  /// The same for all threads mostly.
  Value bound(int depth) {
    const uint32_t c = static_cast<uint32_t>(1 + pick(6));
    if (chance(15)) {
      Value of = small(depth);
      auto get = of.get;
      return {"((unsigned)" + of.text + " % " + str(c) + ")", [=](const Thread& t) { return get(t) % c; }};
    }
    if (chance(25)) return {"(in[a] % " + str(c) + ")", [c](const Thread& t) { return t.memory.in[t.a] % c; }};
    if (depth && chance(20)) return {"(k0 % " + str(c) + ")", [c](const Thread& t) { return t.k[0] % c; }};
    return {"(a % 5u + " + str(c) + ")", [c](const Thread& t) { return t.a % 5 + c; }};
  }

  Action loop(int depth) {
    const std::string k = "k" + std::to_string(depth);
    const uint32_t step = static_cast<uint32_t>(chance(70) ? 1 : 1 + pick(3));
    Value end = bound(depth);
    const bool is_signed = chance(60), breaks = chance(15);
    Value stop = value(depth + 1);
    Action body = sequence(depth + 1, 1 + pick(3));
    auto run = body.run;
    auto limit = end.get, stops = stop.get;
    std::string text = std::string("for (") + (is_signed ? "int " : "unsigned ") + k + " = 0; " + k +
                       " < " + (is_signed ? "(int)" : "") + end.text + "; " + k +
                       " += " + std::to_string(step) + ") {\n" + body.text;
    if (breaks) text += "if (" + stop.text + " % 8u == 3u) break;\n";
    return {text + "}\n", [=](Thread& t) {
              const uint32_t outer = t.k[depth];
              for (t.k[depth] = 0; t.k[depth] < limit(t); t.k[depth] += step) {
                run(t);
                if (breaks && stops(t) % 8 == 3) break;
              }
              t.k[depth] = outer;
            }};
  }

  Action branch(int depth) {
    Value x = chance(50) ? Value{"a", [](const Thread& t) { return t.a; }} : value(depth);
    const uint32_t c = static_cast<uint32_t>(2 + pick(3));
    Action yes = sequence(depth, 1 + pick(2)), no = sequence(depth, 1);
    const bool has_else = chance(40);
    auto get = x.get;
    auto run_yes = yes.run, run_no = no.run;
    return {"if (" + x.text + " % " + str(c) + " == 1u) {\n" + yes.text + "}" +
                (has_else ? " else {\n" + no.text + "}\n" : "\n"),
            [=](Thread& t) {
              if (get(t) % c == 1) run_yes(t);
              else if (has_else) run_no(t);
            }};
  }

  /// Elements that are the thread's own: those of a loop that strides over the grid.
  Action stride(int depth) {
    if (depth || has_strided_ || is_plain_ || shape_.height() > 1) return assign(depth);
    has_strided_ = true;
    const bool is_signed = chance(60);
    const uint32_t n = static_cast<uint32_t>(1 + pick(n_strided - 1));
    const int form = pick(4), i = pick(n_variables);
    Value x = value(0);
    auto get = x.get;
    const std::string type = is_signed ? "int" : "unsigned", v = "v" + std::to_string(i);
    std::string body = "strided[i] = in[i + 3] + " + x.text + ";";
    if (form == 1) body = "strided[i] = in[i * 2] ^ a; " + v + " += in[i];";
    if (form == 2) body = "if (in[i] & 1u) strided[i] = i;";
    if (form == 3) body = "for (int k = 0; k < 3; ++k) strided[i] += in[i + k] * " + x.text + ";";
    std::string text = "for (" + type + " i = blockIdx.x * blockDim.x + threadIdx.x; i < (" + type + ")" +
                       str(n) + " - (" + type + ")(a & 1u); i += blockDim.x * gridDim.x) { " + body + " }\n";
    return {text, [=](Thread& t) {
              const int64_t end = is_signed ? int64_t{n} - (t.a & 1) : int64_t{static_cast<uint32_t>(n - (t.a & 1))};
              for (int64_t i64 = t.gx(); i64 < std::min<int64_t>(end, n_strided); i64 += t.shape.width()) {
                const uint32_t at = static_cast<uint32_t>(i64);
                uint32_t& to = t.memory.strided[at];
                const auto& in = t.memory.in;
                if (form == 0) to = in[at + 3] + get(t);
                if (form == 1) to = in[at * 2] ^ t.a, t.v[i] += in[at];
                if (form == 2 && (in[at] & 1)) to = at;
                if (form == 3) for (uint32_t k = 0; k < 3; ++k) to += in[at + k] * get(t);
              }
            }};
  }

  Action sequence(int depth, int length) {
    std::vector<Action> all;
    std::string text;
    for (int i = 0; i < length; ++i) {
      const int which = is_plain_ ? 40 + pick(60) : pick(100);
      all.push_back(depth < 3 && which < 40   ? loop(depth)
                    : depth < 3 && which < 50 ? branch(depth)
                    : which < 62              ? stride(depth)
                                              : assign(depth));
      text += all.back().text;
    }
    return {text, [all](Thread& t) {
              for (const Action& each : all) each.run(t);
            }};
  }

  std::mt19937 random_;
  Shape shape_;
  bool is_plain_;  ///< no loops, and threads ask for their place in the grid alone
  bool has_strided_ = false;
};

inline Shape shape_for(uint32_t seed) {
  const Shape shapes[] = {{64, 1, 3, 1}, {16, 16, 2, 2}, {8, 32, 2, 1},  {100, 1, 2, 1}, {4, 4, 3, 3},
                          {128, 1, 5, 1}, {2, 64, 2, 2}, {33, 3, 1, 2}, {32, 8, 2, 2},  {1, 32, 3, 2},
                          {8, 4, 37, 2},  {32, 1, 140, 1}, {4, 8, 3, 29}};
  return shapes[seed % (sizeof shapes / sizeof *shapes)];
}

}  // namespace random_loops
