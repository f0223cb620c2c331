#include "kasoku/compile/clang/ptx.h"

namespace kasoku::embedded::ptx {

void Lower::one(const Instruction& i) {
  if (i.words.empty()) return;
  if (has(i, "L2::cache_hint") && !i.operands.empty()) {  // the last operand only says what the cache is to keep
    Instruction without = i;
    erase(without.words, "L2::cache_hint");
    without.operands.pop_back();
    return one(without);
  }
  const StringRef name = i.words[0];
  PtxType type;
  for (StringRef word : drop_begin(i.words)) parse_type(word, type);
  if (i.text.starts_with(".reg") || name == "prefetch" || name == "prefetchu" || name == "pragma" || name == "discard" ||
      name == "applypriority" || name == "griddepcontrol" || name == "setmaxnreg" || name == "pmevent")
    return;
  // Of this type only conversions and products of matrices are known; it must not be taken for whole numbers.
  if (name != "cvt" && name != "mma" && any_of(i.words, [](StringRef word) { return word.starts_with("bf16"); }))
    throw Unknown{i.text.str()};
  if (name == "bar" || name == "barrier") {
    const auto word = [&](unsigned k) { return read(i.operands[k], {'u', 32}); };
    const bool arrives = has(i, "arrive");
    if (has(i, "red")) return reduce_at_barrier(i);
    if (has(i, "cluster") || i.operands.empty() || (arrives && i.operands.size() != 2)) throw Unknown{i.text.str()};
    if (has(i, "warp")) runtime("ks_warp_barrier", build_.getVoidTy(), {word(0)});
    else if (i.operands.size() == 1) runtime("ks_barrier", build_.getVoidTy());
    else runtime(arrives ? "ks_part_arrive" : "ks_part_barrier", build_.getVoidTy(), {word(0), word(1)});
    return;
  }
  if (name == "membar" || name == "fence") {
    build_.CreateFence(AtomicOrdering::SequentiallyConsistent);
    return;
  }
  if (name == "trap") return (void)runtime("ks_rt_trap", build_.getVoidTy());
  if (name == "nanosleep" || name == "brkpt") return;
  if (name == "st") return store(i, type);
  if (name == "ld" || name == "ldu") return load(i, type);
  if (name == "cp" && has(i, "async")) return copy(i);
  if (name == "red") return (void)atomic(i, type, /*has_result=*/false);
  if (name == "mov" && move_parts(i, type)) return;
  if (name == "shfl") return shuffle(i);
  if (name == "elect") return elect(i);
  if (name == "match" && has(i, "all")) return match_all(i, type);
  if (name == "createpolicy" && !i.operands.empty()) return write(i.operands[0], build_.getInt64(0), i);
  if (name == "ldmatrix") return load_matrices(i);
  if (name == "mma") return multiply_matrices(i);
  if (i.operands.size() < 2 && name != "activemask") throw Unknown{i.text.str()};
  const auto [target, opposite] = i.operands[0].split('|');  // setp.lt.u32 p|q, a, b
  if (!opposite.empty() && name != "setp") throw Unknown{i.text.str()};
  Value* result = value_of(i, name, type);
  if (!opposite.empty()) {
    if (i.operands.size() > 3) throw Unknown{i.text.str()};
    write(opposite, build_.CreateNot(result), i);
  }
  write(target, result, i);
}

/// bar.red.popc.u32 d, a, p and bar.red.and.pred q, a, p, of all threads of the block.
void Lower::reduce_at_barrier(const Instruction& i) {
  if (i.operands.size() != 3) throw Unknown{i.text.str()};
  StringRef mine = i.operands[2];
  const bool is_not = mine.consume_front("!");
  Value* says = read_predicate(mine);
  if (is_not) says = build_.CreateNot(says);
  const char* name = has(i, "popc") ? "ks_barrier_count" : has(i, "and") ? "ks_barrier_and" : "ks_barrier_or";
  Value* result = runtime(name, build_.getInt32Ty(), {build_.CreateZExt(says, build_.getInt32Ty())});
  write(i.operands[0], has(i, "popc") ? result : build_.CreateICmpNE(result, build_.getInt32(0)), i);
}

/// cvt.pack.sat.u16.s32 d, a, b and cvt.pack.sat.u8.s32.b32 d, a, b, c: b lies below a, c above both.
Value* Lower::pack(const Instruction& i) {
  PtxType to, from;
  if (i.words.size() < 5 || i.words[2] != "sat" || !parse_type(i.words[3], to) || i.words[4] != "s32" ||
      (to.bits != 8 && to.bits != 16) || i.operands.size() != (to.bits == 8 && i.words.size() == 6 ? 4 : 3))
    throw Unknown{i.text.str()};
  parse_type(i.words[4], from);
  const int64_t low = to.kind == 's' ? -(int64_t{1} << (to.bits - 1)) : 0, high = low + (int64_t{1} << to.bits) - 1;
  const auto part = [&](unsigned k) {
    Value* value = build_.CreateBinaryIntrinsic(Intrinsic::smax, read(i.operands[k], from), constant(from, low));
    value = build_.CreateBinaryIntrinsic(Intrinsic::smin, value, constant(from, high));
    return build_.CreateAnd(value, (uint64_t{1} << to.bits) - 1);
  };
  Value* both = build_.CreateOr(build_.CreateShl(part(1), to.bits), part(2));
  if (i.operands.size() < 4) return both;
  return build_.CreateOr(build_.CreateShl(read(i.operands[3], {'u', 32}), 2 * to.bits), both);
}

namespace {

// What PTX computes by a function of one operand that LLVM has.
struct UnaryRow {
  const char* name;
  Intrinsic::ID id;
};

constexpr UnaryRow unary_rows[] = {
    {"ex2", Intrinsic::exp2}, {"lg2", Intrinsic::log2},  {"sin", Intrinsic::sin},
    {"cos", Intrinsic::cos},  {"sqrt", Intrinsic::sqrt}, {"brev", Intrinsic::bitreverse},
};

}  // namespace

Value* Lower::operand(const Instruction& i, unsigned k, PtxType type) {
  if (k >= i.operands.size()) throw Unknown{i.text.str()};
  return read(i.operands[k], type);
}

/// A word that nobody asks for below would change what is computed without a trace.
void Lower::refuse_other_words(const Instruction& i, StringRef name) {
  static const struct {
    StringRef names, words;
  } rows[] = {
      {"add sub", "sat"},       {"mul mad", "lo hi wide sat"}, {"mul24 mad24", "lo hi"},  {"fma", "sat relu"},
      {"shf", "l r wrap clamp"}, {"bfind", "shiftamt"},         {"min max", "NaN xorsign abs"}, {"bmsk", "wrap clamp"},
      {"prmt", "f4e b4e rc8 ecl ecr rc16"},
  };
  const auto is_in = [](StringRef word, StringRef all) {
    SmallVector<StringRef> each;
    all.split(each, ' ');
    return is_contained(each, word);
  };
  for (StringRef word : drop_begin(i.words)) {
    PtxType type;
    if (parse_type(word, type) || is_in(word, "approx full ftz rn")) continue;
    if (none_of(rows, [&](const auto& row) { return is_in(name, row.names) && is_in(word, row.words); }))
      throw Unknown{i.text.str()};
  }
}

Value* Lower::value_of(const Instruction& i, StringRef name, PtxType type) {
  if (name == "atom") return atomic(i, type, /*has_result=*/true);
  if (Value* value = moved(i, name, type)) return value;
  if (Value* value = of_warp(i, name, type)) return value;
  if (has(i, "cc") || name == "addc" || name == "subc" || name == "madc") return with_carry(i, name, type);
  if (name == "dp4a") return dot_of_bytes(i);
  if (name == "dp2a") return dot_of_shorts(i);
  if (name == "vmad") return multiply_parts(i);
  for (const StringRef each : {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"})
    if (StringRef rest = name; rest.consume_front(each) && (rest.empty() || rest == "2" || rest == "4")) return of_parts(i);
  refuse_other_words(i, name);
  if (Value* value = of_bits(i, name, type)) return value;
  if (Value* value = of_one(i, name, type)) return value;
  if (name == "sad") return distance(i, type);
  if (name == "copysign") return build_.CreateBinaryIntrinsic(Intrinsic::copysign, operand(i, 2, type), operand(i, 1, type));
  if ((name == "add" || name == "sub") && has(i, "sat") && type.kind == 's')
    return build_.CreateBinaryIntrinsic(name == "add" ? Intrinsic::sadd_sat : Intrinsic::ssub_sat, operand(i, 1, type), operand(i, 2, type));
  Value* result = of_two(i, name, type);
  if (!has(i, "sat")) return result;
  if (type.kind != 'f') throw Unknown{i.text.str()};
  return from_zero_to_one(result);
}

Value* Lower::moved(const Instruction& i, StringRef name, PtxType type) {
  if (name == "cvta" && has(i, "shared")) {
    Value* origin = build_.CreatePtrToInt(shared_origin(), build_.getInt64Ty());
    if (has(i, "to")) return build_.CreateSub(read(i.operands[1], {'u', 64}), origin);
    return build_.CreateAdd(build_.CreateSExt(read(i.operands[1], {'s', 32}), build_.getInt64Ty()), origin);
  }
  if (name == "mov" || name == "cvta") return operand(i, 1, type);
  if (name == "cvt" && has(i, "pack")) return pack(i);
  if (name == "cvt" && i.words.size() >= 3) return cvt(i);
  if (name == "setp") return compare(i, type);
  if (name == "set") return set(i, type);
  if (name == "testp") return class_of(i, type);
  if (name == "selp") return build_.CreateSelect(read(i.operands[3], {'p', 1}), operand(i, 1, type), operand(i, 2, type));
  if (name != "slct") return nullptr;
  Value* chooses = read(i.operands[3], i.words.back() == "f32" ? PtxType{'f', 32} : PtxType{'s', 32});
  Value* zero = Constant::getNullValue(chooses->getType());
  Value* first = chooses->getType()->isFloatTy() ? build_.CreateFCmpOGE(chooses, zero) : build_.CreateICmpSGE(chooses, zero);
  parse_type(i.words[1], type);
  return build_.CreateSelect(first, operand(i, 1, type), operand(i, 2, type));
}

Value* Lower::of_warp(const Instruction& i, StringRef name, PtxType type) {
  if (name == "activemask") return runtime("ks_activemask", build_.getInt32Ty());
  if (name == "vote") return vote(i);
  if (name == "redux") return reduce(i, type);
  if (name != "match") return nullptr;
  if (!is_warp_wide(i) || !has(i, "any") || i.operands.size() != 3) throw Unknown{i.text.str()};
  return runtime(type.bits == 64 ? "ks_match_any_i64" : "ks_match_any_i32", build_.getInt32Ty(),
                 {read(i.operands[2], {'u', 32}), operand(i, 1, type)});
}

Value* Lower::of_bits(const Instruction& i, StringRef name, PtxType type) {
  const auto leading_zeros = [&](Value* value) {
    return build_.CreateTrunc(intrinsic(Intrinsic::ctlz, {value, build_.getFalse()}), build_.getInt32Ty());
  };
  if (name == "not") return build_.CreateNot(operand(i, 1, type));
  if (name == "cnot") return build_.CreateZExt(build_.CreateIsNull(operand(i, 1, type)), llvm_type(type));
  if (name == "popc") return build_.CreateTrunc(intrinsic(Intrinsic::ctpop, {operand(i, 1, type)}), build_.getInt32Ty());
  if (name == "clz") return leading_zeros(operand(i, 1, type));
  if (name == "bfe") return bfe(operand(i, 1, type), read(i.operands[2], {'u', 32}), read(i.operands[3], {'u', 32}), type);
  if (name == "bfi")
    return bfi(operand(i, 1, type), operand(i, 2, type), read(i.operands[3], {'u', 32}), read(i.operands[4], {'u', 32}));
  if (name == "bfind") {
    Value* value = operand(i, 1, type);
    if (type.kind == 's') value = build_.CreateXor(value, build_.CreateAShr(value, type.bits - 1));
    Value* zeros = leading_zeros(value);
    Value* place = build_.CreateSub(build_.getInt32(type.bits - 1), zeros);
    return has(i, "shiftamt") ? build_.CreateSelect(build_.CreateIsNull(value), place, zeros) : place;
  }
  if (name == "bmsk") {
    Value* at = read(i.operands[1], {'u', 32});
    Value* count = operand(i, 2, {'u', 32});
    if (has(i, "wrap")) at = build_.CreateAnd(at, 31), count = build_.CreateAnd(count, 31);
    return shift("shl", ones(count, build_.getInt32Ty()), at, {'b', 32});
  }
  if (name == "lop3") return lop3(i, type);
  if (name == "prmt") return permute(i);
  if (name != "shf") return nullptr;
  Value* low = operand(i, 1, type);
  Value* high = operand(i, 2, type);
  Value* amount = operand(i, 3, type);
  Value* moved = intrinsic(has(i, "l") ? Intrinsic::fshl : Intrinsic::fshr, {high, low, amount});
  if (!has(i, "clamp")) return moved;
  return build_.CreateSelect(build_.CreateICmpUGE(amount, build_.getInt32(32)), has(i, "l") ? low : high, moved);
}

Value* Lower::of_one(const Instruction& i, StringRef name, PtxType type) {
  const bool is_float = type.kind == 'f';
  for (const UnaryRow& row : unary_rows)
    if (name == row.name) return intrinsic(row.id, {operand(i, 1, type)});
  if (name == "neg") return is_float ? build_.CreateFNeg(operand(i, 1, type)) : build_.CreateNeg(operand(i, 1, type));
  if (name == "abs") {
    if (is_float) return intrinsic(Intrinsic::fabs, {operand(i, 1, type)});
    return intrinsic(Intrinsic::abs, {operand(i, 1, type), build_.getFalse()});
  }
  if (name == "rcp") return build_.CreateFDiv(constant(type, 1), operand(i, 1, type));
  if (name == "rsqrt") return build_.CreateFDiv(constant(type, 1), intrinsic(Intrinsic::sqrt, {operand(i, 1, type)}));
  if (name != "tanh") return nullptr;
  if (!is_float || type.bits > 32) throw Unknown{i.text.str()};
  const FunctionCallee tanhf = call_.getModule()->getOrInsertFunction("tanhf", build_.getFloatTy(), build_.getFloatTy());
  const auto of_number = [&](Value* x) {
    return build_.CreateFPCast(build_.CreateCall(tanhf, build_.CreateFPCast(x, build_.getFloatTy())), x->getType());
  };
  Value* x = operand(i, 1, type);
  if (type.lanes == 1) return of_number(x);
  for (unsigned lane = 0; lane < type.lanes; ++lane)
    x = build_.CreateInsertElement(x, of_number(build_.CreateExtractElement(x, lane)), lane);
  return x;
}

// |a - b| + c
Value* Lower::distance(const Instruction& i, PtxType type) {
  Value* a = operand(i, 1, type);
  Value* b = operand(i, 2, type);
  Value* less = type.kind == 's' ? build_.CreateICmpSLT(a, b) : build_.CreateICmpULT(a, b);
  return build_.CreateAdd(build_.CreateSelect(less, build_.CreateSub(b, a), build_.CreateSub(a, b)), operand(i, 3, type));
}

Value* Lower::of_two(const Instruction& i, StringRef name, PtxType type) {
  const bool is_float = type.kind == 'f', is_signed = type.kind == 's';
  if (name == "mul" || name == "mad" || name == "mul24" || name == "mad24") return multiply(i, name, type);
  if (name == "fma") {
    Value* result = intrinsic(Intrinsic::fma, {operand(i, 1, type), operand(i, 2, type), operand(i, 3, type)});
    Value* zero = Constant::getNullValue(result->getType());
    return has(i, "relu") ? build_.CreateSelect(build_.CreateFCmpOLT(result, zero), zero, result) : result;
  }
  if (i.operands.size() != 3) throw Unknown{i.text.str()};
  Value* a = operand(i, 1, type);
  if (name == "shl" || name == "shr") return shift(name, a, read(i.operands[2], {'u', 32}), type);
  Value* b = operand(i, 2, type);
  if (name == "add") return is_float ? build_.CreateFAdd(a, b) : build_.CreateAdd(a, b);
  if (name == "sub") return is_float ? build_.CreateFSub(a, b) : build_.CreateSub(a, b);
  if (name == "and") return build_.CreateAnd(a, b);
  if (name == "or") return build_.CreateOr(a, b);
  if (name == "xor") return build_.CreateXor(a, b);
  if (name == "div" && is_float) return build_.CreateFDiv(a, b);
  if (!is_float && (name == "div" || name == "rem")) return divide(i, name == "rem", type);
  if (name != "min" && name != "max") throw Unknown{i.text.str()};
  const bool low = name == "min";
  if (is_float) {
    const Intrinsic::ID id = has(i, "NaN") ? (low ? Intrinsic::minimum : Intrinsic::maximum) : (low ? Intrinsic::minnum : Intrinsic::maxnum);
    if (!has(i, "xorsign")) return has(i, "abs") ? throw Unknown{i.text.str()} : intrinsic(id, {a, b});
    const auto size = [&](Value* x) { return intrinsic(Intrinsic::fabs, {x}); };
    Type* bits = type.lanes > 1 ? FixedVectorType::get(build_.getInt16Ty(), type.lanes) : static_cast<Type*>(build_.getIntNTy(type.bits));
    Value* sign = build_.CreateXor(build_.CreateBitCast(a, bits), build_.CreateBitCast(b, bits));
    return build_.CreateBinaryIntrinsic(Intrinsic::copysign, intrinsic(id, {size(a), size(b)}), build_.CreateBitCast(sign, a->getType()));
  }
  if (is_signed) return intrinsic(low ? Intrinsic::smin : Intrinsic::smax, {a, b});
  return intrinsic(low ? Intrinsic::umin : Intrinsic::umax, {a, b});
}

}  // namespace kasoku::embedded::ptx
