/// \file kasoku/compile/recorder.h
/// Who takes down what a device does: a column of the table of backends.
#pragma once

#include "kasoku/device/replay.h"

namespace kasoku {

std::unique_ptr<Recorder> make_recorder(Device& device);

}  // namespace kasoku
