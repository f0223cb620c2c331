/// \file kasoku/kasoku.h
/// Everything a C++ program needs.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/matmul.h"
#include "kasoku/array/random.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/dtype.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/compile.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/device.h"
#include "kasoku/device/module.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/elementwise.h"
#include "kasoku/kernel/raw_module.h"
#include "kasoku/kernel/reduction.h"
#include "kasoku/kernel/scan.h"
