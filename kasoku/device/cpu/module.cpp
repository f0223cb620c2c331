/// \file kasoku/device/cpu/module.cpp
#include "kasoku/device/cpu/module.h"

#include "kasoku/base/error.h"

namespace kasoku::cpu {

std::shared_ptr<Module> load_module(Device&, Code) {
  throw Error(ErrorKind::unsupported, "kernels cannot be loaded on a CPU yet");
}

}  // namespace kasoku::cpu
