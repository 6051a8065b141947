# fairlead_module(NAME name [HOT] [SOURCES a.cc ...] [ALONE a.cc ...] [DEPS module ...]
#                 [LIBS library ...] [TESTING testing/a.cc ...] [TESTS a_test.cc ...]
#                 [TEST_DEPS module ...] [TEST_SHARDS n])
#
# One folder of the library: the static library fairlead_<name>, and one GoogleTest program
# <name>_test of all its tests. DEPS are the modules right below it; what those see, it sees. LIBS
# are other people's libraries, which only its own .cc files include. TEST_DEPS are modules that only
# the tests see. TESTING is what tests of this module and of others stand on: the library
# fairlead_<name>_testing, which no program links. Without SOURCES the module is headers only. ALONE
# are sources that FAIRLEAD_UNITY leaves alone, since they and another give the same name to
# different things of their own. HOT modules hold what runs for each decision or request: a release
# compiles them with all optimisation.
function(fairlead_module)
  cmake_parse_arguments(PARSE_ARGV 0 arg "HOT" "NAME;TEST_SHARDS"
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
    if(arg_HOT AND CMAKE_BUILD_TYPE STREQUAL "Release")
      target_compile_options(${library} PRIVATE -O3)
      fairlead_precompile(${library} fairlead_hot_pch)
    else()
      fairlead_precompile(${library})
    endif()
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
    fairlead_test(NAME ${arg_NAME}_test SOURCES ${arg_TESTS} DEPS ${arg_NAME} ${arg_TEST_DEPS}
                  SHARDS ${arg_TEST_SHARDS})
  endif()
endfunction()

# fairlead_test(NAME program SOURCES a_test.cc ... [ALONE a_test.cc ...] [DEPS module ...] [LIBS library ...] [SHARDS n])
#
# One GoogleTest program. It runs in the root of the sources, so that it can open scenarios/x.yaml.
# ctest runs it as SHARDS processes side by side, each with its part of the tests; those whose names
# end in _slow are the test <program>_slow with the label `slow`. With FAIRLEAD_TEST_EACH ctest sees
# each test by its name instead.
function(fairlead_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;ALONE;DEPS;LIBS;SHARDS")
  list(TRANSFORM arg_DEPS PREPEND fairlead_)
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_DEPS} ${arg_LIBS} GTest::gmock GTest::gtest_main)
  fairlead_precompile(${arg_NAME} fairlead_test_pch)
  fairlead_unite(${arg_NAME})
  set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

  set(slow "*_slow:*_slow/*")  # the second: tests with parameters
  if(FAIRLEAD_TEST_EACH)
    set(common DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 300
        WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    gtest_discover_tests(${arg_NAME} ${common} TEST_FILTER "-${slow}" PROPERTIES TIMEOUT 600)
    gtest_discover_tests(${arg_NAME} ${common} TEST_FILTER "${slow}"
                         PROPERTIES LABELS slow TIMEOUT 1800)
    return()
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${arg_SHARDS})
    set(test ${arg_NAME})
    if(arg_SHARDS GREATER 1)
      string(APPEND test _${shard}_of_${arg_SHARDS})
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${test} COMMAND ${arg_NAME} --gtest_brief=1 "--gtest_filter=-${slow}"
             WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${test} PROPERTIES TIMEOUT 1800
                         ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${index}")
  endforeach()
  list(TRANSFORM arg_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/" REGEX "^[^/]")
  foreach(source IN LISTS arg_SOURCES)
    file(STRINGS "${source}" named REGEX "_slow[,)]" LIMIT_COUNT 1)
    if(named)
      add_test(NAME ${arg_NAME}_slow COMMAND ${arg_NAME} "--gtest_filter=${slow}"
               WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
      set_tests_properties(${arg_NAME}_slow PROPERTIES LABELS slow TIMEOUT 3600)
      break()
    endif()
  endforeach()
endfunction()

include(GoogleTest)

# Lets the files of a target be compiled many at a time, where FAIRLEAD_UNITY asks for it: that takes
# a third of the time for all of them, and makes each change to one dearer.
function(fairlead_unite target)
  if(FAIRLEAD_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 24)
    target_compile_options(${target} PRIVATE -Wno-shadow)  # of another file's private names
  endif()
endfunction()

# Lets a target use one of the shared precompiled headers: cmake/pch.h (fairlead_pch), the same as HOT
# modules compile it, or with GoogleTest.
function(fairlead_precompile target)
  set(header ${ARGN} fairlead_pch)
  list(GET header 0 header)
  if(FAIRLEAD_PCH)
    target_precompile_headers(${target} REUSE_FROM ${header})
  endif()
endfunction()

if(FAIRLEAD_PCH)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/pch.cc" CONTENT "")
  set(headers fairlead_pch)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    list(APPEND headers fairlead_hot_pch)  # GCC takes no header that was compiled otherwise
  endif()
  foreach(header IN LISTS headers)
    add_library(${header} OBJECT "${PROJECT_BINARY_DIR}/pch.cc")
    target_link_libraries(${header} PRIVATE fmt::fmt tl::expected)
    target_precompile_headers(${header} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/pch.h")
  endforeach()
  if(TARGET fairlead_hot_pch)
    target_compile_options(fairlead_hot_pch PRIVATE -O3)
  endif()
  if(FAIRLEAD_TESTS)
    add_library(fairlead_test_pch OBJECT "${PROJECT_BINARY_DIR}/pch.cc")
    target_link_libraries(fairlead_test_pch PRIVATE fmt::fmt tl::expected GTest::gmock)
    target_precompile_headers(fairlead_test_pch
      PRIVATE "${PROJECT_SOURCE_DIR}/cmake/pch.h" <gmock/gmock.h> <gtest/gtest.h>)
  endif()
endif()
