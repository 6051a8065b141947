# fairlead_module(NAME name [SOURCES a.cc ...] [ALONE a.cc ...] [DEPS module ...]
#                 [LIBS library ...] [TESTING testing/a.cc ...] [TESTS a_test.cc ...]
#                 [TEST_DEPS module ...])
#
# One folder of the library: the static library fairlead_<name>, and one GoogleTest program
# <name>_test of all its tests. DEPS are the modules right below it; what those see, it sees. LIBS
# are other people's libraries, which only its own .cc files include. TEST_DEPS are modules that only
# the tests see. TESTING is what tests of this module and of others stand on: the library
# fairlead_<name>_testing, which no program links. Without SOURCES the module is headers only. ALONE
# are sources that FAIRLEAD_UNITY leaves alone, since they and another give the same name to
# different things of their own.
function(fairlead_module)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME"
                        "SOURCES;ALONE;DEPS;LIBS;TESTING;TESTS;TEST_DEPS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "fairlead_module(${arg_NAME}): unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  list(TRANSFORM arg_DEPS PREPEND fairlead_)
  foreach(dependency IN LISTS arg_DEPS)
    if(NOT TARGET ${dependency})
      message(FATAL_ERROR "${arg_NAME} may not depend on ${dependency}: arrows point down only")
    endif()
  endforeach()

  set(library fairlead_${arg_NAME})
  if(arg_SOURCES)
    add_library(${library} STATIC ${arg_SOURCES})
    target_link_libraries(${library} PUBLIC ${arg_DEPS} PRIVATE ${arg_LIBS})
    fairlead_precompile(${library})
    fairlead_unite(${library})
    set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  else()
    add_library(${library} INTERFACE)
    target_link_libraries(${library} INTERFACE ${arg_DEPS})
  endif()

  if(FAIRLEAD_TESTS AND arg_TESTING)
    add_library(${library}_testing STATIC ${arg_TESTING})
    target_link_libraries(${library}_testing PUBLIC ${library})
    fairlead_precompile(${library}_testing)
    list(APPEND arg_TEST_DEPS ${arg_NAME}_testing)
  endif()
  if(FAIRLEAD_TESTS AND arg_TESTS)
    fairlead_test(NAME ${arg_NAME}_test SOURCES ${arg_TESTS} DEPS ${arg_NAME} ${arg_TEST_DEPS})
  endif()
endfunction()

# fairlead_test(NAME program SOURCES a_test.cc ... [DEPS module ...] [LIBS library ...])
#
# One GoogleTest program; ctest sees each of its tests. They run in the root of the sources, so that
# they can open scenarios/x.yaml. A test whose name ends in _slow gets the label `slow`.
function(fairlead_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPS;LIBS")
  list(TRANSFORM arg_DEPS PREPEND fairlead_)
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS} ${arg_LIBS} GTest::gmock GTest::gtest_main)
  fairlead_precompile(${arg_NAME} WITH_GTEST)

  set(slow "*_slow:*_slow/*")  # the second: tests with parameters
  set(common DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 300
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${arg_NAME} ${common} TEST_FILTER "-${slow}" PROPERTIES TIMEOUT 600)
  gtest_discover_tests(${arg_NAME} ${common} TEST_FILTER "${slow}"
                       PROPERTIES LABELS slow TIMEOUT 1800)
endfunction()

include(GoogleTest)

# Lets the files of a target be compiled several at a time, where FAIRLEAD_UNITY asks for it: that
# halves the time for all of them, and makes each change to one dearer.
function(fairlead_unite target)
  if(FAIRLEAD_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    target_compile_options(${target} PRIVATE -Wno-shadow)  # of another file's private names
  endif()
endfunction()

# Lets a target use one of two shared precompiled headers: cmake/pch.h, alone or with GoogleTest.
function(fairlead_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WITH_GTEST" "" "")
  if(NOT FAIRLEAD_PCH)
    return()
  endif()
  if(arg_WITH_GTEST)
    target_precompile_headers(${target} REUSE_FROM fairlead_test_pch)
  else()
    target_precompile_headers(${target} REUSE_FROM fairlead_pch)
  endif()
endfunction()

if(FAIRLEAD_PCH)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/pch.cc" CONTENT "")
  add_library(fairlead_pch OBJECT "${PROJECT_BINARY_DIR}/pch.cc")
  target_link_libraries(fairlead_pch PRIVATE fmt::fmt tl::expected)
  target_precompile_headers(fairlead_pch PRIVATE "${PROJECT_SOURCE_DIR}/cmake/pch.h")
  if(FAIRLEAD_TESTS)
    add_library(fairlead_test_pch OBJECT "${PROJECT_BINARY_DIR}/pch.cc")
    target_link_libraries(fairlead_test_pch PRIVATE fmt::fmt tl::expected GTest::gmock)
    target_precompile_headers(fairlead_test_pch
      PRIVATE "${PROJECT_SOURCE_DIR}/cmake/pch.h" <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()
