// Static objects live until the process is gone. Threads may still be at work while it ends (Python's daemon threads, or those
// of a program that returns from main() before them), and would find what destructors have left. The linker's --wrap leads here
// what registers a destructor; none of ours has to run.

extern "C" {

int __real___cxa_atexit(void (*call)(void*), void* object, void* library);

/// std::atexit() has no object.
__attribute__((visibility("hidden"))) int __wrap___cxa_atexit(void (*call)(void*), void* object, void* library) {
  return object ? 0 : __real___cxa_atexit(call, object, library);
}
}
