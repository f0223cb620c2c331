#include "kasoku/compile/clang/passes/entry_frame.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/clang/abi.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <cstddef>

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr unsigned own_parameters = 5;  // launch, first, last, scratch, shared

struct Place {
  unsigned parameter;  ///< of the source
  uint64_t offset;     ///< bytes in it
};

// Where each IR argument lies in the source's parameters: x86's convention
// passes classes up to 16 bytes as one or two arguments of at most 8 bytes.
std::vector<Place> argument_places(const Function& kernel, const std::vector<uint32_t>& sizes) {
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  std::vector<Place> places;
  if (sizes.empty()) {
    for (unsigned i = 0; i < kernel.arg_size(); ++i) places.push_back({i, 0});
    return places;
  }
  unsigned argument = 0;
  for (unsigned parameter = 0; parameter < sizes.size(); ++parameter) {
    if (sizes[parameter] == 0) continue;
    if (argument >= kernel.arg_size()) break;
    const Argument& first = *kernel.getArg(argument++);
    places.push_back({parameter, 0});
    if (first.hasByValAttr() || sizes[parameter] <= 8) continue;
    if (layout.getTypeStoreSize(first.getType()) > 8 || argument >= kernel.arg_size()) continue;
    places.push_back({parameter, 8});
    ++argument;
  }
  if (places.size() != kernel.arg_size())
    throw Error(ErrorKind::internal, "the parameters of kernel '" + kernel.getName().str() +
                                         "' do not match its arguments");
  return places;
}

Value* launch_field(IRBuilder<>& build, Value* launch, size_t offset, Type* type,
                    const char* name) {
  Value* place = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), launch, offset);
  auto* load = build.CreateLoad(type, place, name);
  return load;
}

Function* make_body(const PreparedKernel& kernel, const std::vector<Place>&) {
  Function& from = *kernel.function;
  LLVMContext& context = from.getContext();
  Type* pointer = PointerType::getUnqual(context);
  Type* wide = Type::getInt64Ty(context);
  SmallVector<Type*> types;
  for (const Argument& argument : from.args()) types.push_back(argument.getType());
  types.append({pointer, wide, wide, pointer, pointer});
  auto* body = Function::Create(FunctionType::get(Type::getVoidTy(context), types, false),
                                GlobalValue::InternalLinkage, "ks_blocks", from.getParent());
  body->addFnAttr(Attribute::NoInline);
  body->addFnAttr(Attribute::NoUnwind);
  for (unsigned i = 0; i < from.arg_size(); ++i) {
    Argument& to = *body->getArg(i);
    to.setName(from.getArg(i)->getName());
    if (from.getArg(i)->hasByValAttr()) {
      to.addAttr(Attribute::NoAlias);
      to.addAttr(Attribute::ReadOnly);
    } else {
      for (const Attribute attribute : from.getAttributes().getParamAttrs(i))
        to.addAttr(attribute);
    }
  }
  const char* names[own_parameters] = {"launch", "first", "last", "scratch", "shared"};
  for (unsigned i = 0; i < own_parameters; ++i) {
    Argument& own = *body->getArg(from.arg_size() + i);
    own.setName(names[i]);
    if (i >= 3) {
      own.addAttr(Attribute::NoAlias);
      own.addAttr(Attribute::getWithAlignment(context, Align(64)));
    }
  }
  return body;
}

Function* make_entry(const PreparedKernel& kernel, Function& body,
                     const std::vector<Place>& places) {
  LLVMContext& context = body.getContext();
  Type* pointer = PointerType::getUnqual(context);
  Type* wide = Type::getInt64Ty(context);
  auto* entry = Function::Create(
      FunctionType::get(Type::getVoidTy(context), {pointer, pointer, wide, wide}, false),
      GlobalValue::ExternalLinkage, entry_symbol, body.getParent());
  IRBuilder<> build(BasicBlock::Create(context, "", entry));
  Value* args = entry->getArg(0);
  Value* launch = entry->getArg(1);
  SmallVector<Value*> passed;
  for (unsigned i = 0; i < places.size(); ++i) {
    Value* slot = build.CreateConstInBoundsGEP1_64(pointer, args, places[i].parameter);
    Value* place = build.CreateLoad(pointer, slot);
    place = build.CreateConstInBoundsGEP1_64(build.getInt8Ty(), place, places[i].offset);
    const Argument& argument = *kernel.function->getArg(i);
    passed.push_back(argument.hasByValAttr()
                         ? place
                         : build.CreateAlignedLoad(argument.getType(), place, Align(1)));
  }
  passed.append({launch, entry->getArg(2), entry->getArg(3),
                 launch_field(build, launch, offsetof(ks_launch, scratch), pointer, "scratch"),
                 launch_field(build, launch, offsetof(ks_launch, shared), pointer, "shared")});
  build.CreateCall(&body, passed);
  build.CreateRetVoid();
  return entry;
}

}  // namespace

EntryFrame build_entry_frame(const PreparedKernel& kernel, const BlockShape& shape) {
  const auto places = argument_places(*kernel.function, kernel.parameter_sizes);
  EntryFrame frame;
  frame.body = make_body(kernel, places);
  frame.entry = make_entry(kernel, *frame.body, places);
  const unsigned own = kernel.function->arg_size();
  for (unsigned i = 0; i < own; ++i) frame.arguments.push_back(frame.body->getArg(i));
  frame.launch = frame.body->getArg(own);
  Value* first = frame.body->getArg(own + 1);
  Value* last = frame.body->getArg(own + 2);
  frame.scratch = frame.body->getArg(own + 3);
  frame.shared = frame.body->getArg(own + 4);

  LLVMContext& context = frame.body->getContext();
  const auto block = [&](const char* name) {
    return BasicBlock::Create(context, name, frame.body);
  };
  frame.once = block("once");
  BasicBlock* head = block("blocks");
  frame.block_begin = block("block");
  frame.block_end = block("block.end");
  BasicBlock* leave = block("leave");

  IRBuilder<> build(frame.once);
  Type* word = build.getInt32Ty();
  Value* grid[3];
  const char* axes[3] = {"x", "y", "z"};
  for (unsigned axis = 0; axis < 3; ++axis) {
    grid[axis] = launch_field(build, frame.launch, offsetof(ks_launch, grid) + 4 * axis, word,
                              "grid");
    frame.index[static_cast<int>(Index::gdim_x) + axis] = grid[axis];
    const uint32_t known[3] = {shape.x, shape.y, shape.z};
    frame.index[static_cast<int>(Index::bdim_x) + axis] =
        shape.is_known() ? static_cast<Value*>(build.getInt32(known[axis]))
                         : launch_field(build, frame.launch,
                                        offsetof(ks_launch, block) + 4 * axis, word, axes[axis]);
  }
  frame.index[static_cast<int>(Index::dynamic_shared_bytes)] = launch_field(
      build, frame.launch, offsetof(ks_launch, shared_bytes), word, "dynamic_shared_bytes");
  const auto dimension = [&](int axis) {
    return frame.index[static_cast<int>(Index::bdim_x) + axis];
  };
  frame.threads = build.CreateNUWMul(build.CreateNUWMul(dimension(0), dimension(1)), dimension(2),
                                     "threads");
  Value* status = launch_field(build, frame.launch, offsetof(ks_launch, status),
                               build.getPtrTy(), "status");
  Value* row = build.CreateZExt(grid[0], build.getInt64Ty());
  Value* column = build.CreateZExt(grid[1], build.getInt64Ty());
  Value* rows = build.CreateUDiv(first, row);
  Value* start[3] = {build.CreateTrunc(build.CreateURem(first, row), word),
                     build.CreateTrunc(build.CreateURem(rows, column), word),
                     build.CreateTrunc(build.CreateUDiv(rows, column), word)};
  build.CreateCondBr(build.CreateICmpULT(first, last), head, leave);

  build.SetInsertPoint(head);
  PHINode* number = build.CreatePHI(build.getInt64Ty(), 2, "block");
  PHINode* at[3];
  const char* names[3] = {"block.x", "block.y", "block.z"};
  for (int axis = 0; axis < 3; ++axis) {
    at[axis] = build.CreatePHI(word, 2, names[axis]);
    at[axis]->addIncoming(start[axis], frame.once);
    frame.index[static_cast<int>(Index::bid_x) + axis] = at[axis];
  }
  number->addIncoming(first, frame.once);
  Value* stopped = build.CreateICmpNE(build.CreateLoad(word, status, /*isVolatile=*/true),
                                      build.getInt32(0));
  build.CreateCondBr(stopped, leave, frame.block_begin);

  build.SetInsertPoint(frame.block_end);
  Value* next_number = build.CreateNUWAdd(number, build.getInt64(1));
  Value* one = build.getInt32(1);
  Value* zero = build.getInt32(0);
  Value* x = build.CreateNUWAdd(at[0], one);
  Value* x_wraps = build.CreateICmpEQ(x, grid[0]);
  Value* y = build.CreateSelect(x_wraps, build.CreateNUWAdd(at[1], one), at[1]);
  Value* y_wraps = build.CreateICmpEQ(y, grid[1]);
  Value* z = build.CreateSelect(y_wraps, build.CreateNUWAdd(at[2], one), at[2]);
  number->addIncoming(next_number, frame.block_end);
  at[0]->addIncoming(build.CreateSelect(x_wraps, zero, x), frame.block_end);
  at[1]->addIncoming(build.CreateSelect(y_wraps, zero, y), frame.block_end);
  at[2]->addIncoming(z, frame.block_end);
  build.CreateCondBr(build.CreateICmpULT(next_number, last), head, leave);

  build.SetInsertPoint(leave);
  build.CreateRetVoid();
  return frame;
}

}  // namespace kasoku::embedded
