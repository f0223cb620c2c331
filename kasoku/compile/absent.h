/// \file kasoku/compile/absent.h
/// Files that a compiler looked for on the way to those that it included. An entry of the cache
/// holds while they stay absent: a header that appears earlier in the search path is seen. Paths
/// are as they were looked up, so relative ones belong to the working folder of the moment.
#pragma once

namespace kasoku {

/// Instead of a hash, in IncludedFile and FileStamp.
inline constexpr const char* absent_file = "absent";

}  // namespace kasoku
