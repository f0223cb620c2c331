#include "kasoku/compile/clang/ptx.h"

#include <algorithm>
#include <cctype>

namespace kasoku::embedded::ptx {

bool parse_type(StringRef word, PtxType& type) {
  if (word == "pred") return type = {'p', 1}, true;
  if (word == "f16x2") return type = {'f', 16, 2}, true;
  if (word.size() < 2 || !strchr("usbf", word[0])) return false;
  unsigned bits = 0;
  if (word.drop_front().getAsInteger(10, bits)) return false;
  return type = {word[0], bits}, bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

void Lower::run() {
  bind_operands();
  const std::string text = asm_.getAsmString();
  std::string plain;  // without comments and the braces of blocks: those of operands stand behind an instruction's name
  bool is_within = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      while (i < text.size() && text[i] != '\n') ++i;
      continue;
    }
    if (text.compare(i, 2, "/*") == 0) {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
      continue;
    }
    char c = text[i];
    if (c == '$' && i + 1 < text.size() && StringRef("(|)").contains(text[i + 1]))  // so Clang writes braces and a bar
      c = text[++i] == '(' ? '{' : text[i] == ')' ? '}' : '|';
    const bool is_brace = c == '{' || c == '}';
    plain += (is_brace && !is_within) || isspace(static_cast<unsigned char>(c)) ? ' ' : c;
    if (c == ';') is_within = false;
    else if (!is_brace && plain.back() != ' ') is_within = true;
  }
  StringRef rest(plain);
  while (!rest.empty()) {
    auto [statement, next] = rest.split(';');
    rest = next;
    statement = statement.trim();
    if (statement.empty()) continue;
    try {
      one(split(statement));
    } catch (const Unknown&) {  // which part of it is less helpful
      std::string written = statement.str();
      std::replace(written.begin(), written.end(), '$', '%');
      throw Unknown{written};
    }
  }
  finish();
}

Instruction Lower::split(StringRef statement) {
  Instruction out;
  out.text = statement;
  if (statement.consume_front("@")) {
    auto [guard, rest] = statement.split(' ');
    out.guard = guard.trim().str();
    statement = rest.trim();
  }
  const size_t space = statement.find(' ');
  statement.substr(0, space).split(out.words, '.', -1, false);
  if (space == StringRef::npos) return out;
  statement.substr(space).split(out.operands, ',', -1, false);
  out.unpacks = statement.substr(space).ltrim().starts_with("{");
  for (StringRef& operand : out.operands) operand = operand.trim(" {}");
  return out;
}

bool Lower::has(const Instruction& i, StringRef word) { return is_contained(i.words, word); }

void Lower::bind_operands() {
  unsigned argument = 0, output = 0;
  const InlineAsm::ConstraintInfoVector constraints = asm_.ParseConstraints();
  for (const auto& constraint : constraints) {
    if (constraint.Type == InlineAsm::isClobber) continue;
    if (constraint.Type == InlineAsm::isOutput) {
      if (constraint.isIndirect) throw Unknown{asm_.getAsmString()};
      outputs_.push_back(nullptr);
      ++output;
      continue;
    }
    Value* value = call_.getArgOperand(argument++);
    const bool is_tied = !constraint.Codes.empty() && !constraint.Codes[0].empty() &&
                         isdigit(static_cast<unsigned char>(constraint.Codes[0][0]));
    if (is_tied) outputs_[std::stoul(constraint.Codes[0])] = value;
    else inputs_.push_back(value);
  }
}

Type* Lower::output_type(unsigned i) {
  if (auto* all = dyn_cast<StructType>(call_.getType())) return all->getElementType(i);
  return call_.getType();
}

void Lower::finish() {
  if (!call_.getType()->isVoidTy()) {
    Value* result = nullptr;
    if (auto* all = dyn_cast<StructType>(call_.getType())) {
      result = PoisonValue::get(all);
      for (unsigned i = 0; i < outputs_.size(); ++i)
        result = build_.CreateInsertValue(result, output(i), i);
    } else {
      result = output(0);
    }
    call_.replaceAllUsesWith(result);
  }
  call_.eraseFromParent();
}

Value* Lower::output(unsigned i) {
  Type* type = output_type(i);
  return outputs_[i] ? convert(outputs_[i], type, false) : Constant::getNullValue(type);
}

/// The same bits in another type; integers are widened or cut.
Value* Lower::convert(Value* value, Type* type, bool is_signed) {
  Type* from = value->getType();
  if (from == type) return value;
  const DataLayout& layout = call_.getModule()->getDataLayout();
  const unsigned from_bits = layout.getTypeSizeInBits(from), bits = layout.getTypeSizeInBits(type);
  if (from->isPointerTy()) value = build_.CreatePtrToInt(value, build_.getInt64Ty());
  else if (!from->isIntegerTy()) value = build_.CreateBitCast(value, build_.getIntNTy(from_bits));
  value = build_.CreateIntCast(value, build_.getIntNTy(bits), is_signed);
  if (type->isPointerTy()) return build_.CreateIntToPtr(value, type);
  return type->isIntegerTy() ? value : build_.CreateBitCast(value, type);
}

Type* Lower::llvm_type(PtxType type) {
  if (type.lanes > 1) return FixedVectorType::get(build_.getHalfTy(), type.lanes);
  if (type.kind == 'f') return type.bits == 64 ? build_.getDoubleTy() : type.bits == 32 ? build_.getFloatTy() : build_.getHalfTy();
  return build_.getIntNTy(type.bits);
}

/// A register of 32 bits that gets a number of fewer has its sign above it.
Value* Lower::widened(Value* value, PtxType type) {
  return type.kind == 's' && type.bits < 32 ? build_.CreateSExt(value, build_.getInt32Ty()) : value;
}

/// "p", or "!p" for its opposite.
Value* Lower::read_predicate(StringRef name) {
  name = name.trim();
  const bool is_negated = name.consume_front("!");
  Value* value = read(name, {'p', 1});
  return is_negated ? build_.CreateNot(value) : value;
}

Value* Lower::read(StringRef name, PtxType type) {
  name = name.trim();
  if (const auto found = locals_.find(name); found != locals_.end())
    return convert(found->second, llvm_type(type), type.kind == 's');
  if (Value* special = special_register(name)) return convert(special, llvm_type(type), false);
  unsigned index = 0;
  if (name.starts_with("$") && !name.drop_front().getAsInteger(10, index)) {
    Value* value = index < outputs_.size() ? outputs_[index] : nullptr;
    if (index >= outputs_.size() && index - outputs_.size() < inputs_.size())
      value = inputs_[index - outputs_.size()];
    if (!value && index < outputs_.size()) value = Constant::getNullValue(output_type(index));
    if (!value) throw Unknown{name.str()};
    return convert(value, llvm_type(type), type.kind == 's');
  }
  for (const auto& [prefix, width] : {std::pair<StringRef, unsigned>{"0f", 32}, {"0d", 64}}) {  // a float by its bits
    uint64_t bits = 0;
    if (!name.consume_front_insensitive(prefix)) continue;
    if (name.getAsInteger(16, bits) || type.bits != width) throw Unknown{name.str()};
    return convert(build_.getIntN(width, bits), llvm_type(type), false);
  }
  int64_t number = 0;
  uint64_t wide = 0;
  name.consume_back("U");
  if (!name.getAsInteger(0, number)) return constant(type, number);
  if (!name.getAsInteger(0, wide)) return constant(type, static_cast<int64_t>(wide));
  throw Unknown{name.str()};
}

Value* Lower::constant(PtxType type, int64_t number) {
  if (type.kind == 'f') return ConstantFP::get(llvm_type(type), static_cast<double>(number));
  return ConstantInt::get(llvm_type(type), static_cast<uint64_t>(number), true);
}

void Lower::write(StringRef name, Value* value, const Instruction& at) {
  name = name.trim();
  Value* old = nullptr;
  unsigned index = 0;
  const bool is_operand = name.starts_with("$") && !name.drop_front().getAsInteger(10, index);
  if (!at.guard.empty()) {
    Value* condition = read_predicate(at.guard);
    old = is_operand ? outputs_[index] : locals_.lookup(name);
    if (!old) old = Constant::getNullValue(value->getType());
    value = build_.CreateSelect(condition, value, convert(old, value->getType(), false));
  }
  if (!is_operand) locals_[name] = value;
  else if (index < outputs_.size()) outputs_[index] = value;
  else throw Unknown{at.text.str()};
}

Value* Lower::index(const char* name) {
  FunctionCallee callee = call_.getModule()->getOrInsertFunction(name, build_.getInt32Ty());
  auto* function = cast<Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->addFnAttr(Attribute::WillReturn);
  return build_.CreateCall(callee);
}

CallInst* Lower::runtime(const char* name, Type* result, ArrayRef<Value*> args) {
  SmallVector<Type*> types;
  for (Value* arg : args) types.push_back(arg->getType());
  FunctionCallee callee = call_.getModule()->getOrInsertFunction(name, FunctionType::get(result, types, false));
  auto* function = cast<Function>(callee.getCallee());
  function->setConvergent();
  auto* call = build_.CreateCall(callee, args);
  call->setConvergent();
  return call;
}

Value* Lower::thread_rank() {
  Value* yz = build_.CreateAdd(index("ks_tid_y"), build_.CreateMul(index("ks_bdim_y"), index("ks_tid_z")));
  return build_.CreateAdd(index("ks_tid_x"), build_.CreateMul(index("ks_bdim_x"), yz));
}

Value* Lower::lane() { return build_.CreateAnd(thread_rank(), 31); }

Value* Lower::special_register(StringRef name) {
  if (!name.consume_front("%") && !name.consume_front("$$")) return nullptr;
  for (auto [prefix, function] : {std::pair<StringRef, StringRef>{"ntid.", "ks_bdim_"}, {"tid.", "ks_tid_"},
                                  {"nctaid.", "ks_gdim_"}, {"ctaid.", "ks_bid_"}})
    if (name.starts_with(prefix)) return index((function + name.drop_front(prefix.size())).str().c_str());
  Value* one = build_.getInt32(1);
  if (name == "laneid") return lane();
  if (name == "warpid") return build_.CreateLShr(thread_rank(), 5);
  if (name == "smid" || name == "gridid" || name == "envreg0") return build_.getInt32(0);
  if (name == "nsmid") return one;
  if (name == "lanemask_eq") return build_.CreateShl(one, lane());
  if (name == "lanemask_lt") return build_.CreateSub(build_.CreateShl(one, lane()), one);
  if (name == "lanemask_ge") return build_.CreateNeg(build_.CreateShl(one, lane()));
  if (name == "lanemask_le") return build_.CreateSub(build_.CreateShl(build_.getInt32(2), lane()), one);
  if (name == "lanemask_gt") return build_.CreateNeg(build_.CreateShl(build_.getInt32(2), lane()));
  if (name == "clock" || name == "clock64" || name == "clock_hi") return runtime("ks_rt_clock", build_.getInt64Ty());
  if (name == "globaltimer" || name == "globaltimer_lo") return runtime("ks_rt_globaltimer", build_.getInt64Ty());
  if (name == "globaltimer_hi") return build_.CreateLShr(runtime("ks_rt_globaltimer", build_.getInt64Ty()), 32);
  if (name == "dynamic_smem_size") return index("ks_dynamic_shared_bytes");
  throw Unknown{"%" + name.str()};
}

}  // namespace kasoku::embedded::ptx
