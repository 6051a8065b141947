# fairlead_fuzz_target(NAME name SOURCE file.cc CORPUS folder [DEPS module ...])
#
# SOURCE defines LLVMFuzzerTestOneInput. Every build feeds it the files of its corpus (the test
# fuzz_<name>_corpus); the fuzz preset links libFuzzer as well and looks for new inputs for
# FAIRLEAD_FUZZ_SECONDS (fuzz_<name>_slow). What it finds new stays in the build folder: copy into
# the corpus what is worth keeping, every crash for one.
function(fairlead_fuzz_target)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SOURCE;CORPUS" "DEPS")
  list(TRANSFORM arg_DEPS PREPEND fairlead_)
  set(target fuzz_${arg_NAME})
  cmake_path(ABSOLUTE_PATH arg_CORPUS)
  add_executable(${target} ${arg_SOURCE})
  target_link_libraries(${target} PRIVATE ${arg_DEPS})

  if(FAIRLEAD_FUZZ)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    set(found "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}")
    file(MAKE_DIRECTORY "${found}")
    add_test(NAME ${target}_corpus COMMAND ${target} -runs=0 "${arg_CORPUS}")
    add_test(NAME ${target}_slow
             COMMAND ${target} -max_total_time=${FAIRLEAD_FUZZ_SECONDS} -timeout=5 -rss_limit_mb=2048 -print_funcs=0
                     "-artifact_prefix=${found}-" "${found}" "${arg_CORPUS}")
    set_tests_properties(${target}_slow PROPERTIES LABELS slow TIMEOUT 3600)
  else()
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/cmake/fuzz_corpus_main.cc")
    add_test(NAME ${target}_corpus COMMAND ${target} "${arg_CORPUS}")
  endif()
endfunction()
