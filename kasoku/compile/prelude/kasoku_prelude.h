// CUDA C++ on a CPU: everything that kernel text may use without including it.
// Precompiled into the embedded compiler; see index.h for how it is built up.
#pragma once
#pragma clang system_header

#include "kasoku_words.h"
#pragma clang force_cuda_host_device begin
#include "kasoku_index.h"
#pragma clang force_cuda_host_device end
