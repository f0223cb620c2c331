// Faults belong to the engine here: it turns those of kernels into errors.
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

// Children of fork() start threads of their own here, which ThreadSanitizer refuses unless asked.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }
