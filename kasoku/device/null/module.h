/// \file kasoku/device/null/module.h
#pragma once

#include "kasoku/device/device.h"

#include <memory>

namespace kasoku::null {

std::shared_ptr<Module> load_module(Device& device, Code code);

}  // namespace kasoku::null
