# Writes a C++ source that holds the prelude's files as text.
set(text "// Written by the build.\n#include \"kasoku/compile/clang/prelude_files.h\"\n\nnamespace kasoku::embedded {\nnamespace {\nconst PreludeFile files[] = {\n")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} content)
  string(APPEND text "    {\"${name}\", R\"kasoku_prelude(${content})kasoku_prelude\"},\n")
endforeach()
string(APPEND text "};\n}  // namespace\n\nstd::span<const PreludeFile> prelude_files() { return files; }\n\n}  // namespace kasoku::embedded\n")
file(WRITE ${OUT} "${text}")
