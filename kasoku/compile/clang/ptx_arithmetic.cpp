#include "kasoku/compile/clang/ptx.h"

namespace kasoku::embedded::ptx {

/// Two or four registers in one, or one in as many.
bool Lower::move_parts(const Instruction& i, PtxType type) {
  const unsigned count = i.operands.size() - 1;
  if (count < 2) return false;
  if ((count != 2 && count != 4) || type.bits / count < 8) throw Unknown{i.text.str()};
  const PtxType part{'u', type.bits / count}, whole{'u', type.bits};
  if (i.unpacks) {
    Value* all = read(i.operands[count], whole);
    for (unsigned k = 0; k < count; ++k)
      write(i.operands[k], build_.CreateTrunc(build_.CreateLShr(all, k * part.bits), llvm_type(part)), i);
  } else {
    Value* all = Constant::getNullValue(llvm_type(whole));
    for (unsigned k = 0; k < count; ++k) {
      Value* one = build_.CreateZExt(read(i.operands[1 + k], part), llvm_type(whole));
      all = build_.CreateOr(all, build_.CreateShl(one, k * part.bits));
    }
    write(i.operands[0], all, i);
  }
  return true;
}

/// add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi…: the carry lives as long as the text.
Value* Lower::with_carry(const Instruction& i, StringRef name, PtxType type) {
  if (type.kind == 'f') throw Unknown{i.text.str()};
  const bool takes = name.consume_back("c");
  Type* narrow = build_.getIntNTy(type.bits);
  Type* wide = build_.getIntNTy(type.bits * 2);
  const PtxType word{type.kind == 's' ? 's' : 'u', type.bits};
  Value* a = read(i.operands[1], word);
  Value* b = read(i.operands[2], word);
  if (name == "mad") {
    const bool is_signed = type.kind == 's';
    Value* product = build_.CreateMul(build_.CreateIntCast(a, wide, is_signed), build_.CreateIntCast(b, wide, is_signed));
    a = build_.CreateTrunc(has(i, "hi") ? build_.CreateLShr(product, type.bits) : product, narrow);
    b = read(i.operands[3], word);
  }
  Value* carry = takes && carry_ ? build_.CreateZExt(carry_, wide) : ConstantInt::get(wide, 0);
  a = build_.CreateZExt(a, wide), b = build_.CreateZExt(b, wide);
  Value* sum = name == "sub" ? build_.CreateSub(build_.CreateSub(a, b), carry)
                             : build_.CreateAdd(build_.CreateAdd(a, b), carry);
  if (has(i, "cc")) carry_ = build_.CreateTrunc(build_.CreateLShr(sum, type.bits), build_.getInt1Ty());
  return build_.CreateTrunc(sum, narrow);
}

/// Bytes of two words by a selector of four digits, which a mode makes of two bits.
Value* Lower::permute(const Instruction& i) {
  if (i.operands.size() != 4) throw Unknown{i.text.str()};
  const PtxType word{'u', 32};
  Type* wide = build_.getInt64Ty();
  Value* both = build_.CreateOr(build_.CreateZExt(read(i.operands[1], word), wide),
                                build_.CreateShl(build_.CreateZExt(read(i.operands[2], word), wide), 32));
  Value* selector = build_.CreateZExt(read(i.operands[3], word), wide);
  static const struct {
    StringRef name;
    std::array<uint16_t, 4> selectors;
  } modes[] = {{"f4e", {0x3210, 0x4321, 0x5432, 0x6543}}, {"b4e", {0x5670, 0x6701, 0x7012, 0x0123}},
               {"rc8", {0x0000, 0x1111, 0x2222, 0x3333}}, {"ecl", {0x3210, 0x3211, 0x3222, 0x3333}},
               {"ecr", {0x0000, 0x1110, 0x2210, 0x3210}}, {"rc16", {0x1010, 0x3232, 0x1010, 0x3232}}};
  if (const auto* mode = find_if(modes, [&](const auto& each) { return has(i, each.name); }); mode != std::end(modes)) {
    Value* number = build_.CreateAnd(selector, 3);
    selector = build_.getInt64(0);
    for (unsigned k = 0; k < 4; ++k)
      selector = build_.CreateSelect(build_.CreateICmpEQ(number, build_.getInt64(k)), build_.getInt64(mode->selectors[k]), selector);
  }
  Value* result = build_.getInt64(0);
  for (unsigned k = 0; k < 4; ++k) {
    Value* digit = build_.CreateLShr(selector, 4 * k);
    Value* byte = build_.CreateAnd(build_.CreateLShr(both, build_.CreateShl(build_.CreateAnd(digit, 7), 3)), 255);
    Value* sign = build_.CreateSub(build_.getInt64(0), build_.CreateLShr(byte, 7));
    Value* copies = build_.CreateICmpNE(build_.CreateAnd(digit, 8), build_.getInt64(0));
    byte = build_.CreateAnd(build_.CreateSelect(copies, sign, byte), 255);
    result = build_.CreateOr(result, build_.CreateShl(byte, 8 * k));
  }
  return build_.CreateTrunc(result, build_.getInt32Ty());
}

/// Four products of bytes and a sum; each word has its own sign.
Value* Lower::dot_of_bytes(const Instruction& i) {
  if (i.words.size() != 3 || i.operands.size() != 4) throw Unknown{i.text.str()};
  Value* sum = read(i.operands[3], {'u', 32});
  for (unsigned k = 0; k < 4; ++k) {
    Value* part[2];
    for (unsigned side : {0u, 1u}) {
      Value* byte = build_.CreateTrunc(build_.CreateLShr(read(i.operands[side + 1], {'u', 32}), 8 * k), build_.getInt8Ty());
      part[side] = build_.CreateIntCast(byte, build_.getInt32Ty(), i.words[side + 1].starts_with("s"));
    }
    sum = build_.CreateAdd(sum, build_.CreateMul(part[0], part[1]));
  }
  return sum;
}

/// Two products of the first word's halves with two bytes of the second, the lower or the upper ones, and a sum.
Value* Lower::dot_of_shorts(const Instruction& i) {
  if (i.words.size() != 4 || i.operands.size() != 4 || (i.words[1] != "lo" && i.words[1] != "hi")) throw Unknown{i.text.str()};
  Value* sum = read(i.operands[3], {'u', 32});
  for (unsigned k = 0; k < 2; ++k) {
    Value* a = part_of(read(i.operands[1], {'u', 32}), 16 * k, 16, i.words[2].starts_with("s"));
    Value* b = part_of(read(i.operands[2], {'u', 32}), 8 * k + (i.words[1] == "hi" ? 16 : 0), 8, i.words[3].starts_with("s"));
    sum = build_.CreateAdd(sum, build_.CreateTrunc(build_.CreateMul(a, b), build_.getInt32Ty()));
  }
  return sum;
}

/// vmad.u32.s32.u32.sat.shr7 d, -a.b0, b.h1, -c: a product of parts and a sum, of which 32 bits are kept. The product has a sign
/// if one of its operands may have one or it is negated, and c has one then too; `.po` adds one more.
Value* Lower::multiply_parts(const Instruction& i) {
  PtxType to, type[2];
  if (i.words.size() < 4 || i.operands.size() != 4 || !parse_type(i.words[1], to) || !parse_type(i.words[2], type[0]) ||
      !parse_type(i.words[3], type[1]))
    throw Unknown{i.text.str()};
  bool saturates = false, adds_one = false;
  unsigned down = 0;
  for (StringRef word : drop_begin(i.words, 4)) {
    if (word == "po") adds_one = true;
    else if (word == "sat") saturates = true;
    else if (word == "shr7" || word == "shr15") down = word == "shr7" ? 7 : 15;
    else throw Unknown{i.text.str()};
  }
  Type* wide = build_.getInt128Ty();
  Value* side[2];
  bool is_negated = false;
  for (unsigned at : {0u, 1u}) {
    StringRef operand = i.operands[at + 1];
    if (operand.consume_front("-")) is_negated = !is_negated;
    side[at] = build_.CreateIntCast(chosen_part(operand, type[at], i), wide, type[at].kind == 's');
  }
  StringRef last = i.operands[3];
  const bool subtracts = last.consume_front("-");
  const bool has_sign = type[0].kind == 's' || type[1].kind == 's' || is_negated;
  if (adds_one && (is_negated || subtracts)) throw Unknown{i.text.str()};
  Value* product = build_.CreateMul(side[0], side[1]);
  if (is_negated) product = build_.CreateNeg(product);
  Value* c = build_.CreateIntCast(read(last, {'u', 32}), wide, has_sign);
  Value* sum = subtracts ? build_.CreateSub(product, c) : build_.CreateAdd(product, c);
  if (adds_one) sum = build_.CreateAdd(sum, ConstantInt::get(wide, 1));
  sum = build_.CreateAShr(sum, down);
  if (saturates) {
    const bool is_signed = has_sign || subtracts;
    const int64_t low = is_signed ? INT32_MIN : 0, high = is_signed ? INT32_MAX : UINT32_MAX;
    sum = build_.CreateBinaryIntrinsic(Intrinsic::smax, sum, ConstantInt::get(wide, low, true));
    sum = build_.CreateBinaryIntrinsic(Intrinsic::smin, sum, ConstantInt::get(wide, high, true));
  }
  return build_.CreateTrunc(sum, build_.getInt32Ty());
}

/// A word, a byte or a half of it ($1.b2, $1.h0), as 64 bits.
Value* Lower::chosen_part(StringRef operand, PtxType type, const Instruction& i) {
  unsigned first = 0, bits = 32;
  if (const auto [word, part] = operand.rsplit('.'); part.size() == 2 && (part[0] == 'b' || part[0] == 'h')) {
    bits = part[0] == 'b' ? 8 : 16;
    first = bits * (part[1] - '0');
    if (part[1] < '0' || first >= 32) throw Unknown{i.text.str()};
    operand = word;
  }
  return part_of(read(operand, {'u', 32}), first, bits, type.kind == 's');
}

Value* Lower::part_of(Value* word, unsigned first, unsigned bits, bool is_signed) {
  Value* part = build_.CreateTrunc(build_.CreateLShr(word, first), build_.getIntNTy(bits));
  return build_.CreateIntCast(part, build_.getInt64Ty(), is_signed);
}

/// Video instructions: vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vset of words, and those of two or four parts of
/// words. Types are the result's and the operands'; then may come .sat, .clamp, .wrap, and .add, .min or .max with c.
Value* Lower::of_parts(const Instruction& i) {
  StringRef name = i.words[0];
  unsigned parts = 1;
  if (name.ends_with("2") || name.ends_with("4")) {
    parts = name.back() - '0';
    name = name.drop_back();
  }
  const unsigned bits = 32 / parts;
  PtxType to{'u', 32}, type[2];
  const bool sets = name == "vset", shifts = name == "vshl" || name == "vshr";
  if (i.words.size() < 4 || i.operands.size() < 3 || (shifts && parts > 1)) throw Unknown{i.text.str()};
  unsigned next = 1;
  if (!sets) parse_type(i.words[next++], to);
  for (PtxType& each : type)
    if (!parse_type(i.words[next++], each) || each.bits != 32) throw Unknown{i.text.str()};
  bool saturates = false, wraps = false;
  StringRef comparison, second;
  for (; next < i.words.size(); ++next) {
    const StringRef word = i.words[next];
    if (word == "sat") saturates = true;
    else if (word == "wrap" || word == "clamp") wraps = word == "wrap";
    else if (word == "add" || (parts == 1 && (word == "min" || word == "max"))) second = word;
    else if (sets && comparison.empty()) comparison = word;
    else throw Unknown{i.text.str()};
  }
  if (i.operands.size() != (parts > 1 || !second.empty() ? 4 : 3)) throw Unknown{i.text.str()};
  const bool is_signed = to.kind == 's';
  const auto smaller = [&](Value* a, Value* b) { return build_.CreateBinaryIntrinsic(Intrinsic::smin, a, b); };
  const auto larger = [&](Value* a, Value* b) { return build_.CreateBinaryIntrinsic(Intrinsic::smax, a, b); };
  const auto compute = [&](Value* a, Value* b) -> Value* {
    if (name == "vadd") return build_.CreateAdd(a, b);
    if (name == "vsub") return build_.CreateSub(a, b);
    if (name == "vabsdiff") return build_.CreateSub(larger(a, b), smaller(a, b));
    if (name == "vmin") return smaller(a, b);
    if (name == "vmax") return larger(a, b);
    if (shifts) {
      Value* all = build_.getInt64(32);
      b = build_.CreateAnd(b, 0xffffffff);
      b = wraps ? build_.CreateAnd(b, 31) : build_.CreateSelect(build_.CreateICmpUGT(b, all), all, b);
      return name == "vshl" ? build_.CreateShl(a, b) : build_.CreateAShr(a, b);
    }
    const auto predicate = StringSwitch<CmpInst::Predicate>(comparison)
                               .Case("eq", CmpInst::ICMP_EQ).Case("ne", CmpInst::ICMP_NE)
                               .Case("lt", CmpInst::ICMP_SLT).Case("le", CmpInst::ICMP_SLE)
                               .Case("gt", CmpInst::ICMP_SGT).Case("ge", CmpInst::ICMP_SGE)
                               .Default(CmpInst::BAD_ICMP_PREDICATE);
    if (!sets || predicate == CmpInst::BAD_ICMP_PREDICATE) throw Unknown{i.text.str()};
    return build_.CreateZExt(build_.CreateICmp(predicate, a, b), build_.getInt64Ty());
  };
  const auto finished = [&](Value* value, bool keeps_all = false) {
    const int64_t low = is_signed ? -(int64_t{1} << (bits - 1)) : 0, high = low + (int64_t{1} << bits) - 1;
    if (saturates) value = smaller(larger(value, build_.getInt64(low)), build_.getInt64(high));
    if (keeps_all) return value;
    return build_.CreateIntCast(build_.CreateTrunc(value, build_.getIntNTy(bits)), build_.getInt64Ty(), is_signed);
  };
  if (parts == 1) {
    Value* value = finished(compute(chosen_part(i.operands[1], type[0], i), chosen_part(i.operands[2], type[1], i)));
    if (second.empty()) return build_.CreateTrunc(value, build_.getInt32Ty());
    Value* c = read(i.operands[3], {'u', 32});
    if (second == "add") return build_.CreateAdd(build_.CreateTrunc(value, build_.getInt32Ty()), c);
    c = build_.CreateIntCast(c, build_.getInt64Ty(), is_signed);
    return build_.CreateTrunc(second == "min" ? smaller(value, c) : larger(value, c), build_.getInt32Ty());
  }
  Value* sum = second == "add" ? build_.CreateZExt(read(i.operands[3], {'u', 32}), build_.getInt64Ty()) : build_.getInt64(0);
  for (unsigned k = 0; k < parts; ++k) {
    Value* side[2];
    for (unsigned at : {0u, 1u}) side[at] = part_of(read(i.operands[at + 1], {'u', 32}), bits * k, bits, type[at].kind == 's');
    Value* value = finished(compute(side[0], side[1]), second == "add");
    if (second == "add") sum = build_.CreateAdd(sum, value);
    else sum = build_.CreateOr(sum, build_.CreateShl(build_.CreateAnd(value, (uint64_t{1} << bits) - 1), bits * k));
  }
  return build_.CreateTrunc(sum, build_.getInt32Ty());
}

Value* Lower::shift(StringRef name, Value* a, Value* amount, PtxType type) {
  Value* in_range = build_.CreateICmpULT(amount, build_.getInt32(type.bits));
  Value* top = build_.getInt32(type.bits - 1);
  Value* bounded = build_.CreateZExtOrTrunc(build_.CreateSelect(in_range, amount, top), a->getType());
  if (name == "shr" && type.kind == 's') return build_.CreateAShr(a, bounded);
  Value* moved = name == "shl" ? build_.CreateShl(a, bounded) : build_.CreateLShr(a, bounded);
  return build_.CreateSelect(in_range, moved, Constant::getNullValue(a->getType()));
}

Value* Lower::ones(Value* count, Type* type) {  // `count` low bits, count <= bits
  const unsigned bits = type->getIntegerBitWidth();
  Value* wide = build_.CreateZExtOrTrunc(count, type);
  Value* some = build_.CreateSub(build_.CreateShl(ConstantInt::get(type, 1), build_.CreateAnd(wide, bits - 1)), ConstantInt::get(type, 1));
  return build_.CreateSelect(build_.CreateICmpUGE(count, build_.getInt32(bits)), Constant::getAllOnesValue(type), some);
}

Value* Lower::bfe(Value* a, Value* at, Value* count, PtxType type) {
  at = build_.CreateAnd(at, 255), count = build_.CreateAnd(count, 255);
  Value* moved = shift("shr", a, at, {type.kind, type.bits});
  Value* field = build_.CreateAnd(moved, ones(count, a->getType()));
  if (type.kind != 's') return field;
  // The sign is the field's top bit.
  Value* width = build_.getInt32(type.bits);
  Value* unused = build_.CreateSelect(build_.CreateICmpULT(count, width), build_.CreateSub(width, count), build_.getInt32(0));
  Value* nothing = build_.CreateICmpEQ(count, build_.getInt32(0));
  Value* by = build_.CreateZExtOrTrunc(build_.CreateSelect(nothing, build_.getInt32(0), unused), a->getType());
  return build_.CreateSelect(nothing, Constant::getNullValue(a->getType()), build_.CreateAShr(build_.CreateShl(field, by), by));
}

Value* Lower::bfi(Value* field, Value* into, Value* at, Value* count) {
  const PtxType type{'b', field->getType()->getIntegerBitWidth()};
  at = build_.CreateAnd(at, 255), count = build_.CreateAnd(count, 255);
  Value* mask = shift("shl", ones(count, field->getType()), at, type);
  return build_.CreateOr(build_.CreateAnd(shift("shl", field, at, type), mask), build_.CreateAnd(into, build_.CreateNot(mask)));
}

Value* Lower::lop3(const Instruction& i, PtxType type) {
  if (i.operands.size() != 5) throw Unknown{i.text.str()};
  Value* table_value = read(i.operands[4], {'u', 32});
  auto* table = dyn_cast<ConstantInt>(table_value);
  if (!table) throw Unknown{i.text.str()};
  Value* in[3] = {read(i.operands[1], type), read(i.operands[2], type), read(i.operands[3], type)};
  Value* result = Constant::getNullValue(in[0]->getType());
  for (unsigned row = 0; row < 8; ++row) {
    if (!(table->getZExtValue() >> row & 1)) continue;
    Value* term = Constant::getAllOnesValue(in[0]->getType());
    for (unsigned k = 0; k < 3; ++k)
      term = build_.CreateAnd(term, row >> (2 - k) & 1 ? in[k] : build_.CreateNot(in[k]));
    result = build_.CreateOr(result, term);
  }
  return result;
}

Value* Lower::multiply(const Instruction& i, StringRef name, PtxType type) {
  Value* a = read(i.operands[1], type);
  Value* b = read(i.operands[2], type);
  const bool adds = name.starts_with("mad");
  if (type.kind == 'f') {
    if (!adds) return build_.CreateFMul(a, b);
    return build_.CreateIntrinsic(Intrinsic::fma, {a->getType()}, {a, b, read(i.operands[3], type)});
  }
  const bool is_signed = type.kind == 's';
  if (name.ends_with("24")) {  // the low 24 bits of each
    const auto low = [&](Value* v) {
      return is_signed ? build_.CreateAShr(build_.CreateShl(v, 8), 8) : build_.CreateAnd(v, 0xffffffu);
    };
    a = low(a), b = low(b);
    if (has(i, "hi")) {  // bits 16 to 47
      Type* both = build_.getInt64Ty();
      Value* all = build_.CreateMul(build_.CreateIntCast(a, both, is_signed), build_.CreateIntCast(b, both, is_signed));
      Value* above = build_.CreateTrunc(build_.CreateLShr(all, 16), a->getType());
      return adds ? build_.CreateAdd(above, read(i.operands[3], type)) : above;
    }
  }
  Type* wide = build_.getIntNTy(type.bits * 2);
  Value* product = nullptr;
  PtxType sum = type;
  if (has(i, "lo")) {
    product = build_.CreateMul(a, b);
  } else {
    product = build_.CreateMul(build_.CreateIntCast(a, wide, is_signed), build_.CreateIntCast(b, wide, is_signed));
    if (has(i, "hi")) product = build_.CreateTrunc(build_.CreateLShr(product, type.bits), a->getType());
    else if (has(i, "wide")) sum.bits *= 2;
    else throw Unknown{i.text.str()};
  }
  return adds ? build_.CreateAdd(product, read(i.operands[3], sum)) : product;
}

/// Of floats `ltu` and the like are true of NaN too, of whole numbers `lo` is `lt` without a sign. A fourth operand is joined.
Value* Lower::compare(const Instruction& i, PtxType type) {
  if (i.words.size() < 3 || i.operands.size() < 3 || i.operands.size() > 4) throw Unknown{i.text.str()};
  struct Row {
    StringRef name;
    CmpInst::Predicate real, with_sign, without_sign;
  };
  static const Row rows[] = {
      {"eq", CmpInst::FCMP_OEQ, CmpInst::ICMP_EQ, CmpInst::ICMP_EQ},   {"ne", CmpInst::FCMP_ONE, CmpInst::ICMP_NE, CmpInst::ICMP_NE},
      {"lt", CmpInst::FCMP_OLT, CmpInst::ICMP_SLT, CmpInst::ICMP_ULT}, {"le", CmpInst::FCMP_OLE, CmpInst::ICMP_SLE, CmpInst::ICMP_ULE},
      {"gt", CmpInst::FCMP_OGT, CmpInst::ICMP_SGT, CmpInst::ICMP_UGT}, {"ge", CmpInst::FCMP_OGE, CmpInst::ICMP_SGE, CmpInst::ICMP_UGE},
      {"equ", CmpInst::FCMP_UEQ, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
      {"neu", CmpInst::FCMP_UNE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
      {"ltu", CmpInst::FCMP_ULT, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
      {"leu", CmpInst::FCMP_ULE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
      {"gtu", CmpInst::FCMP_UGT, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
      {"geu", CmpInst::FCMP_UGE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
      {"num", CmpInst::FCMP_ORD, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
      {"nan", CmpInst::FCMP_UNO, CmpInst::BAD_ICMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE},
      {"lo", CmpInst::BAD_FCMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::ICMP_ULT},
      {"ls", CmpInst::BAD_FCMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::ICMP_ULE},
      {"hi", CmpInst::BAD_FCMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::ICMP_UGT},
      {"hs", CmpInst::BAD_FCMP_PREDICATE, CmpInst::BAD_ICMP_PREDICATE, CmpInst::ICMP_UGE},
  };
  const auto* row = find_if(rows, [&](const Row& each) { return each.name == i.words[1]; });
  if (row == std::end(rows)) throw Unknown{i.text.str()};
  const CmpInst::Predicate how = type.kind == 'f' ? row->real : type.kind == 's' ? row->with_sign : row->without_sign;
  if (how == CmpInst::BAD_ICMP_PREDICATE || how == CmpInst::BAD_FCMP_PREDICATE) throw Unknown{i.text.str()};
  Value* const result = build_.CreateCmp(how, read(i.operands[1], type), read(i.operands[2], type));
  if (i.operands.size() == 3) return result;
  Value* other = read_predicate(i.operands[3]);
  if (has(i, "and")) return build_.CreateAnd(result, other);
  if (has(i, "or")) return build_.CreateOr(result, other);
  if (has(i, "xor")) return build_.CreateXor(result, other);
  throw Unknown{i.text.str()};
}

/// set.lt.u32.f32 d, a, b: all bits of a whole number, or 1 of a float, where it is true.
Value* Lower::set(const Instruction& i, PtxType type) {
  PtxType to;
  if (i.words.size() < 4 || !parse_type(i.words[i.words.size() - 2], to) || to.bits != 32) throw Unknown{i.text.str()};
  Value* result = compare(i, type);
  if (to.kind == 'f') return build_.CreateUIToFP(result, build_.getFloatTy());
  return build_.CreateSExt(result, build_.getInt32Ty());
}

/// testp.finite.f32 p, a.
Value* Lower::class_of(const Instruction& i, PtxType type) {
  const auto mask = i.words.size() != 3 || type.kind != 'f' ? fcNone
                                                            : StringSwitch<FPClassTest>(i.words[1])
                                                                  .Case("finite", fcFinite).Case("infinite", fcInf)
                                                                  .Case("number", ~fcNan).Case("notanumber", fcNan)
                                                                  .Case("normal", fcNormal).Case("subnormal", fcSubnormal)
                                                                  .Default(fcNone);
  if (mask == fcNone) throw Unknown{i.text.str()};
  return build_.createIsFPClass(operand(i, 1, type), mask);
}

/// NaN becomes 0.
Value* Lower::from_zero_to_one(Value* value) {
  const auto at = [&](double number) { return ConstantFP::get(value->getType(), number); };
  value = build_.CreateSelect(build_.CreateFCmpOGT(value, at(0)), value, at(0));
  return build_.CreateSelect(build_.CreateFCmpOGT(value, at(1)), at(1), value);
}

Value* Lower::cvt(const Instruction& i) {
  if (has(i, "tf32") || has(i, "f16x2") || has(i, "bf16") || has(i, "bf16x2")) return cvt_to_short(i);
  PtxType to, from;
  SmallVector<PtxType, 2> types;
  for (StringRef word : drop_begin(i.words)) {
    PtxType type;
    if (parse_type(word, type)) types.push_back(type);
  }
  if (types.size() != 2) throw Unknown{i.text.str()};
  to = types[0], from = types[1];
  const bool may_round = to.kind == 'f' && (from.kind != 'f' || from.bits > to.bits);
  for (StringRef word : drop_begin(i.words)) {
    PtxType type;
    const bool rounds_to_whole = word == "rni" || word == "rzi" || word == "rmi" || word == "rpi";
    if (parse_type(word, type) || word == "sat" || word == "ftz" || word == "rn" || (rounds_to_whole && from.kind == 'f')) continue;
    if (may_round || !is_contained({"rz", "rm", "rp"}, word)) throw Unknown{i.text.str()};
  }
  Value* value = read(i.operands[1], from);
  const bool is_cut = has(i, "sat");
  if (is_cut && to.kind == 'f' && from.kind != 'f') throw Unknown{i.text.str()};
  if (to.kind == 'f' && from.kind == 'f') {
    for (const auto& [word, id] : {std::pair<StringRef, Intrinsic::ID>{"rni", Intrinsic::rint}, {"rzi", Intrinsic::trunc},
                                   {"rmi", Intrinsic::floor}, {"rpi", Intrinsic::ceil}})
      if (has(i, word)) value = intrinsic(id, {value});
    value = build_.CreateFPCast(value, llvm_type(to));
    return is_cut ? from_zero_to_one(value) : value;
  }
  if (to.kind == 'f') return from.kind == 's' ? build_.CreateSIToFP(value, llvm_type(to)) : build_.CreateUIToFP(value, llvm_type(to));
  if (from.kind == 'f') {
    const auto id = has(i, "rni") ? Intrinsic::rint : has(i, "rmi") ? Intrinsic::floor : has(i, "rpi") ? Intrinsic::ceil : Intrinsic::trunc;
    value = build_.CreateIntrinsic(id, {value->getType()}, {value});
    const auto convert_id = to.kind == 's' ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
    return widened(build_.CreateIntrinsic(convert_id, {llvm_type(to), value->getType()}, {value}), to);
  }
  if (is_cut) {  // to what the type holds; one bit more holds both types
    const unsigned bits = std::max(from.bits, to.bits) + 1;
    Type* wide = build_.getIntNTy(bits);
    const auto at = [&](const APInt& number, bool is_signed) {
      return ConstantInt::get(wide, is_signed ? number.sext(bits) : number.zext(bits));
    };
    const bool is_signed = to.kind == 's';
    Value* least = at(is_signed ? APInt::getSignedMinValue(to.bits) : APInt::getZero(to.bits), is_signed);
    Value* most = at(is_signed ? APInt::getSignedMaxValue(to.bits) : APInt::getMaxValue(to.bits), is_signed);
    value = build_.CreateIntCast(value, wide, from.kind == 's');
    value = build_.CreateBinaryIntrinsic(Intrinsic::smax, value, least);
    value = build_.CreateBinaryIntrinsic(Intrinsic::smin, value, most);
  }
  return widened(build_.CreateIntCast(value, llvm_type(to), from.kind == 's'), to);
}

/// A float rounded to one of the short formats, or two of them in a word, the second one low.
Value* Lower::cvt_to_short(const Instruction& i) {
  if (i.words.back() != "f32" || has(i, "relu") || has(i, "rz") || has(i, "satfinite")) throw Unknown{i.text.str()};
  const auto rounded = [&](unsigned k) -> Value* {
    if (k >= i.operands.size()) throw Unknown{i.text.str()};
    Value* value = read(i.operands[k], {'f', 32});
    if (has(i, "f16x2")) {
      Value* half = build_.CreateFPTrunc(value, build_.getHalfTy());
      return build_.CreateZExt(build_.CreateBitCast(half, build_.getInt16Ty()), build_.getInt32Ty());
    }
    // To nearest: ties to even, or away from zero for tf32's rna.
    const unsigned dropped = has(i, "tf32") ? 13 : 16;
    Value* bits = build_.CreateBitCast(value, build_.getInt32Ty());
    Value* tie = has(i, "rna") ? build_.getInt32(1u << (dropped - 1))
                               : build_.CreateAdd(build_.getInt32((1u << (dropped - 1)) - 1),
                                                  build_.CreateAnd(build_.CreateLShr(bits, dropped), 1));
    Value* near = build_.CreateAnd(build_.CreateAdd(bits, tie), ~((1u << dropped) - 1));
    Value* is_special = build_.CreateICmpUGE(build_.CreateAnd(bits, 0x7fffffffu), build_.getInt32(0x7f800000u));
    Value* special = build_.CreateSelect(build_.CreateFCmpUNO(value, value), build_.getInt32(0x7fff0000u), bits);
    near = build_.CreateSelect(is_special, special, near);
    return dropped == 16 ? build_.CreateLShr(near, 16) : near;
  };
  if (!has(i, "f16x2") && !has(i, "bf16x2")) {
    Value* one = rounded(1);
    return has(i, "tf32") ? one : build_.CreateTrunc(one, build_.getInt16Ty());
  }
  Value* high = rounded(1);
  return build_.CreateOr(rounded(2), build_.CreateShl(high, 16));
}

/// By zero is by one: x86 would end the program where a GPU goes on.
Value* Lower::divide(const Instruction& i, bool wants_rest, PtxType type) {
  Value* a = read(i.operands[1], type);
  Value* b = read(i.operands[2], type);
  const bool is_signed = type.kind == 's';
  Value* one = ConstantInt::get(a->getType(), 1);
  Value* fails = build_.CreateICmpEQ(b, Constant::getNullValue(b->getType()));
  if (is_signed) fails = build_.CreateOr(fails, build_.CreateICmpEQ(b, Constant::getAllOnesValue(b->getType())));
  Value* by = build_.CreateSelect(fails, one, b);
  Value* result = wants_rest ? (is_signed ? build_.CreateSRem(a, by) : build_.CreateURem(a, by))
                             : (is_signed ? build_.CreateSDiv(a, by) : build_.CreateUDiv(a, by));
  if (wants_rest || !is_signed) return result;
  return build_.CreateSelect(build_.CreateICmpEQ(b, Constant::getAllOnesValue(b->getType())), build_.CreateNeg(a), result);
}

}  // namespace kasoku::embedded::ptx
