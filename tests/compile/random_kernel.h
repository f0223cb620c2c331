/// \file tests/compile/random_kernel.h
/// Random kernels with nested uniform and divergent control, barriers, warp
/// operations, shared memory, local arrays and early returns - and what they
/// must compute, by an interpreter that runs all threads in step with a mask.
///
/// The kernels are legal CUDA without races: shared elements are written by their
/// owner and read by others only between barriers; lanes say by a ballot who is
/// there before they part, and a lane reads only from lanes that are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace random_kernel {

constexpr int n_variables = 5, n_uniform = 2, n_local = 4;

struct Shape {
  uint32_t x, y, z;
  uint32_t threads() const { return x * y * z; }
};

/// All threads of one block.
struct Block {
  Shape shape;
  uint32_t number = 0, argument = 0;
  std::vector<uint32_t> v[n_variables], u[n_uniform], local[n_local], shared;
  std::vector<uint32_t> counter[8];
  std::vector<char> returned;

  uint32_t size() const { return shape.threads(); }
};

using Mask = std::vector<char>;

/// Text, and what it does to the threads in a mask.
struct Expression {
  std::string text;
  std::function<uint32_t(const Block&, uint32_t)> value;
};
struct Statement {
  std::string text;
  std::function<void(Block&, Mask&)> run;  ///< takes threads out of the mask that leave
};

enum class Level { block, warp, thread };

class Generator {
 public:
  Generator(uint32_t seed, Shape shape) : random_(seed), shape_(shape) {}

  struct Kernel {
    std::string text;
    std::function<void(Block&)> run;
  };

  Kernel make() {
    const std::string n = std::to_string(shape_.threads());
    full_mask_ = chance(50);
    Statement body = sequence(Level::block, 0, 3 + pick(4));
    std::string text =
        "#define FINISH { unsigned o = (blockIdx.x * " + n + "u + t) * 5u; out[o] = v0; "
        "out[o + 1] = v1; out[o + 2] = v2; out[o + 3] = v3; out[o + 4] = v4; }\n"
        "extern \"C\" __global__ void kernel(unsigned a, unsigned* out) {\n"
        "  __shared__ unsigned s[" + n + "];\n"
        "  const unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
        "  const unsigned lane = t & 31u;\n"
        "  unsigned v0 = t, v1 = t * 7u + a, v2 = blockIdx.x, v3 = t ^ 21u, v4 = 3u;\n"
        "  unsigned u0 = a, u1 = 8u;\n"
        "  unsigned loc[4] = {t, a, 1u, 2u};\n";
    text += full_mask_ ? "  unsigned m = 0xffffffffu;\n"
                       : "  unsigned m = " + n + "u - (t & ~31u) >= 32u ? 0xffffffffu : (1u << (" +
                             n + "u - (t & ~31u))) - 1u;\n";
    text += "  s[t] = t * 3u;\n  __syncthreads();\n" + body.text + "  FINISH\n}\n";
    auto run = [body](Block& block) {
      const uint32_t size = block.size();
      for (int i = 0; i < n_variables; ++i) block.v[i].resize(size);
      for (int i = 0; i < n_uniform; ++i) block.u[i].assign(size, i ? 8 : block.argument);
      for (int i = 0; i < n_local; ++i) block.local[i].resize(size);
      for (auto& counter : block.counter) counter.assign(size, 0);
      block.shared.resize(size);
      block.returned.assign(size, 0);
      for (uint32_t t = 0; t < size; ++t) {
        const uint32_t start[] = {t, t * 7 + block.argument, block.number, t ^ 21, 3};
        for (int i = 0; i < n_variables; ++i) block.v[i][t] = start[i];
        const uint32_t local[] = {t, block.argument, 1, 2};
        for (int i = 0; i < n_local; ++i) block.local[i][t] = local[i];
        block.shared[t] = t * 3;
      }
      Mask all(size, 1);
      body.run(block, all);
    };
    return {text, run};
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % n); }
  bool chance(int percent) { return pick(100) < percent; }
  static std::string str(uint32_t value) { return std::to_string(value) + "u"; }

  Expression constant(uint32_t value) {
    return {str(value), [value](const Block&, uint32_t) { return value; }};
  }

  /// The same for all threads of the level; of anything if it is Level::thread.
  Expression leaf(Level level) {
    if (level == Level::thread && chance(60)) {
      const int i = pick(n_variables);
      return {"v" + std::to_string(i), [i](const Block& b, uint32_t t) { return b.v[i][t]; }};
    }
    if (level == Level::thread && chance(30)) {
      if (chance(50)) return {"t", [](const Block&, uint32_t t) { return t; }};
      return {"lane", [](const Block&, uint32_t t) { return t & 31; }};
    }
    if (level == Level::warp && chance(50)) {
      if (shape_.y * shape_.z == 1)
        return {"(threadIdx.x >> 5)", [](const Block&, uint32_t t) { return t >> 5; }};
      return {"(t >> 5)", [](const Block&, uint32_t t) { return t >> 5; }};
    }
    switch (pick(4)) {
      case 0: return {"a", [](const Block& b, uint32_t) { return b.argument; }};
      case 1: return {"blockIdx.x", [](const Block& b, uint32_t) { return b.number; }};
      case 2: {
        const int i = pick(n_uniform);
        return {"u" + std::to_string(i), [i](const Block& b, uint32_t t) { return b.u[i][t]; }};
      }
      default: return constant(static_cast<uint32_t>(pick(40)));
    }
  }

  Expression expression(Level level, int depth = 2) {
    if (depth == 0 || chance(25)) return leaf(level);
    Expression a = expression(level, depth - 1), b = expression(level, depth - 1);
    const char* names[] = {"+", "-", "*", "^", "&", "|", ">>"};
    const int op = pick(7);
    auto left = a.value, right = b.value;
    std::string text = "(" + a.text + " " + names[op] + " " + b.text + ")";
    if (op == 6) text = "(" + a.text + " >> (" + b.text + " & 15u))";
    return {text, [=](const Block& block, uint32_t t) -> uint32_t {
              const uint32_t x = left(block, t), y = right(block, t);
              switch (op) {
                case 0: return x + y;
                case 1: return x - y;
                case 2: return x * y;
                case 3: return x ^ y;
                case 4: return x & y;
                case 5: return x | y;
                default: return x >> (y & 15);
              }
            }};
  }

  Expression condition(Level level) {
    if (level == Level::warp && shape_.y * shape_.z == 1 && chance(40)) {
      const uint32_t limit = 32u * (1 + pick(3));
      return {"threadIdx.x < " + str(limit),
              [limit](const Block&, uint32_t t) -> uint32_t { return t < limit; }};
    }
    Expression e = expression(level, 1);
    auto value = e.value;
    const uint32_t modulus = 2 + pick(5), below = 1 + pick(static_cast<int>(modulus));
    return {e.text + " % " + str(modulus) + " < " + str(below),
            [=](const Block& b, uint32_t t) -> uint32_t { return value(b, t) % modulus < below; }};
  }

  Statement assign(Level level) {
    if (level == Level::block && chance(30)) {
      const int i = pick(n_uniform);
      Expression e = expression(Level::block);
      auto value = e.value;
      return {"u" + std::to_string(i) + " = " + e.text + ";\n", [=](Block& b, Mask& mask) {
                for (uint32_t t = 0; t < b.size(); ++t)
                  if (mask[t]) b.u[i][t] = value(b, t);
              }};
    }
    const int i = pick(n_variables);
    Expression e = expression(Level::thread);
    auto value = e.value;
    if (chance(20)) {
      Expression where = expression(Level::thread, 1);
      auto index = where.value;
      return {"loc[(" + where.text + ") & 3u] = " + e.text + ";\nv" + std::to_string(i) +
                  " += loc[v0 & 3u];\n",
              [=](Block& b, Mask& mask) {
                for (uint32_t t = 0; t < b.size(); ++t)
                  if (mask[t]) {
                    const uint32_t stored = value(b, t);
                    b.local[index(b, t) & 3][t] = stored;
                    b.v[i][t] += b.local[b.v[0][t] & 3][t];
                  }
              }};
    }
    return {"v" + std::to_string(i) + " = " + e.text + ";\n", [=](Block& b, Mask& mask) {
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t]) b.v[i][t] = value(b, t);
            }};
  }

  Statement share() {
    const int i = pick(n_variables);
    const uint32_t shift = 1 + pick(70);
    Expression e = expression(Level::thread);
    auto value = e.value;
    const std::string n = str(shape_.threads());
    std::string text = "s[t] = " + e.text + ";\n__syncthreads();\nv" + std::to_string(i) +
                       " = s[(t + " + str(shift) + ") % " + n + "];\n__syncthreads();\n";
    return {text, [=](Block& b, Mask& mask) {
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t]) b.shared[t] = value(b, t);
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t]) b.v[i][t] = b.shared[(t + shift) % b.size()];
            }};
  }

  Statement vote_of_block() {
    const int i = pick(n_variables), kind = pick(3);
    const char* names[] = {"count", "and", "or"};
    Expression e = condition(Level::thread);
    auto value = e.value;
    return {"v" + std::to_string(i) + " += __syncthreads_" + names[kind] + "(" + e.text + ");\n",
            [=](Block& b, Mask& mask) {
              uint32_t yes = 0, no = 0;
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t]) (value(b, t) ? yes : no) += 1;
              const uint32_t result = kind == 0 ? yes : kind == 1 ? no == 0 : yes != 0;
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t]) b.v[i][t] += result;
            }};
  }

  static uint32_t lanes(const Block& b, const Mask& mask, uint32_t t) {
    uint32_t bits = 0;
    for (uint32_t other = t & ~31u; other < std::min((t & ~31u) + 32, b.size()); ++other)
      bits |= uint32_t(mask[other] != 0) << (other & 31);
    return bits;
  }

  Statement vote_of_warp(const std::string& m) {
    const int i = pick(n_variables), kind = pick(4);
    Expression e = condition(Level::thread);
    auto value = e.value;
    const std::string v = "v" + std::to_string(i);
    const char* names[] = {"__ballot_sync", "__any_sync", "__all_sync", "__match_any_sync"};
    const std::string what = kind == 3 ? "(" + e.text + ") ? 5u : 9u" : e.text;
    return {v + " += " + names[kind] + "(" + m + ", " + what + ");\n", [=](Block& b, Mask& mask) {
              std::vector<uint32_t> result(b.size());
              for (uint32_t t = 0; t < b.size(); ++t) {
                if (!mask[t]) continue;
                uint32_t yes = 0, no = 0;
                for (uint32_t o = t & ~31u; o < std::min((t & ~31u) + 32, b.size()); ++o)
                  if (mask[o]) (value(b, o) ? yes : no) |= 1u << (o & 31);
                result[t] = kind == 0   ? yes
                            : kind == 1 ? yes != 0
                            : kind == 2 ? no == 0
                            : value(b, t) ? yes
                                          : no;
              }
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t]) b.v[i][t] += result[t];
            }};
  }

  Statement shuffle(const std::string& m) {
    const int i = pick(n_variables), kind = pick(4);
    const uint32_t width = 1u << (chance(60) ? 5 : pick(6));
    const bool varies = chance(25);
    Expression amount = varies ? expression(Level::thread, 1) : constant(pick(33));
    Expression e = expression(Level::thread);
    auto by = amount.value, value = e.value;
    const char* names[] = {"", "_up", "_down", "_xor"};
    const std::string v = "v" + std::to_string(i), w = str(width);
    const auto source = [=](uint32_t lane, uint32_t d) -> uint32_t {
      const uint32_t inside = width - 1, at = lane & inside;
      switch (kind) {
        case 0: return (lane & ~inside) | (d & inside);
        case 1: return at >= d ? lane - d : lane;
        case 2: return at + d < width ? lane + d : lane;
        default: return (lane ^ d) <= (lane | inside) ? lane ^ d : lane;
      }
    };
    const std::string d = "(" + amount.text + ") % 33u";
    const std::string sources[] = {
        "(lane & ~(" + w + " - 1u)) | (d & (" + w + " - 1u))",
        "(lane & (" + w + " - 1u)) >= d ? lane - d : lane",
        "(lane & (" + w + " - 1u)) + d < " + w + " ? lane + d : lane",
        "(lane ^ d) <= (lane | (" + w + " - 1u)) ? lane ^ d : lane"};
    const std::string from = kind == 3 ? "d &= 31u; " : "";
    std::string text = "{ unsigned d = " + d + "; " + from + "unsigned x = " + e.text +
                       "; unsigned y = __shfl" + names[kind] + "_sync(" + m + ", x, d, " +
                       std::to_string(width) + "); unsigned from = " + sources[kind] +
                       "; unsigned there = __ballot_sync(" + m + ", 1); " + v +
                       " = there >> from & 1u ? y : 77u; }\n";
    return {text, [=](Block& b, Mask& mask) {
              std::vector<uint32_t> result(b.size());
              for (uint32_t t = 0; t < b.size(); ++t) {
                if (!mask[t]) continue;
                uint32_t distance = by(b, t) % 33;
                if (kind == 3) distance &= 31;
                const uint32_t lane = source(t & 31, distance), o = (t & ~31u) + lane;
                const bool is_there = lane < 32 && o < b.size() && mask[o];
                result[t] = is_there ? value(b, o) : 77;
              }
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t]) b.v[i][t] = result[t];
            }};
  }

  Statement leave(const std::string& m, Level level) {
    Expression e = condition(level == Level::block && chance(50) ? Level::warp : Level::thread);
    auto value = e.value;
    std::string text = "{ const bool c = " + e.text + "; " + m + " = __ballot_sync(" + m +
                       ", !c); if (c) { FINISH return; } }\n";
    may_have_left_ = true;
    return {text, [=](Block& b, Mask& mask) {
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t] && value(b, t)) mask[t] = 0, b.returned[t] = 1;
            }};
  }

  /// A loop that strides by the block or the warp, over more or less than all threads' indices, as
  /// signed or unsigned numbers; what it carries may differ between the loop and past it.
  Statement stride() {
    const int i = pick(n_variables), j = pick(n_variables), form = pick(5);
    const bool is_signed = chance(50), starts_below = chance(25), is_bottom_tested = chance(30);
    const bool by_lane = chance(40);
    const uint32_t n = static_cast<uint32_t>(pick(300));
    const uint32_t step = (by_lane ? 32 : shape_.x) * (1 + pick(2));
    const uint32_t start = static_cast<uint32_t>(pick(40));
    Expression e = expression(Level::thread, 1), stop = condition(Level::thread);
    auto value = e.value, stops = stop.value;
    const std::string type = is_signed ? "int" : "unsigned", v = "v" + std::to_string(i),
                      w = "v" + std::to_string(j), limit = std::to_string(n) + (is_signed ? "" : "u");
    const std::string first =
        "(" + type + ")" + (by_lane ? "lane " : "threadIdx.x ") + (starts_below ? "- " : "+ ") + std::to_string(start);
    std::string body;
    switch (form) {
      case 0: body = v + " += i * 3 + " + e.text + "; "; break;
      case 1: body = v + " = 11u; " + w + " ^= i; "; break;
      case 2: body = "if (" + stop.text + ") continue; " + v + " += " + e.text + "; "; break;
      case 3: body = v + " += i; if (" + stop.text + ") break; "; break;
      default:
        body = "for (unsigned k = 0; k < (unsigned)i % 3u; ++k) " + v + " = " + v + " * 5u + k; ";
    }
    const std::string head = "(" + type + " i = " + first + "; i < " + limit + " + (" + type +
                             ")(a & 1u); i += " + std::to_string(step) + ")";
    std::string text = "for " + head + " { " + body + "}\n";
    if (is_bottom_tested)
      text = "{ unsigned r = 4242u; " + type + " i = " + first + "; if (i < " + limit + " + (" + type +
             ")(a & 1u)) { unsigned z = 1u; do { z += i; i += " + std::to_string(step) +
             "; } while (i < " + limit + " + (" + type + ")(a & 1u)); r = z; } " + v + " ^= r; }\n";
    return {text, [=, x = shape_.x](Block& b, Mask& mask) {
              const uint32_t bound = n + (b.argument & 1);
              const auto goes_on = [=](uint32_t at) {
                return is_signed ? static_cast<int32_t>(at) < static_cast<int32_t>(bound)
                                 : at < bound;
              };
              for (uint32_t t = 0; t < b.size(); ++t) {
                if (!mask[t]) continue;
                const uint32_t own = by_lane ? t & 31 : t % x;
                uint32_t at = starts_below ? own - start : own + start;
                if (is_bottom_tested) {
                  uint32_t r = 4242;
                  if (goes_on(at)) {
                    r = 1;
                    do r += at, at += step;
                    while (goes_on(at));
                  }
                  b.v[i][t] ^= r;
                  continue;
                }
                for (; goes_on(at); at += step) {
                  uint32_t& v = b.v[i][t];
                  if (form == 0) {
                    v += at * 3 + value(b, t);
                  } else if (form == 1) {
                    v = 11;
                    b.v[j][t] ^= at;
                  } else if (form == 2) {
                    if (!stops(b, t)) v += value(b, t);
                  } else if (form == 3) {
                    v += at;
                    if (stops(b, t)) break;
                  } else {
                    for (uint32_t k = 0; k < at % 3; ++k) v = v * 5 + k;
                  }
                }
              }
            }};
  }

  /// Something for a range of threads only, whose limits may lie on either side of zero.
  Statement range() {
    const int i = pick(n_variables);
    const uint32_t below = static_cast<uint32_t>(pick(40)), n = static_cast<uint32_t>(pick(70));
    Expression e = expression(Level::thread, 1);
    auto value = e.value;
    const std::string v = "v" + std::to_string(i);
    return {"if (threadIdx.x - " + str(below) + " < " + str(n) + " + (a & 3u)) " + v + " = " + e.text +
                ";\n",
            [=, x = shape_.x](Block& b, Mask& mask) {
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t] && t % x - below < n + (b.argument & 3)) b.v[i][t] = value(b, t);
            }};
  }

  /// Counts by atomics on shared memory, which needs barriers around it.
  Statement count() {
    const int i = pick(n_variables), kind = pick(3);
    Expression e = expression(Level::thread);
    auto value = e.value;
    const std::string n = str(shape_.threads());
    const char* names[] = {"atomicAdd", "atomicMax", "atomicXor"};
    return {"s[t] = t;\n__syncthreads();\n" + std::string(names[kind]) + "(&s[(" + e.text +
                ") % (1u + " + n + " / 3u)], t * 9u + 1u);\n__syncthreads();\nv" +
                std::to_string(i) + " = s[t];\n__syncthreads();\n",
            [=](Block& b, Mask& mask) {
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t]) b.shared[t] = t;
              for (uint32_t t = 0; t < b.size(); ++t) {
                if (!mask[t]) continue;
                uint32_t& at = b.shared[value(b, t) % (1 + b.size() / 3)];
                const uint32_t with = t * 9 + 1;
                at = kind == 0 ? at + with : kind == 1 ? std::max(at, with) : at ^ with;
              }
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t]) b.v[i][t] = b.shared[t];
            }};
  }

  Level pick_level(Level outer) {
    const int n = 2 - static_cast<int>(outer);
    return static_cast<Level>(static_cast<int>(outer) + (n ? pick(n + 1) : 0));
  }

  Statement branch(Level outer, int depth) {
    const Level level = pick_level(outer);
    Expression e = condition(level);
    auto value = e.value;
    const bool has_else = chance(50);
    const bool left_before = may_have_left_;
    may_have_left_ = false;
    Statement yes = sequence(level, depth + 1, 1 + pick(3));
    Statement no = has_else ? sequence(level, depth + 1, 1 + pick(3)) : Statement{"", {}};
    const bool left_inside = may_have_left_;
    may_have_left_ |= left_before;
    std::string text = "{ const bool c = " + e.text + "; const unsigned yes = __ballot_sync(m, c);\n";
    text += "const unsigned all = m; (void)all;\nif (c) { unsigned m = yes;\n" + yes.text + "}";
    text += has_else ? " else { unsigned m = all & ~yes;\n" + no.text + "}\n}\n" : "\n}\n";
    if (left_inside) text += "m = __ballot_sync(m, 1);\n";
    auto run_yes = yes.run, run_no = no.run;
    return {text, [=](Block& b, Mask& mask) {
              Mask first(b.size()), second(b.size());
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t]) (value(b, t) ? first : second)[t] = 1;
              run_yes(b, first);
              if (run_no) run_no(b, second);
              for (uint32_t t = 0; t < b.size(); ++t) mask[t] = first[t] | second[t];
            }};
  }

  Statement loop(Level outer, int depth) {
    const Level level = pick_level(outer);
    Expression e = expression(level, 1);
    auto value = e.value;
    const uint32_t limit = 2 + pick(4);
    const int i = pick(n_variables);
    const std::string k = "k" + std::to_string(depth);
    const bool breaks = chance(30);
    Expression stop = condition(level);
    auto stops = stop.value;
    const bool left_before = may_have_left_;
    may_have_left_ = false;
    Statement body = sequence(level, depth + 1, 1 + pick(3));
    const bool left_inside = may_have_left_;
    may_have_left_ |= left_before;
    std::string text = "{ unsigned " + k + " = 0, w = m; const unsigned n = (" + e.text + ") % " +
                       str(limit) + ";\nwhile (true) { unsigned m = __ballot_sync(w, " + k +
                       " < n); if (!(" + k + " < n)) break;\n" + body.text;
    if (breaks)
      text += "{ const bool c = " + stop.text + "; m = __ballot_sync(m, !c); if (c) break; }\n";
    text += "w = m; " + k + "++; }\nv" + std::to_string(i) + " += " + k + "; }\n";
    if (left_inside) text += "m = __ballot_sync(m, 1);\n";
    auto run = body.run;
    const bool after_left = left_inside;
    (void)after_left;
    return {text, [=](Block& b, Mask& mask) {
              std::vector<uint32_t> n(b.size()), k(b.size());
              for (uint32_t t = 0; t < b.size(); ++t)
                if (mask[t]) n[t] = value(b, t) % limit;
              Mask in = mask, out(b.size());
              while (true) {
                bool any = false;
                for (uint32_t t = 0; t < b.size(); ++t)
                  if (in[t]) {
                    if (k[t] < n[t]) any = true;
                    else in[t] = 0, out[t] = 1;
                  }
                if (!any) break;
                run(b, in);
                for (uint32_t t = 0; t < b.size(); ++t)
                  if (in[t]) {
                    if (breaks && stops(b, t)) in[t] = 0, out[t] = 1;
                    else ++k[t];
                  }
              }
              for (uint32_t t = 0; t < b.size(); ++t) {
                mask[t] = out[t];
                if (mask[t]) b.v[i][t] += k[t];
              }
            }};
  }

  Statement statement(Level level, int depth) {
    if (depth < 3 && chance(45)) return chance(60) ? branch(level, depth) : loop(level, depth);
    if (chance(5)) return leave("m", level);
    if (level == Level::block && chance(40))
      return chance(60) ? share() : chance(50) ? count() : vote_of_block();
    if (chance(level == Level::block ? 35 : 10)) return chance(70) ? stride() : range();
    if (chance(45)) return chance(65) ? shuffle("m") : vote_of_warp("m");
    if (level != Level::thread && chance(10)) return {"__syncwarp();\n", [](Block&, Mask&) {}};
    return assign(level);
  }

  Statement sequence(Level level, int depth, int length) {
    std::vector<Statement> all;
    std::string text;
    for (int i = 0; i < length; ++i) {
      all.push_back(statement(level, depth));
      text += all.back().text;
    }
    return {text, [all](Block& b, Mask& mask) {
              for (const Statement& each : all) each.run(b, mask);
            }};
  }

  std::mt19937 random_;
  Shape shape_;
  bool full_mask_ = false;
  bool may_have_left_ = false;
};

inline Shape shape_for(uint32_t seed) {
  const Shape shapes[] = {{32, 1, 1}, {64, 1, 1}, {33, 1, 1}, {128, 1, 1}, {7, 1, 1}, {16, 8, 1},
                          {8, 4, 3},  {96, 1, 1}, {32, 3, 1}, {100, 1, 1}, {1, 1, 1}, {64, 2, 1}};
  return shapes[seed % (sizeof shapes / sizeof *shapes)];
}

/// What `blocks` blocks write to `out`.
inline std::vector<uint32_t> expected(const Generator::Kernel& kernel, Shape shape, uint32_t blocks,
                                      uint32_t argument) {
  std::vector<uint32_t> out;
  for (uint32_t number = 0; number < blocks; ++number) {
    Block block;
    block.shape = shape;
    block.number = number;
    block.argument = argument;
    kernel.run(block);
    for (uint32_t t = 0; t < block.size(); ++t)
      for (int i = 0; i < n_variables; ++i) out.push_back(block.v[i][t]);
  }
  return out;
}

}  // namespace random_kernel
