/// \file kasoku/compile/clang/launches_allowed.cpp
/// Kernels that launch kernels. Clang 19 parses `<<<>>>` in device code and makes the right call of
/// it, but refuses every name of a kernel there. Two of its functions decide that, and the linker
/// leads calls of them here (--wrap in CMakeLists.txt). A kernel that is called without a launch is
/// refused all the same, elsewhere.
#include <clang/AST/Decl.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/SemaCUDA.h>

using clang::FunctionDecl;
using clang::SemaCUDA;

#define KS_PREFERENCE "_ZN5clang8SemaCUDA18IdentifyPreferenceEPKNS_12FunctionDeclES3_"
#define KS_CHECK_CALL "_ZN5clang8SemaCUDA9CheckCallENS_14SourceLocationEPNS_12FunctionDeclE"

SemaCUDA::CUDAFunctionPreference clangs_preference(SemaCUDA*, const FunctionDecl* caller,
                                                   const FunctionDecl* callee) __asm__("__real_" KS_PREFERENCE);
bool clangs_check(SemaCUDA*, clang::SourceLocation, FunctionDecl* callee) __asm__("__real_" KS_CHECK_CALL);

namespace {

bool is_launch_from_device(SemaCUDA& cuda, const FunctionDecl* caller, const FunctionDecl* callee) {
  if (!caller || cuda.IdentifyTarget(callee) != clang::CUDAFunctionTarget::Global) return false;
  const auto target = cuda.IdentifyTarget(caller);
  return target != clang::CUDAFunctionTarget::Host && target != clang::CUDAFunctionTarget::InvalidTarget;
}

}  // namespace

SemaCUDA::CUDAFunctionPreference preference_with_launches(SemaCUDA*, const FunctionDecl*, const FunctionDecl*)
    __asm__("__wrap_" KS_PREFERENCE);
bool check_with_launches(SemaCUDA*, clang::SourceLocation, FunctionDecl*) __asm__("__wrap_" KS_CHECK_CALL);

SemaCUDA::CUDAFunctionPreference preference_with_launches(SemaCUDA* cuda, const FunctionDecl* caller,
                                                          const FunctionDecl* callee) {
  return is_launch_from_device(*cuda, caller, callee) ? SemaCUDA::CFP_Native
                                                      : clangs_preference(cuda, caller, callee);
}

bool check_with_launches(SemaCUDA* cuda, clang::SourceLocation place, FunctionDecl* callee) {
  return is_launch_from_device(*cuda, cuda->SemaRef.getCurFunctionDecl(/*AllowLambda=*/true), callee) ||
         clangs_check(cuda, place, callee);
}
