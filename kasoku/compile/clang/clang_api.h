/* \file kasoku/compile/clang/clang_api.h
 * The C boundary of libkasoku_clang.so, the embedded compiler. The engine loads
 * it with dlopen(RTLD_LOCAL) at the first cache miss; nothing of LLVM crosses it.
 * All functions may be called from any thread at once. No function prints,
 * aborts or throws. */
#ifndef KASOKU_COMPILE_CLANG_API_H
#define KASOKU_COMPILE_CLANG_API_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KS_CLANG_API_VERSION 1

typedef struct {
  const char* data;
  size_t size;
} ks_text;

typedef struct {
  ks_text name, content;
} ks_header;

/* Stage 1: text -> LLVM bitcode (all device functions, not optimised) + info. */
typedef struct {
  ks_text text;
  ks_text file;               /* its name in messages */
  const ks_text* options;     /* as users write them, see options.h */
  size_t n_options;
  const ks_text* name_expressions;
  size_t n_name_expressions;
  const ks_header* headers;   /* in-memory include files */
  size_t n_headers;
  int is_generated;           /* contraction off */
  int with_lines;             /* keep the lines of what is said about code later */
  int for_cuda;               /* 1: only the signature is wanted, for text that NVRTC compiles;
                                 unknown headers are then no error of ours */
} ks_parse_request;

/* Stage 2: bitcode -> ELF object of one kernel for one block shape. */
typedef struct {
  ks_text bitcode;
  ks_text symbol;        /* mangled kernel name, KernelInfo.symbol */
  uint32_t block[3];     /* zeros: any shape (read from the launch at run time) */
  ks_text cpu;           /* "x86-64-v3", "x86-64-v4", or "native" */
  int is_generated;
  int want;              /* KS_OBJECT, KS_IR, KS_ASSEMBLY or KS_LOOPS: what `main` is */
  int checked;           /* every access tells the checker, see check/shadow.h */
  ks_text passes;        /* words of KASOKU_PASSES */
  void (*after_pass)(ks_text said);  /* told what each pass left behind; null if nobody asks */
} ks_generate_request;

/* KS_LOOPS: a line for each thing that the vectorizer says of a loop: file, line, "passed" or "analysis", its words,
   with tabs between them. Loops have lines if the program was parsed with them. */
enum { KS_OBJECT = 0, KS_IR = 1, KS_ASSEMBLY = 2, KS_LOOPS = 3 };

typedef struct ks_clang_result ks_clang_result;

/* 0: done. 1: the user's text is wrong, see `diagnostics`. 2: internal error,
 * see `diagnostics`. *out is always set and must be freed. */
int ks_clang_parse(const ks_parse_request* request, ks_clang_result** out);
int ks_clang_generate(const ks_generate_request* request, ks_clang_result** out);

/* Parts of a result; valid until it is freed. Empty text if absent. */
enum {
  KS_MAIN = 0,        /* parse: bitcode. generate: object, IR or assembly */
  KS_INFO = 1,        /* JSON, see abi.h */
  KS_DIAGNOSTICS = 2, /* errors and warnings, ready to show: file:line:col: …, source line, caret */
};
ks_text ks_clang_get(const ks_clang_result* result, int part);
void ks_clang_free(ks_clang_result* result);

/* "clang 19.1.7, prelude <hash>": part of the cache key. The same text is
 * compiled into the engine (generated header) so that a hit need not load this. */
const char* ks_clang_identity(void);

#ifdef __cplusplus
}
#endif
#endif
