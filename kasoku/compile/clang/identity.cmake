# Writes the header that names the embedded compiler: clang's version and a hash
# of everything of ours that decides what it produces.
set(hashes "")
foreach(file IN LISTS FILES)
  file(SHA256 ${file} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 hash "${hashes}")
string(SUBSTRING ${hash} 0 16 hash)
file(WRITE ${OUT}.new "// Written by the build.\n#pragma once\n#define KASOKU_CLANG_IDENTITY \"clang ${VERSION}, prelude ${hash}\"\n")
file(COPY_FILE ${OUT}.new ${OUT} ONLY_IF_DIFFERENT)
file(TOUCH_NOCREATE ${OUT})
