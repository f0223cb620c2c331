#include "kasoku/compile/clang/generate.h"

#include "kasoku/base/error.h"

namespace kasoku::embedded {

GenerateResult generate_kernel(const GenerateRequest&) {
  throw Error(ErrorKind::unsupported, "this build generates no machine code");
}

}  // namespace kasoku::embedded
