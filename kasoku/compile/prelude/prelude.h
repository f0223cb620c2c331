// CUDA C++ on a CPU: everything that kernel text may use without including it.
// Precompiled into the embedded compiler. Read it in this order.
#pragma once
#pragma clang system_header

#include <kasoku/words.h>
#pragma clang force_cuda_host_device begin
#include <kasoku/names.h>
#include <kasoku/vector.h>
#include <kasoku/index.h>
#include <kasoku/barrier.h>
#include <kasoku/warp.h>
#include <kasoku/atomic.h>
#include <kasoku/memory.h>
#include <kasoku/print.h>
#include <kasoku/launch.h>
#include <kasoku/math.h>
#include <kasoku/intrinsic.h>
#include <kasoku/dpx.h>
#include <kasoku/convert.h>
#include <kasoku/std.h>
#include <kasoku/std_algorithm.h>
#include <kasoku/half.h>
#include <kasoku/complex.h>
#include <kasoku/texture.h>
#pragma clang force_cuda_host_device end
#include <kasoku/new.h>
#include <kasoku/curand.h>
#if __cplusplus >= 201703L
#include <kasoku/cooperative_groups.h>
#include <kasoku/cub.h>
#include <kasoku/cuda_atomic.h>
#endif
