/// \file kasoku/kernel/swapped.h
/// The warning about swapped arguments: a program reads back an array that was created
/// zeroed and that launches only ever read, while one of them wrote what the host had filled.
#pragma once

#include "kasoku/kernel/arguments.h"

#include <span>

namespace kasoku {

/// After a launch: which of its arrays the compiled body reads and writes goes into the
/// history of their buffers. Argument i belongs to parameter i; scalars are skipped.
void note_launch(const KernelInfo& kernel, std::span<const Argument> args);

/// When the host reads the array back: warns (WarningKind::swapped_arguments) once if its
/// history says so, naming kernel and parameters.
void note_read_back(Buffer& buffer);

}  // namespace kasoku
