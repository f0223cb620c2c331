#include "kasoku/compile/clang/ptx.h"

namespace kasoku::embedded::ptx {

/// An address of shared memory is a distance of 32 bits from where dynamic memory begins.
Value* Lower::shared_origin() {
  Module& module = *call_.getModule();
  auto* none = ArrayType::get(build_.getInt8Ty(), 0);
  return module.getOrInsertGlobal("ks_shared_origin", none, [&] {
    return new GlobalVariable(module, none, false, GlobalValue::ExternalLinkage, nullptr, "ks_shared_origin");
  });
}

Value* Lower::address(StringRef operand, const Instruction& i, bool is_shared) {
  if (!operand.consume_front("[") || !operand.consume_back("]")) throw Unknown{i.text.str()};
  auto [base, offset] = operand.split('+');
  int64_t bytes = 0;
  if (!offset.empty() && offset.trim().getAsInteger(0, bytes)) throw Unknown{i.text.str()};
  Value* pointer = is_shared
                       ? build_.CreateGEP(build_.getInt8Ty(), shared_origin(), read(base, {'s', 32}))
                       : build_.CreateIntToPtr(read(base, {'u', 64}), build_.getPtrTy());
  return bytes ? build_.CreateConstGEP1_64(build_.getInt8Ty(), pointer, bytes) : pointer;
}

Value* Lower::address(StringRef operand, const Instruction& i) { return address(operand, i, has(i, "shared")); }

/// ld.v4 and st.v4 name as many registers as they move.
unsigned Lower::vector_length(const Instruction& i) { return has(i, "v4") ? 4 : has(i, "v2") ? 2 : 1; }

Value* Lower::element(Value* pointer, PtxType type, unsigned k) {
  return k ? build_.CreateConstGEP1_64(build_.getInt8Ty(), pointer, k * type.bits / 8) : pointer;
}

/// How other threads' accesses are ordered with it; not at all where nothing is said. So many bytes at once are whole for them, as on a GPU.
AtomicOrdering Lower::ordering(const Instruction& i, AtomicOrdering strong) {
  if (has(i, "acquire") || has(i, "release")) return strong;
  return has(i, "volatile") || has(i, "relaxed") || has(i, "mmio") ? AtomicOrdering::Monotonic : AtomicOrdering::NotAtomic;
}

/// The address, or where its guard forbids the access memory of the thread's own.
Value* Lower::guarded(Value* pointer, const Instruction& i, unsigned bytes) {
  if (i.guard.empty()) return pointer;
  IRBuilder<> entry(&*call_.getFunction()->getEntryBlock().getFirstInsertionPt());
  auto* own = entry.CreateAlloca(entry.getInt8Ty(), entry.getInt32(bytes));
  own->setAlignment(Align(16));
  return build_.CreateSelect(read_predicate(i.guard), pointer, build_.CreatePointerCast(own, pointer->getType()));
}

void Lower::load(const Instruction& i, PtxType type) {
  const unsigned n = vector_length(i);
  if (i.operands.size() != n + 1) throw Unknown{i.text.str()};
  Value* pointer = guarded(address(i.operands[n], i), i, n * type.bits / 8);
  SmallVector<Value*, 4> loaded;
  if (const AtomicOrdering order = ordering(i, AtomicOrdering::Acquire); order != AtomicOrdering::NotAtomic) {
    auto* load = build_.CreateAlignedLoad(build_.getIntNTy(n * type.bits), pointer, Align(n * type.bits / 8), /*isVolatile=*/true);
    load->setAtomic(order);
    Value* const all = build_.CreateBitCast(load, FixedVectorType::get(llvm_type(type), n));
    for (unsigned k = 0; k < n; ++k) loaded.push_back(build_.CreateExtractElement(all, k));
  } else {
    for (unsigned k = 0; k < n; ++k) loaded.push_back(build_.CreateAlignedLoad(llvm_type(type), element(pointer, type, k), Align(type.bits / 8)));
  }
  for (unsigned k = 0; k < n; ++k) write(i.operands[k], widened(loaded[k], type), i);
}

void Lower::store(const Instruction& i, PtxType type) {
  const unsigned n = vector_length(i);
  if (i.operands.size() != n + 1) throw Unknown{i.text.str()};
  Value* pointer = guarded(address(i.operands[0], i), i, n * type.bits / 8);
  if (const AtomicOrdering order = ordering(i, AtomicOrdering::Release); order != AtomicOrdering::NotAtomic) {
    Value* all = PoisonValue::get(FixedVectorType::get(llvm_type(type), n));
    for (unsigned k = 0; k < n; ++k) all = build_.CreateInsertElement(all, read(i.operands[k + 1], type), k);
    build_.CreateAlignedStore(build_.CreateBitCast(all, build_.getIntNTy(n * type.bits)), pointer, Align(n * type.bits / 8), /*isVolatile=*/true)->setAtomic(order);
  } else {
    for (unsigned k = 0; k < n; ++k) build_.CreateAlignedStore(read(i.operands[k + 1], type), element(pointer, type, k), Align(type.bits / 8));
  }
}

/// cp.async: done at once, so that commit and wait have nothing to do.
void Lower::copy(const Instruction& i) {
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

Value* Lower::atomic(const Instruction& i, PtxType type, bool has_result) {
  const unsigned first = has_result ? 1 : 0;
  if (!i.guard.empty() || i.operands.size() < first + 2 || type.lanes > 1) throw Unknown{i.text.str()};
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

}  // namespace kasoku::embedded::ptx
