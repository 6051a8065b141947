# fairlead_embed(OUT path.cc FILES a b ...): writes a source file that carries the named files of the
# project as text, so that the program needs none of them beside it. fairlead/scenario/embedded_files.h
# finds them by their path.
function(fairlead_embed)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT" "FILES")
  set(entries "")
  foreach(file IN LISTS arg_FILES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${file}")
    file(READ "${PROJECT_SOURCE_DIR}/${file}" text)
    # A raw string may have 65,536 characters: longer files become several that follow each other.
    string(LENGTH "${text}" length)
    set(pieces "")
    set(start 0)
    while(start LESS length)
      string(SUBSTRING "${text}" ${start} 16000 piece)
      string(APPEND pieces "R\"embedded(${piece})embedded\"sv\n")
      math(EXPR start "${start} + 16000")
    endwhile()
    string(APPEND entries "    {\"${file}\",\n     ${pieces}},\n")
  endforeach()
  file(CONFIGURE OUTPUT "${arg_OUT}" @ONLY CONTENT [[// Written by cmake/FairleadEmbed.cmake.
#include "fairlead/scenario/embedded_files.h"

namespace fairlead {

using namespace std::string_view_literals;  // long ones are not counted by the compiler

std::span<const EmbeddedFile> EmbeddedFiles() {
  static constexpr EmbeddedFile kFiles[] = {
@entries@  };
  return kFiles;
}

}  // namespace fairlead
]])
endfunction()
