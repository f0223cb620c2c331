#include "kasoku/compile/clang/ptx.h"

#include <llvm/Support/MathExtras.h>

namespace kasoku::embedded::ptx {

namespace {

/// The number behind a letter: 16 of k in m8n8k16.
unsigned extent(StringRef shape, char letter) {
  unsigned n = 0;
  shape = shape.drop_until([&](char c) { return c == letter; }).drop_front();
  shape.take_while([](char c) { return isDigit(c); }).getAsInteger(10, n);
  return n;
}

/// What a matrix of mma holds.
constexpr std::pair<const char*, unsigned> element_bits[] = {
    {"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"s8", 8}, {"u8", 8}, {"f32", 32}, {"s32", 32}, {"f64", 64}};

}  // namespace

Value* Lower::from_lane(Value* value, Value* lane) {
  const bool is_wide = value->getType()->isIntegerTy(64);
  return runtime(is_wide ? "ks_shfl_idx_i64" : "ks_shfl_idx_i32", value->getType(),
                 {build_.getInt32(~0u), value, lane, build_.getInt32(32)});
}

/// Every lane of the mask takes part, so the instruction cannot hang on a lane's own condition.
bool Lower::is_warp_wide(const Instruction& i) { return i.guard.empty() && has(i, "sync"); }

/// shfl.sync.up.b32 d|p, a, distance, bounds, mask: p says whether another lane was read.
void Lower::shuffle(const Instruction& i) {
  if (!is_warp_wide(i) || i.operands.size() != 5) throw Unknown{i.text.str()};
  const PtxType word{'u', 32};
  Value* distance = read(i.operands[2], word);
  // The bounds have the segments' mask above and the last lane below.
  auto* bounds = dyn_cast<ConstantInt>(read(i.operands[3], word));
  if (!bounds) throw Unknown{i.text.str()};
  const unsigned width = 32 - (bounds->getZExtValue() >> 8 & 31), last = bounds->getZExtValue() & 31;
  if (!isPowerOf2_32(width) || last != (has(i, "up") ? 0u : 31u)) throw Unknown{i.text.str()};
  const char* kind = has(i, "up") ? "up" : has(i, "down") ? "down" : has(i, "bfly") ? "xor" : "idx";
  Value* result = runtime((Twine("ks_shfl_") + kind + "_i32").str().c_str(), build_.getInt32Ty(),
                          {read(i.operands[4], word), read(i.operands[1], word), distance, build_.getInt32(width)});
  const auto [target, predicate] = i.operands[0].split('|');
  if (!predicate.empty()) {
    Value* here = build_.CreateAnd(lane(), width - 1);
    Value* inside = build_.getTrue();
    if (has(i, "up")) inside = build_.CreateICmpUGE(here, distance);
    else if (has(i, "down")) inside = build_.CreateICmpULT(build_.CreateAdd(here, distance), build_.getInt32(width));
    else if (has(i, "bfly")) inside = build_.CreateICmpULT(build_.CreateXor(here, distance), build_.getInt32(width));
    write(predicate, inside, i);
  }
  write(target, result, i);
}

/// elect.sync d|p, mask: the first lane that the mask names, and whether it is this one.
void Lower::elect(const Instruction& i) {
  if (!is_warp_wide(i) || i.operands.size() != 2) throw Unknown{i.text.str()};
  const auto [target, is_it] = i.operands[0].split('|');
  Value* first = build_.CreateBinaryIntrinsic(Intrinsic::cttz, read(i.operands[1], {'u', 32}), build_.getFalse());
  if (is_it.empty()) throw Unknown{i.text.str()};
  write(is_it, build_.CreateICmpEQ(lane(), first), i);
  if (target != "_") write(target, first, i);
}

/// match.all.sync.b32 d|p, a, mask: the mask, and true, where all have one value; else 0.
void Lower::match_all(const Instruction& i, PtxType type) {
  if (!is_warp_wide(i) || i.operands.size() != 3) throw Unknown{i.text.str()};
  const auto [target, are_alike] = i.operands[0].split('|');
  Value* found = runtime(type.bits == 64 ? "ks_match_all_i64" : "ks_match_all_i32", build_.getInt32Ty(),
                         {read(i.operands[2], {'u', 32}), operand(i, 1, type)});
  if (!are_alike.empty()) write(are_alike, build_.CreateICmpNE(found, build_.getInt32(0)), i);
  write(target, found, i);
}

Value* Lower::vote(const Instruction& i) {
  if (!is_warp_wide(i) || i.operands.size() != 3) throw Unknown{i.text.str()};
  Value* mine = read_predicate(i.operands[1]);
  Value* mask = read(i.operands[2], {'u', 32});
  if (has(i, "all")) mine = build_.CreateNot(mine);
  Value* votes = runtime("ks_ballot", build_.getInt32Ty(), {mask, build_.CreateZExt(mine, build_.getInt32Ty())});
  if (has(i, "ballot")) return votes;
  if (has(i, "any")) return build_.CreateICmpNE(votes, build_.getInt32(0));
  if (has(i, "all")) return build_.CreateICmpEQ(votes, build_.getInt32(0));
  throw Unknown{i.text.str()};
}

/// redux.sync.add.u32 d, a, mask.
Value* Lower::reduce(const Instruction& i, PtxType type) {
  if (!is_warp_wide(i) || i.operands.size() != 3 || type.bits != 32 || type.kind == 'f') throw Unknown{i.text.str()};
  for (const char* name : {"add", "and", "or", "xor", "min", "max"}) {
    if (!has(i, name)) continue;
    const char* sign = name[0] != 'm' ? "" : type.kind == 's' ? "s" : "u";
    return runtime((Twine("ks_reduce_") + sign + name).str().c_str(), build_.getInt32Ty(),
                   {read(i.operands[2], {'u', 32}), read(i.operands[1], type)});
  }
  throw Unknown{i.text.str()};
}

/// ldmatrix: lanes 8 j … 8 j + 7 name the rows of matrix j, whose eight rows of eight 16-bit
/// numbers go to all lanes, two neighbours to each.
void Lower::load_matrices(const Instruction& i) {
  const unsigned n = has(i, "x4") ? 4 : has(i, "x2") ? 2 : 1;
  if (!is_warp_wide(i) || !has(i, "m8n8") || !has(i, "b16") || i.operands.size() != n + 1) throw Unknown{i.text.str()};
  Value* row = build_.CreatePtrToInt(address(i.operands[n], i), build_.getInt64Ty());
  Value* group = build_.CreateLShr(lane(), 2);
  Value* pair = build_.CreateShl(build_.CreateAnd(lane(), 3), 1);
  const auto number = [&](Value* of_lane, Value* column, Type* type) {
    Value* pointer = build_.CreateIntToPtr(from_lane(row, of_lane), build_.getPtrTy());
    pointer = build_.CreateGEP(build_.getInt16Ty(), pointer, column);
    return build_.CreateAlignedLoad(type, pointer, Align(2));
  };
  SmallVector<Value*, 4> loaded;
  for (unsigned j = 0; j < n; ++j) {
    Value* first = build_.getInt32(8 * j);
    if (!has(i, "trans")) {
      loaded.push_back(number(build_.CreateAdd(first, group), pair, build_.getInt32Ty()));
      continue;
    }
    Value* above = build_.CreateAdd(first, pair);
    Value* low = number(above, group, build_.getInt16Ty());
    Value* high = number(build_.CreateAdd(above, build_.getInt32(1)), group, build_.getInt16Ty());
    loaded.push_back(build_.CreateOr(build_.CreateZExt(low, build_.getInt32Ty()),
                                     build_.CreateShl(build_.CreateZExt(high, build_.getInt32Ty()), 16)));
  }
  for (unsigned j = 0; j < n; ++j) write(i.operands[j], loaded[j], i);
}

/// mma.sync: D = A B + C. Lane 4 g + t holds, of A and B, rows or columns g with p neighbours at
/// a time, p of them in a word; of C and D row g, columns 2 t and 2 t + 1, and the same 8 rows below.
void Lower::multiply_matrices(const Instruction& given) {
  Instruction i = given;
  const bool saturates = has(i, "satfinite");
  if (saturates) erase(i.words, "satfinite");
  if (!is_warp_wide(i) || i.words.size() < 10 || i.words[4] != "row" || i.words[5] != "col" || (saturates && i.words[6] != "s32"))
    throw Unknown{i.text.str()};
  const unsigned m = extent(i.words[3], 'm'), n = extent(i.words[3], 'n'), k = extent(i.words[3], 'k');
  unsigned bits[4] = {};
  for (unsigned matrix = 0; matrix < 4; ++matrix)
    for (const auto& [name, width] : element_bits)
      if (i.words[6 + matrix] == name) bits[matrix] = width;
  const bool is_wide = bits[1] == 64;
  const unsigned p = is_wide ? 1 : bits[1] ? 32 / bits[1] : 0;
  const bool is_known = p && bits[0] == bits[3] && bits[1] == bits[2] && n == 8 && (m == 8 || m == 16) && k % (4 * p) == 0 &&
                        k && i.words.size() == 10 && (bits[0] >= 32 || i.words[6] == "f16") &&
                        (m == 16 || bits[1] == 8 || is_wide);
  if (!is_known) throw Unknown{i.text.str()};
  const unsigned halves = m / 8, steps = k / (4 * p);
  const bool is_packed = bits[0] == 16, is_integer = i.words[6] == "s32";
  const unsigned results = is_packed ? halves : 2 * halves, in_a = halves * steps;
  if (i.operands.size() != 2 * results + in_a + steps) throw Unknown{i.text.str()};

  const PtxType word{'u', is_wide ? 64u : 32u};
  Type* sum_type = is_integer ? build_.getInt32Ty() : is_wide ? build_.getDoubleTy() : build_.getFloatTy();
  const auto element = [&](Value* held, unsigned e, StringRef kind) -> Value* {
    if (kind == "f64") return build_.CreateBitCast(held, sum_type);
    if (kind == "tf32") return build_.CreateBitCast(build_.CreateAnd(held, 0xffffe000u), sum_type);
    Value* part = build_.CreateLShr(held, e * bits[1]);
    if (kind == "bf16") return build_.CreateBitCast(build_.CreateShl(part, 16), sum_type);
    part = build_.CreateTrunc(part, build_.getIntNTy(bits[1]));
    if (kind == "f16") return build_.CreateFPExt(build_.CreateBitCast(part, build_.getHalfTy()), sum_type);
    return build_.CreateIntCast(part, sum_type, /*isSigned=*/kind == "s8");
  };
  Value* group = build_.CreateAnd(lane(), 28);                              // lane 4 g
  Value* column = build_.CreateShl(build_.CreateAnd(lane(), 3), 3);         // lane 4 (2 t)
  SmallVector<Value*, 4> sums;
  for (unsigned r = 0; r < 2 * halves; ++r) {
    StringRef from = i.operands[results + in_a + steps + (is_packed ? r / 2 : r)];
    if (is_packed) {
      Value* half = build_.CreateTrunc(build_.CreateLShr(read(from, word), 16 * (r % 2)), build_.getInt16Ty());
      sums.push_back(build_.CreateFPExt(build_.CreateBitCast(half, build_.getHalfTy()), sum_type));
    } else {
      // What is cut where it is added to C is a sum of products, of which no number of steps is too large.
      sums.push_back(saturates ? build_.getInt32(0) : read(from, is_integer ? PtxType{'s', 32} : PtxType{'f', bits[0]}));
    }
  }
  for (unsigned step = 0; step < steps; ++step)
    for (unsigned t = 0; t < 4; ++t) {
      Value *of_a[2] = {}, *of_b[2] = {};
      for (unsigned half = 0; half < halves; ++half)
        of_a[half] = from_lane(read(i.operands[results + half + step * halves], word), build_.CreateAdd(group, build_.getInt32(t)));
      for (unsigned c = 0; c < 2; ++c)
        of_b[c] = from_lane(read(i.operands[results + in_a + step], word), build_.CreateAdd(column, build_.getInt32(4 * c + t)));
      for (unsigned e = 0; e < p; ++e)
        for (unsigned half = 0; half < halves; ++half)
          for (unsigned c = 0; c < 2; ++c) {
            Value* a = element(of_a[half], e, i.words[7]);
            Value* b = element(of_b[c], e, i.words[8]);
            Value*& sum = sums[2 * half + c];
            sum = is_integer ? build_.CreateAdd(sum, build_.CreateMul(a, b))
                             : build_.CreateIntrinsic(Intrinsic::fma, {sum_type}, {a, b, sum});
          }
    }
  for (unsigned r = 0; r < results; ++r) {
    if (!is_packed) {
      if (saturates)
        sums[r] = build_.CreateBinaryIntrinsic(Intrinsic::sadd_sat, sums[r], read(i.operands[results + in_a + steps + r], {'s', 32}));
      write(i.operands[r], sums[r], i);
      continue;
    }
    Value* both = build_.getInt32(0);
    for (unsigned c = 0; c < 2; ++c) {
      Value* half = build_.CreateBitCast(build_.CreateFPTrunc(sums[2 * r + c], build_.getHalfTy()), build_.getInt16Ty());
      both = build_.CreateOr(both, build_.CreateShl(build_.CreateZExt(half, build_.getInt32Ty()), 16 * c));
    }
    write(i.operands[r], both, i);
  }
}

}  // namespace kasoku::embedded::ptx
