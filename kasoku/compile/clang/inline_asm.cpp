#include "kasoku/compile/clang/inline_asm.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace kasoku::embedded {
namespace {

using namespace llvm;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// What PTX calls a register class, in x86's letters.
char known_class(char c) {
  switch (c) {
    case 'f': case 'd': return 'x';
    case 'l': case 'h': case 'c': case 'q': return 'r';
    default: return c;
  }
}

/// One PTX instruction: its words, and its operands as text.
struct Instruction {
  std::string guard;                   // "p", "!p" or empty
  SmallVector<StringRef, 6> words;     // mul hi u32
  SmallVector<StringRef, 6> operands;  // $0 $1 [$2+4]
  StringRef text;
};

struct Unknown {
  std::string text;
};

struct PtxType {
  char kind = 'b';  // u s b f p
  unsigned bits = 32;
};

bool parse_type(StringRef word, PtxType& type) {
  if (word == "pred") return type = {'p', 1}, true;
  if (word.size() < 2 || !strchr("usbf", word[0])) return false;
  unsigned bits = 0;
  if (word.drop_front().getAsInteger(10, bits)) return false;
  return type = {word[0], bits}, bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

class Lower {
 public:
  Lower(CallInst& call, InlineAsm& text) : call_(call), asm_(text), build_(&call) {}

  void run() {
    bind_operands();
    const std::string text = asm_.getAsmString();
    std::string plain;  // without braces and comments
    for (size_t i = 0; i < text.size(); ++i) {
      if (text.compare(i, 2, "//") == 0) {
        while (i < text.size() && text[i] != '\n') ++i;
        continue;
      }
      plain += text[i] == '{' || text[i] == '}' || text[i] == '\n' || text[i] == '\t' ? ' ' : text[i];
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

 private:
  // --- operands ---
  void bind_operands() {
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

  Type* output_type(unsigned i) {
    if (auto* all = dyn_cast<StructType>(call_.getType())) return all->getElementType(i);
    return call_.getType();
  }

  void finish() {
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

  Value* output(unsigned i) {
    Type* type = output_type(i);
    return outputs_[i] ? convert(outputs_[i], type, false) : Constant::getNullValue(type);
  }

  /// The same bits in another type; integers are widened or cut.
  Value* convert(Value* value, Type* type, bool is_signed) {
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

  Type* llvm_type(PtxType type) {
    if (type.kind == 'f') return type.bits == 64 ? build_.getDoubleTy() : type.bits == 32 ? build_.getFloatTy() : build_.getHalfTy();
    return build_.getIntNTy(type.bits);
  }

  Value* read(StringRef name, PtxType type) {
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
    if (name.consume_front("0f")) {
      uint64_t bits = 0;
      if (name.getAsInteger(16, bits)) throw Unknown{name.str()};
      return convert(build_.getInt32(bits), llvm_type(type), false);
    }
    int64_t number = 0;
    uint64_t wide = 0;
    name.consume_back("U");
    if (!name.getAsInteger(0, number)) return constant(type, number);
    if (!name.getAsInteger(0, wide)) return constant(type, static_cast<int64_t>(wide));
    throw Unknown{name.str()};
  }

  Value* constant(PtxType type, int64_t number) {
    if (type.kind == 'f') return ConstantFP::get(llvm_type(type), static_cast<double>(number));
    return ConstantInt::get(llvm_type(type), static_cast<uint64_t>(number), true);
  }

  void write(StringRef name, Value* value, const Instruction& at) {
    name = name.trim();
    Value* old = nullptr;
    unsigned index = 0;
    const bool is_operand = name.starts_with("$") && !name.drop_front().getAsInteger(10, index);
    if (!at.guard.empty()) {
      StringRef guard = at.guard;
      const bool negated = guard.consume_front("!");
      Value* condition = read(guard, {'p', 1});
      if (negated) condition = build_.CreateNot(condition);
      old = is_operand ? outputs_[index] : locals_.lookup(name);
      if (!old) old = Constant::getNullValue(value->getType());
      value = build_.CreateSelect(condition, value, convert(old, value->getType(), false));
    }
    if (!is_operand) locals_[name] = value;
    else if (index < outputs_.size()) outputs_[index] = value;
    else throw Unknown{at.text.str()};
  }

  // --- what only a GPU has ---
  Value* index(const char* name) {
    FunctionCallee callee = call_.getModule()->getOrInsertFunction(name, build_.getInt32Ty());
    auto* function = cast<Function>(callee.getCallee());
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->addFnAttr(Attribute::WillReturn);
    return build_.CreateCall(callee);
  }
  CallInst* runtime(const char* name, Type* result, ArrayRef<Value*> args = {}) {
    SmallVector<Type*> types;
    for (Value* arg : args) types.push_back(arg->getType());
    FunctionCallee callee = call_.getModule()->getOrInsertFunction(name, FunctionType::get(result, types, false));
    auto* function = cast<Function>(callee.getCallee());
    function->setConvergent();
    auto* call = build_.CreateCall(callee, args);
    call->setConvergent();
    return call;
  }
  Value* thread_rank() {
    Value* yz = build_.CreateAdd(index("ks_tid_y"), build_.CreateMul(index("ks_bdim_y"), index("ks_tid_z")));
    return build_.CreateAdd(index("ks_tid_x"), build_.CreateMul(index("ks_bdim_x"), yz));
  }
  Value* lane() { return build_.CreateAnd(thread_rank(), 31); }

  Value* special_register(StringRef name) {
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
    if (name == "dynamic_smem_size") return index("ks_dynamic_shared_bytes");
    throw Unknown{"%" + name.str()};
  }

  // --- instructions ---
  Instruction split(StringRef statement) {
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
    for (StringRef& operand : out.operands) operand = operand.trim();
    return out;
  }

  bool has(const Instruction& i, StringRef word) { return is_contained(i.words, word); }

  /// An address of shared memory is a distance of 32 bits from where dynamic memory begins.
  Value* shared_origin() {
    Module& module = *call_.getModule();
    auto* none = ArrayType::get(build_.getInt8Ty(), 0);
    return module.getOrInsertGlobal("ks_shared_origin", none, [&] {
      return new GlobalVariable(module, none, false, GlobalValue::ExternalLinkage, nullptr, "ks_shared_origin");
    });
  }
  Value* address(StringRef operand, const Instruction& i, bool is_shared) {
    if (!operand.consume_front("[") || !operand.consume_back("]")) throw Unknown{i.text.str()};
    auto [base, offset] = operand.split('+');
    int64_t bytes = 0;
    if (!offset.empty() && offset.trim().getAsInteger(0, bytes)) throw Unknown{i.text.str()};
    Value* pointer = is_shared
                         ? build_.CreateGEP(build_.getInt8Ty(), shared_origin(), read(base, {'s', 32}))
                         : build_.CreateIntToPtr(read(base, {'u', 64}), build_.getPtrTy());
    return bytes ? build_.CreateConstGEP1_64(build_.getInt8Ty(), pointer, bytes) : pointer;
  }
  Value* address(StringRef operand, const Instruction& i) { return address(operand, i, has(i, "shared")); }

  /// ld.v4 and st.v4 name as many registers as they move.
  unsigned vector_length(const Instruction& i) { return has(i, "v4") ? 4 : has(i, "v2") ? 2 : 1; }
  Value* element(Value* pointer, PtxType type, unsigned k) {
    return k ? build_.CreateConstGEP1_64(build_.getInt8Ty(), pointer, k * type.bits / 8) : pointer;
  }
  void load(const Instruction& i, PtxType type) {
    const unsigned n = vector_length(i);
    if (i.operands.size() != n + 1) throw Unknown{i.text.str()};
    Value* pointer = address(i.operands[n], i);
    SmallVector<Value*, 4> loaded;
    for (unsigned k = 0; k < n; ++k) {
      auto* load = build_.CreateLoad(llvm_type(type), element(pointer, type, k));
      load->setAlignment(Align(type.bits / 8));
      load->setVolatile(has(i, "volatile"));
      loaded.push_back(load);
    }
    for (unsigned k = 0; k < n; ++k) write(i.operands[k], loaded[k], i);
  }
  void store(const Instruction& i, PtxType type) {
    const unsigned n = vector_length(i);
    if (!i.guard.empty() || i.operands.size() != n + 1) throw Unknown{i.text.str()};
    Value* pointer = address(i.operands[0], i);
    for (unsigned k = 0; k < n; ++k) {
      auto* store = build_.CreateStore(read(i.operands[k + 1], type), element(pointer, type, k));
      store->setAlignment(Align(type.bits / 8));
      store->setVolatile(has(i, "volatile"));
    }
  }
  /// cp.async: done at once, so that commit and wait have nothing to do.
  void copy(const Instruction& i) {
    if (!has(i, "shared") || i.operands.size() < 3) return;
    if (!i.guard.empty() || has(i, "bulk")) throw Unknown{i.text.str()};
    Value* size = read(i.operands[2], {'u', 32});
    Value* to = address(i.operands[0], i, /*is_shared=*/true);
    Value* from = address(i.operands[1], i, /*is_shared=*/false);
    if (i.operands.size() == 3) {
      build_.CreateMemCpy(to, Align(4), from, Align(4), size);
      return;
    }
    build_.CreateMemSet(to, build_.getInt8(0), size, Align(4));
    build_.CreateMemCpy(to, Align(4), from, Align(4), read(i.operands[3], {'u', 32}));
  }

  Value* atomic(const Instruction& i, PtxType type, bool has_result) {
    const unsigned first = has_result ? 1 : 0;
    if (!i.guard.empty() || i.operands.size() < first + 2) throw Unknown{i.text.str()};
    Value* pointer = address(i.operands[first], i);
    const PtxType word = type.kind == 'f' ? type : PtxType{'u', type.bits};
    Value* value = read(i.operands[first + 1], word);
    const MaybeAlign align(type.bits / 8);
    if (has(i, "cas")) {
      Value* pair = build_.CreateAtomicCmpXchg(pointer, value, read(i.operands[first + 2], word), align,
                                               AtomicOrdering::SequentiallyConsistent, AtomicOrdering::Monotonic);
      return build_.CreateExtractValue(pair, 0);
    }
    const bool is_float = type.kind == 'f', is_signed = type.kind == 's';
    const std::pair<const char*, AtomicRMWInst::BinOp> table[] = {
        {"add", is_float ? AtomicRMWInst::FAdd : AtomicRMWInst::Add}, {"exch", AtomicRMWInst::Xchg},
        {"and", AtomicRMWInst::And}, {"or", AtomicRMWInst::Or}, {"xor", AtomicRMWInst::Xor},
        {"min", is_signed ? AtomicRMWInst::Min : AtomicRMWInst::UMin},
        {"max", is_signed ? AtomicRMWInst::Max : AtomicRMWInst::UMax},
        {"inc", AtomicRMWInst::UIncWrap}, {"dec", AtomicRMWInst::UDecWrap}};
    for (const auto& [word_name, operation] : table)
      if (has(i, word_name))
        return build_.CreateAtomicRMW(operation, pointer, value, align, AtomicOrdering::Monotonic);
    throw Unknown{i.text.str()};
  }

  /// Two registers in one, or one in two; the braces are gone, an output in second place tells.
  bool move_halves(const Instruction& i, PtxType type) {
    if (i.operands.size() != 3) return false;
    const PtxType half{'u', type.bits / 2}, whole{'u', type.bits};
    unsigned index = 0;
    StringRef second = i.operands[1];
    const bool is_input = second.consume_front("$") && !second.getAsInteger(10, index) && index >= outputs_.size();
    const bool is_known = is_input || locals_.contains(i.operands[1]);
    if (is_known) {
      Value* low = build_.CreateZExt(read(i.operands[1], half), llvm_type(whole));
      Value* high = build_.CreateZExt(read(i.operands[2], half), llvm_type(whole));
      write(i.operands[0], build_.CreateOr(low, build_.CreateShl(high, half.bits)), i);
    } else {
      Value* both = read(i.operands[2], whole);
      write(i.operands[0], build_.CreateTrunc(both, llvm_type(half)), i);
      write(i.operands[1], build_.CreateTrunc(build_.CreateLShr(both, half.bits), llvm_type(half)), i);
    }
    return true;
  }

  /// add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi…: the carry lives as long as the text.
  Value* with_carry(const Instruction& i, StringRef name, PtxType type) {
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

  /// Bytes of two words by a selector of four digits.
  Value* permute(const Instruction& i) {
    if (i.words.size() != 2 || i.operands.size() != 4) throw Unknown{i.text.str()};
    const PtxType word{'u', 32};
    Type* wide = build_.getInt64Ty();
    Value* both = build_.CreateOr(build_.CreateZExt(read(i.operands[1], word), wide),
                                  build_.CreateShl(build_.CreateZExt(read(i.operands[2], word), wide), 32));
    Value* selector = build_.CreateZExt(read(i.operands[3], word), wide);
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
  Value* dot_of_bytes(const Instruction& i) {
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

  void one(const Instruction& i) {
    if (i.words.empty()) return;
    const StringRef name = i.words[0];
    PtxType type;
    for (StringRef word : drop_begin(i.words)) parse_type(word, type);
    if (i.text.starts_with(".reg") || name == "prefetch" || name == "prefetchu" || name == "pragma") return;
    if (name == "bar" || name == "barrier") {
      if (has(i, "arrive") || has(i, "red")) throw Unknown{i.text.str()};
      if (has(i, "warp")) runtime("ks_warp_barrier", build_.getVoidTy(), {read(i.operands[0], {'u', 32})});
      else runtime("ks_barrier", build_.getVoidTy());
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
    if (name == "mov" && move_halves(i, type)) return;
    if (i.operands.size() < 2) throw Unknown{i.text.str()};
    write(i.operands[0], value_of(i, name, type), i);
  }

  Value* value_of(const Instruction& i, StringRef name, PtxType type) {
    const auto operand = [&](unsigned k) {
      if (k >= i.operands.size()) throw Unknown{i.text.str()};
      return read(i.operands[k], type);
    };
    const auto intrinsic = [&](Intrinsic::ID id, ArrayRef<Value*> args) {
      return build_.CreateIntrinsic(id, {args[0]->getType()}, args);
    };
    const bool is_float = type.kind == 'f', is_signed = type.kind == 's';
    if (name == "atom") return atomic(i, type, /*has_result=*/true);
    if (name == "cvta" && has(i, "shared")) {
      Value* origin = build_.CreatePtrToInt(shared_origin(), build_.getInt64Ty());
      if (has(i, "to")) return build_.CreateSub(read(i.operands[1], {'u', 64}), origin);
      return build_.CreateAdd(build_.CreateSExt(read(i.operands[1], {'s', 32}), build_.getInt64Ty()), origin);
    }
    if (name == "mov" || name == "cvta") return operand(1);
    if (name == "activemask") return runtime("ks_activemask", build_.getInt32Ty());
    if (name == "cvt" && i.words.size() >= 3) return cvt(i);
    if (name == "setp") return compare(i, type);
    if (name == "selp") return build_.CreateSelect(read(i.operands[3], {'p', 1}), operand(1), operand(2));
    if (name == "not") return build_.CreateNot(operand(1));
    if (name == "neg") return is_float ? build_.CreateFNeg(operand(1)) : build_.CreateNeg(operand(1));
    if (name == "abs") {
      if (is_float) return intrinsic(Intrinsic::fabs, {operand(1)});
      return intrinsic(Intrinsic::abs, {operand(1), build_.getFalse()});
    }
    if (name == "popc") return build_.CreateTrunc(intrinsic(Intrinsic::ctpop, {operand(1)}), build_.getInt32Ty());
    if (name == "clz") return build_.CreateTrunc(intrinsic(Intrinsic::ctlz, {operand(1), build_.getFalse()}), build_.getInt32Ty());
    if (name == "brev") return intrinsic(Intrinsic::bitreverse, {operand(1)});
    if (name == "bfe") return bfe(operand(1), read(i.operands[2], {'u', 32}), read(i.operands[3], {'u', 32}), type);
    if (name == "bfi") return bfi(operand(1), operand(2), read(i.operands[3], {'u', 32}), read(i.operands[4], {'u', 32}));
    if (name == "bfind") {
      Value* value = operand(1);
      if (is_signed) value = build_.CreateXor(value, build_.CreateAShr(value, type.bits - 1));
      Value* zeros = build_.CreateTrunc(intrinsic(Intrinsic::ctlz, {value, build_.getFalse()}), build_.getInt32Ty());
      return has(i, "shiftamt") ? zeros : build_.CreateSub(build_.getInt32(type.bits - 1), zeros);
    }
    if (name == "lop3") return lop3(i, type);
    if (name == "shf") {
      Value* low = operand(1);
      Value* high = operand(2);
      Value* amount = operand(3);
      if (has(i, "clamp")) throw Unknown{i.text.str()};
      return has(i, "l") ? intrinsic(Intrinsic::fshl, {high, low, amount}) : intrinsic(Intrinsic::fshr, {high, low, amount});
    }
    if (name == "ex2") return intrinsic(Intrinsic::exp2, {operand(1)});
    if (name == "lg2") return intrinsic(Intrinsic::log2, {operand(1)});
    if (name == "sin") return intrinsic(Intrinsic::sin, {operand(1)});
    if (name == "cos") return intrinsic(Intrinsic::cos, {operand(1)});
    if (name == "sqrt") return intrinsic(Intrinsic::sqrt, {operand(1)});
    if (name == "rcp") return build_.CreateFDiv(constant(type, 1), operand(1));
    if (name == "rsqrt") return build_.CreateFDiv(constant(type, 1), intrinsic(Intrinsic::sqrt, {operand(1)}));
    if (has(i, "cc") || name == "addc" || name == "subc" || name == "madc") return with_carry(i, name, type);
    if (name == "prmt") return permute(i);
    if (name == "dp4a") return dot_of_bytes(i);
    if (name == "tanh") return build_.CreateCall(call_.getModule()->getOrInsertFunction("tanhf", build_.getFloatTy(), build_.getFloatTy()), read(i.operands[1], {'f', 32}));
    if (name == "sad") {
      Value* a = operand(1);
      Value* b = operand(2);
      Value* less = is_signed ? build_.CreateICmpSLT(a, b) : build_.CreateICmpULT(a, b);
      return build_.CreateAdd(build_.CreateSelect(less, build_.CreateSub(b, a), build_.CreateSub(a, b)), operand(3));
    }
    if (has(i, "sat") || has(i, "rz") || has(i, "rp") || has(i, "rm")) throw Unknown{i.text.str()};
    if (name == "mul" || name == "mad") return multiply(i, name, type);
    if (name == "fma") return intrinsic(Intrinsic::fma, {operand(1), operand(2), operand(3)});
    Value* a = operand(1);
    if (name == "shl" || name == "shr") return shift(name, a, read(i.operands[2], {'u', 32}), type);
    Value* b = operand(2);
    if (name == "add") return is_float ? build_.CreateFAdd(a, b) : build_.CreateAdd(a, b);
    if (name == "sub") return is_float ? build_.CreateFSub(a, b) : build_.CreateSub(a, b);
    if (name == "and") return build_.CreateAnd(a, b);
    if (name == "or") return build_.CreateOr(a, b);
    if (name == "xor") return build_.CreateXor(a, b);
    if (name == "div" && is_float) return build_.CreateFDiv(a, b);
    if (name == "min" || name == "max") {
      const bool low = name == "min";
      if (is_float) return intrinsic(low ? Intrinsic::minnum : Intrinsic::maxnum, {a, b});
      if (is_signed) return intrinsic(low ? Intrinsic::smin : Intrinsic::smax, {a, b});
      return intrinsic(low ? Intrinsic::umin : Intrinsic::umax, {a, b});
    }
    throw Unknown{i.text.str()};
  }

  Value* shift(StringRef name, Value* a, Value* amount, PtxType type) {
    Value* in_range = build_.CreateICmpULT(amount, build_.getInt32(type.bits));
    Value* top = build_.getInt32(type.bits - 1);
    Value* bounded = build_.CreateZExtOrTrunc(build_.CreateSelect(in_range, amount, top), a->getType());
    if (name == "shr" && type.kind == 's') return build_.CreateAShr(a, bounded);
    Value* moved = name == "shl" ? build_.CreateShl(a, bounded) : build_.CreateLShr(a, bounded);
    return build_.CreateSelect(in_range, moved, Constant::getNullValue(a->getType()));
  }

  Value* ones(Value* count, Type* type) {  // `count` low bits, count <= bits
    const unsigned bits = type->getIntegerBitWidth();
    Value* wide = build_.CreateZExtOrTrunc(count, type);
    Value* some = build_.CreateSub(build_.CreateShl(ConstantInt::get(type, 1), build_.CreateAnd(wide, bits - 1)), ConstantInt::get(type, 1));
    return build_.CreateSelect(build_.CreateICmpUGE(count, build_.getInt32(bits)), Constant::getAllOnesValue(type), some);
  }

  Value* bfe(Value* a, Value* at, Value* count, PtxType type) {
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

  Value* bfi(Value* field, Value* into, Value* at, Value* count) {
    const PtxType type{'b', field->getType()->getIntegerBitWidth()};
    at = build_.CreateAnd(at, 255), count = build_.CreateAnd(count, 255);
    Value* mask = shift("shl", ones(count, field->getType()), at, type);
    return build_.CreateOr(build_.CreateAnd(shift("shl", field, at, type), mask), build_.CreateAnd(into, build_.CreateNot(mask)));
  }

  Value* lop3(const Instruction& i, PtxType type) {
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

  Value* multiply(const Instruction& i, StringRef name, PtxType type) {
    Value* a = read(i.operands[1], type);
    Value* b = read(i.operands[2], type);
    const bool adds = name == "mad";
    if (type.kind == 'f') {
      if (!adds) return build_.CreateFMul(a, b);
      return build_.CreateIntrinsic(Intrinsic::fma, {a->getType()}, {a, b, read(i.operands[3], type)});
    }
    const bool is_signed = type.kind == 's';
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

  Value* compare(const Instruction& i, PtxType type) {
    if (i.words.size() < 3 || i.operands.size() != 3) throw Unknown{i.text.str()};
    static const char* names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const CmpInst::Predicate reals[] = {CmpInst::FCMP_OEQ, CmpInst::FCMP_ONE, CmpInst::FCMP_OLT,
                                               CmpInst::FCMP_OLE, CmpInst::FCMP_OGT, CmpInst::FCMP_OGE};
    static const CmpInst::Predicate signeds[] = {CmpInst::ICMP_EQ, CmpInst::ICMP_NE, CmpInst::ICMP_SLT,
                                                 CmpInst::ICMP_SLE, CmpInst::ICMP_SGT, CmpInst::ICMP_SGE};
    static const CmpInst::Predicate unsigneds[] = {CmpInst::ICMP_EQ, CmpInst::ICMP_NE, CmpInst::ICMP_ULT,
                                                   CmpInst::ICMP_ULE, CmpInst::ICMP_UGT, CmpInst::ICMP_UGE};
    for (unsigned k = 0; k < 6; ++k) {
      if (i.words[1] != names[k]) continue;
      Value* a = read(i.operands[1], type);
      Value* b = read(i.operands[2], type);
      if (type.kind == 'f') return build_.CreateFCmp(reals[k], a, b);
      return build_.CreateICmp(type.kind == 's' ? signeds[k] : unsigneds[k], a, b);
    }
    throw Unknown{i.text.str()};
  }

  Value* cvt(const Instruction& i) {
    PtxType to, from;
    SmallVector<PtxType, 2> types;
    for (StringRef word : drop_begin(i.words)) {
      PtxType type;
      if (parse_type(word, type)) types.push_back(type);
    }
    if (types.size() != 2 || has(i, "sat")) throw Unknown{i.text.str()};
    to = types[0], from = types[1];
    Value* value = read(i.operands[1], from);
    if (to.kind == 'f' && from.kind == 'f') return build_.CreateFPCast(value, llvm_type(to));
    if (to.kind == 'f') return from.kind == 's' ? build_.CreateSIToFP(value, llvm_type(to)) : build_.CreateUIToFP(value, llvm_type(to));
    if (from.kind == 'f') {
      const auto id = has(i, "rni") ? Intrinsic::rint : has(i, "rmi") ? Intrinsic::floor : has(i, "rpi") ? Intrinsic::ceil : Intrinsic::trunc;
      value = build_.CreateIntrinsic(id, {value->getType()}, {value});
      const auto convert_id = to.kind == 's' ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
      return build_.CreateIntrinsic(convert_id, {llvm_type(to), value->getType()}, {value});
    }
    return build_.CreateIntCast(value, llvm_type(to), from.kind == 's');
  }

  CallInst& call_;
  InlineAsm& asm_;
  IRBuilder<> build_;
  SmallVector<Value*, 4> outputs_, inputs_;
  StringMap<Value*> locals_;
  Value* carry_ = nullptr;
};

unsigned place_of(const CallInst& call) {
  const MDNode* node = call.getMetadata("srcloc");
  if (!node || node->getNumOperands() == 0) return 0;
  const auto* number = mdconst::dyn_extract<ConstantInt>(node->getOperand(0));
  return number ? static_cast<unsigned>(number->getZExtValue()) : 0;
}

}  // namespace

std::string with_known_constraints(std::string_view text) {
  std::string out(text);
  std::vector<size_t> lone;  // "%laneid", which nvcc takes for "%%laneid"
  for (size_t at = text.find("asm"); at != std::string_view::npos; at = text.find("asm", at + 3)) {
    size_t i = at + 3;
    while (i < text.size() && is_word(text[i])) ++i;  // __asm__
    const auto skip = [&] { while (i < text.size() && std::isspace(static_cast<unsigned char>(text[i]))) ++i; };
    skip();
    for (std::string_view word : {"volatile", "__volatile__"})
      if (text.substr(i, word.size()) == word) i += word.size();
    skip();
    if (i >= text.size() || text[i] != '(') continue;
    bool after_colon = false;
    for (int depth = 0; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      if (text[i] == ')' && --depth == 0) break;
      if (text[i] == ':') after_colon = true;
      if (text[i] != '"') continue;
      const size_t begin = ++i;
      while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
      if (after_colon && depth == 1 && i - begin <= 2)
        for (size_t k = begin; k < i; ++k) out[k] = known_class(out[k]);
      // Braces mean alternatives to Clang; a blank means the same to us.
      if (after_colon) continue;
      for (size_t k = begin; k < i && k < out.size(); ++k) {
        const bool names_register = out[k] == '%' && k + 1 < i && out[k - 1] != '%' &&
                                    std::isalpha(static_cast<unsigned char>(out[k + 1]));
        if (out[k] == '{' || out[k] == '}') out[k] = ' ';
        if (names_register) lone.push_back(k);
      }
    }
  }
  for (size_t k = lone.size(); k-- > 0;) out.insert(lone[k], "%");
  return out;
}

void lower_inline_asm(Module& module, const std::function<void(const std::string&, unsigned)>& report) {
  SmallVector<CallInst*> calls;
  for (Function& function : module)
    for (BasicBlock& block : function)
      for (llvm::Instruction& instruction : block)
        if (auto* call = dyn_cast<CallInst>(&instruction); call && call->isInlineAsm()) calls.push_back(call);
  for (CallInst* call : calls) {
    auto& text = *cast<InlineAsm>(call->getCalledOperand());
    // An empty one only keeps the compiler from moving memory operations.
    if (StringRef(text.getAsmString()).trim().empty() && call->getType()->isVoidTy()) {
      IRBuilder<>(call).CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
      call->eraseFromParent();
      continue;
    }
    try {
      Lower(*call, text).run();
    } catch (const Unknown& unknown) {
      report(unknown.text, place_of(*call));
    }
  }
}

}  // namespace kasoku::embedded
