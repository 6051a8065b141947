# fairlead_embed(OUT path.cc FILES a b ...): writes a source file that carries the named files of the
# project as text, so that the program needs none of them beside it. fairlead/scenario/files.h
# finds them by their path. The assembler copies them (.incbin): the compiler never sees them.
function(fairlead_embed)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT" "FILES")
  set(assembly "")
  set(declarations "")
  set(entries "")
  set(number 0)
  foreach(file IN LISTS arg_FILES)
    set(name "fairlead_embedded_${number}")
    string(APPEND assembly "    \".globl ${name}, ${name}_end\\n\"\n"
                           "    \"${name}: .incbin \\\"${PROJECT_SOURCE_DIR}/${file}\\\"\\n\"\n"
                           "    \"${name}_end: .byte 0\\n\"\n")
    string(APPEND declarations "extern const char ${name}[], ${name}_end[];\n")
    string(APPEND entries "      {\"${file}\", {${name}, ${name}_end}},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(CONFIGURE OUTPUT "${arg_OUT}" @ONLY CONTENT [[// Written by cmake/FairleadEmbed.cmake.
#include "fairlead/scenario/files.h"

asm(".pushsection .rodata\n"
@assembly@    ".popsection\n");

extern "C" {
@declarations@}

namespace fairlead {

std::span<const EmbeddedFile> EmbeddedFiles() {
  static const EmbeddedFile kFiles[] = {
@entries@  };
  return kFiles;
}

}  // namespace fairlead
]])
  list(TRANSFORM arg_FILES PREPEND "${PROJECT_SOURCE_DIR}/")
  # Link-time optimisation would take the assembler's text from the file that names what is in it.
  set_source_files_properties("${arg_OUT}" PROPERTIES OBJECT_DEPENDS "${arg_FILES}"
                              SKIP_UNITY_BUILD_INCLUSION ON COMPILE_OPTIONS -fno-lto)
endfunction()
