#include <llvm/Support/ErrorHandling.h>

/// In the place of the functions in other_targets.txt, whatever they take and give.
extern "C" [[noreturn]] void ks_other_target() { llvm::report_fatal_error("the embedded compiler has no such target"); }
