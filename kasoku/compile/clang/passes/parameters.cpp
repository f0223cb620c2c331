#include "kasoku/compile/clang/passes/parameters.h"

#include "kasoku/base/error.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace kasoku::embedded {

using namespace llvm;

std::vector<uint32_t> parameter_sizes(const Function& kernel) {
  std::vector<uint32_t> sizes;
  SmallVector<StringRef> words;
  kernel.getFnAttribute("ks-param-sizes").getValueAsString().split(words, ',', -1, false);
  for (const StringRef word : words) {
    uint32_t size = 0;
    word.trim().getAsInteger(10, size);
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<SourcePlace> argument_places(const Function& kernel, const std::vector<uint32_t>& sizes) {
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  std::vector<SourcePlace> places;
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

}  // namespace kasoku::embedded
