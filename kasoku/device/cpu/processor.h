/// \file kasoku/device/cpu/processor.h
/// What the processor is and what code for it may use.
#pragma once

#include <cstdint>
#include <string>

namespace kasoku::cpu {

/// "AMD EPYC 9654".
std::string processor_name();

/// The highest level of the x86-64 ABI that processor and system have: 1 to 4.
int processor_level();

/// KASOKU_CPU applied to the processor: "x86-64-v3" or "x86-64-v4". An Error if
/// the processor is below v3, or below what was asked for.
const std::string& target_architecture();

/// Launches compile what they need and run nothing, so that there may be code for a processor that this one is not. Set
/// before anything is launched.
extern bool compiles_only;

/// Bytes of memory of the machine or of the control group, whichever is less.
uint64_t total_memory();
/// Bytes that a new allocation could fill now without swapping.
uint64_t available_memory();

}  // namespace kasoku::cpu
