/// \file kasoku/compile/clang/ptx.h
/// PTX in asm statements, instruction by instruction: what each of them does is said in LLVM's
/// terms, where the statement stands. ptx_operands.cpp reads the text and its registers,
/// ptx_memory.cpp loads, stores and copies, ptx_arithmetic.cpp computes within a lane,
/// ptx_warp.cpp between lanes, ptx_instructions.cpp is the list.
#pragma once

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include <string>

namespace kasoku::embedded::ptx {

using namespace llvm;

/// One PTX instruction: its words, and its operands as text.
struct Instruction {
  std::string guard;                   // "p", "!p" or empty
  SmallVector<StringRef, 6> words;     // mul hi u32
  SmallVector<StringRef, 6> operands;  // $0 $1 [$2+4]
  bool unpacks = false;                // its first operand is several registers in braces
  StringRef text;
};

/// Thrown where something has no meaning on a CPU.
struct Unknown {
  std::string text;
};

struct PtxType {
  char kind = 'b';  // u s b f p
  unsigned bits = 32;
  unsigned lanes = 1;  // f16x2 has two
};

bool parse_type(StringRef word, PtxType& type);

class Lower {
 public:
  Lower(CallInst& call, InlineAsm& text) : call_(call), asm_(text), build_(&call) {}

  /// Puts instructions in the statement's place; throws Unknown.
  void run();

 private:
  // The text, its operands and registers.
  void bind_operands();
  Instruction split(StringRef statement);
  bool has(const Instruction& i, StringRef word);
  Type* output_type(unsigned i);
  void finish();
  Value* output(unsigned i);
  Value* convert(Value* value, Type* type, bool is_signed);
  Type* llvm_type(PtxType type);
  Value* read(StringRef name, PtxType type);
  Value* read_predicate(StringRef name);
  Value* widened(Value* value, PtxType type);
  Value* constant(PtxType type, int64_t number);
  void write(StringRef name, Value* value, const Instruction& at);
  Value* index(const char* name);
  CallInst* runtime(const char* name, Type* result, ArrayRef<Value*> args = {});
  Value* thread_rank();
  Value* lane();
  Value* special_register(StringRef name);

  // The list.
  void one(const Instruction& i);
  /// What goes into an instruction's first operand. The others below give null where `name` is none of theirs.
  Value* value_of(const Instruction& i, StringRef name, PtxType type);
  void reduce_at_barrier(const Instruction& i);
  Value* pack(const Instruction& i);
  void refuse_other_words(const Instruction& i, StringRef name);
  Value* moved(const Instruction& i, StringRef name, PtxType type);
  Value* of_warp(const Instruction& i, StringRef name, PtxType type);
  Value* of_bits(const Instruction& i, StringRef name, PtxType type);
  Value* of_one(const Instruction& i, StringRef name, PtxType type);
  Value* distance(const Instruction& i, PtxType type);
  Value* of_two(const Instruction& i, StringRef name, PtxType type);
  Value* operand(const Instruction& i, unsigned k, PtxType type);
  Value* intrinsic(Intrinsic::ID id, ArrayRef<Value*> args) { return build_.CreateIntrinsic(id, {args[0]->getType()}, args); }

  // Memory.
  Value* shared_origin();
  Value* address(StringRef operand, const Instruction& i, bool is_shared);
  Value* address(StringRef operand, const Instruction& i);
  unsigned vector_length(const Instruction& i);
  Value* element(Value* pointer, PtxType type, unsigned k);
  AtomicOrdering ordering(const Instruction& i, AtomicOrdering strong);
  Value* guarded(Value* pointer, const Instruction& i, unsigned bytes);
  void load(const Instruction& i, PtxType type);
  void store(const Instruction& i, PtxType type);
  void copy(const Instruction& i);
  Value* atomic(const Instruction& i, PtxType type, bool has_result);

  // Within a lane.
  bool move_parts(const Instruction& i, PtxType type);
  Value* with_carry(const Instruction& i, StringRef name, PtxType type);
  Value* permute(const Instruction& i);
  Value* dot_of_bytes(const Instruction& i);
  Value* dot_of_shorts(const Instruction& i);
  Value* multiply_parts(const Instruction& i);
  Value* shift(StringRef name, Value* a, Value* amount, PtxType type);
  Value* ones(Value* count, Type* type);
  Value* bfe(Value* a, Value* at, Value* count, PtxType type);
  Value* bfi(Value* field, Value* into, Value* at, Value* count);
  Value* lop3(const Instruction& i, PtxType type);
  Value* multiply(const Instruction& i, StringRef name, PtxType type);
  Value* from_zero_to_one(Value* value);
  Value* set(const Instruction& i, PtxType type);
  Value* class_of(const Instruction& i, PtxType type);
  Value* compare(const Instruction& i, PtxType type);
  Value* cvt(const Instruction& i);
  Value* of_parts(const Instruction& i);
  Value* chosen_part(StringRef operand, PtxType type, const Instruction& i);
  Value* part_of(Value* word, unsigned first, unsigned bits, bool is_signed);
  Value* cvt_to_short(const Instruction& i);
  Value* divide(const Instruction& i, bool wants_rest, PtxType type);

  // Between the lanes of a warp.
  Value* from_lane(Value* value, Value* lane);
  bool is_warp_wide(const Instruction& i);
  void shuffle(const Instruction& i);
  void elect(const Instruction& i);
  void match_all(const Instruction& i, PtxType type);
  Value* vote(const Instruction& i);
  Value* reduce(const Instruction& i, PtxType type);
  void load_matrices(const Instruction& i);
  void multiply_matrices(const Instruction& i);

  CallInst& call_;
  InlineAsm& asm_;
  IRBuilder<> build_;
  SmallVector<Value*, 4> outputs_, inputs_;
  StringMap<Value*> locals_;
  Value* carry_ = nullptr;
};

}  // namespace kasoku::embedded::ptx
