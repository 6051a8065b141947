# How every file of ours is compiled and linked, whatever the preset.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# A release compiles with all optimisation what runs for each decision or request, the HOT modules
# (FairleadModule.cmake), and the rest in less time.
if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")  # CMake's own choice
  set(CMAKE_CXX_FLAGS_RELEASE "-O1 -DNDEBUG")
endif()

if(FAIRLEAD_PYTHON)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)  # the module is a shared object
endif()

include_directories("${PROJECT_SOURCE_DIR}")
add_compile_definitions(FAIRLEAD_VERSION="${PROJECT_VERSION}")

# Results are the same in every preset: no fused multiply-add, and never -ffast-math.
add_compile_options(-ffp-contract=off)

# No -Wpedantic: exact arithmetic needs __int128. A field that is not mentioned keeps its default.
add_compile_options(
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wdouble-promotion -Wcast-qual
  -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi -Wvla -Wno-missing-field-initializers)
if(FAIRLEAD_WERROR STREQUAL "KNOWN")
  string(REGEX MATCH "^[0-9]+" version "${CMAKE_CXX_COMPILER_VERSION}")
  if("${CMAKE_CXX_COMPILER_ID}-${version}" MATCHES "^(GNU-12|Clang-16)$")
    add_compile_options(-Werror)
  endif()
elseif(FAIRLEAD_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  if(FAIRLEAD_UNITY)
    # GCC takes a sixth less time if it collects garbage only after a gigabyte.
    add_compile_options("SHELL:--param ggc-min-heapsize=1048576"
                        "SHELL:--param ggc-min-expand=300")
  endif()
  # GCC 12 sees overlaps in "a" + std::string that are not there (GCC bug 105651).
  add_compile_options(-Wno-restrict)
  if(FAIRLEAD_SANITIZE)
    # Instrumented code hides initialisations from GCC's flow analysis.
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()

if(FAIRLEAD_SANITIZE)
  add_compile_options(
    -fsanitize=${FAIRLEAD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${FAIRLEAD_SANITIZE})
endif()
if(FAIRLEAD_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

find_program(FAIRLEAD_LLD ld.lld)
if(FAIRLEAD_LLD)
  add_link_options(-fuse-ld=lld)
endif()
mark_as_advanced(FAIRLEAD_LLD)

find_program(FAIRLEAD_CCACHE ccache)
if(FAIRLEAD_CCACHE)
  # ccache refuses files that use a precompiled header unless it is told these two.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${FAIRLEAD_CCACHE})
  if(FAIRLEAD_PCH)
    add_compile_options(
      $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endif()
mark_as_advanced(FAIRLEAD_CCACHE)
