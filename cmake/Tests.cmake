# SPDX-License-Identifier: Apache-2.0
# Each test has one label: unit device golden e2e peer long (see CONTRIBUTING.md).
# The build tree's tests.txt lists them as `name label targets peer`. From it ./mw test decides what to
# build and which Python environment to set up.

# The plugin is not ours to fix: suppressions list its sanitizer reports, each with a reason.
set(mw_sanitizer_environment)
if(MW_SANITIZE)
  set(suppressions ${PROJECT_SOURCE_DIR}/tools/sanitizers)
  set(mw_sanitizer_environment
      LSAN_OPTIONS=suppressions=${suppressions}/lsan.supp:print_suppressions=0
      TSAN_OPTIONS=suppressions=${suppressions}/tsan.supp:print_suppressions=0:halt_on_error=1
      UBSAN_OPTIONS=print_stacktrace=1)
endif()

# mw_test_code(target...): compiles test code with less optimization, since compiling tests takes longer
# than running them. The code under test is compiled as shipped.
function(mw_test_code)
  foreach(target ${ARGN})
    if(NOT MW_SANITIZE)
      target_compile_options(${target} PRIVATE -O1)
    endif()
  endforeach()
endfunction()

# Precompiled headers that nearly every test includes. Not with ccache, which already saves the work, and
# not in plain builds, which check that every file includes what it uses.
if(MW_TESTS AND MW_SANITIZE AND NOT MW_CCACHE)
  find_package(GTest REQUIRED)
  # A program like the tests: libraries are compiled with other options.
  file(WRITE ${PROJECT_BINARY_DIR}/precompiled.cc "int main() {}\n")
  add_executable(mw_precompiled ${PROJECT_BINARY_DIR}/precompiled.cc)
  target_link_libraries(mw_precompiled PRIVATE GTest::gmock mw_flags)
  target_precompile_headers(
    mw_precompiled PRIVATE <algorithm> <chrono> <filesystem> <fstream> <functional> <future> <map>
                           <memory> <mutex> <optional> <random> <ranges> <set> <span> <string> <thread>
                           <unordered_map> <variant> <vector> <gmock/gmock.h> <gtest/gtest.h>)
endif()

# mw_test(NAME LABEL label SOURCES file... LINK target... [PEER env] [SHARDS n]): a GoogleTest program
# run by ctest as one test, or as n tests NAME_1 to NAME_n that split its cases, for the slowest tests.
function(mw_test name)
  cmake_parse_arguments(arg "" "LABEL;PEER;SHARDS" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  set(link ${arg_LINK} GTest::gmock GTest::gtest_main)
  foreach(library ${arg_LINK})
    if(TARGET ${library}_testutil)
      list(APPEND link ${library}_testutil)
    endif()
  endforeach()
  target_link_libraries(${name} PRIVATE ${link} mw_flags)
  mw_test_code(${name})
  if(TARGET mw_precompiled)
    target_precompile_headers(${name} REUSE_FROM mw_precompiled)
  endif()
  if(NOT arg_SHARDS)
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    mw_describe_test(${name} "${arg_LABEL}" "${name}" "${arg_PEER}")
    return()
  endif()
  foreach(shard RANGE 1 ${arg_SHARDS})
    add_test(NAME ${name}_${shard} COMMAND ${name} --gtest_brief=1)
    mw_describe_test(${name}_${shard} "${arg_LABEL}" "${name}" "${arg_PEER}")
    math(EXPR index "${shard} - 1")
    set_property(TEST ${name}_${shard} APPEND PROPERTY ENVIRONMENT
                 GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${index})
  endforeach()
endfunction()

# mw_script_test(NAME LABEL label COMMAND word... [TARGETS target...] [PEER env] [ENVIRONMENT
# NAME=value...]): any command. Exit code 77 means skipped. TARGETS are built before it runs.
# PEER names a Python environment of tools/peers; a COMMAND that starts with `peer_python` runs it.
function(mw_script_test name)
  cmake_parse_arguments(arg "" "LABEL;PEER" "COMMAND;TARGETS;ENVIRONMENT" ${ARGN})
  list(GET arg_COMMAND 0 first)
  if(first STREQUAL "peer_python")
    list(REMOVE_AT arg_COMMAND 0)
    list(PREPEND arg_COMMAND ${PROJECT_SOURCE_DIR}/tools/peers/python ${arg_PEER})
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  mw_describe_test(${name} "${arg_LABEL}" "${arg_TARGETS}" "${arg_PEER}")
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()

function(mw_describe_test name label targets peer)
  set(labels unit device golden e2e peer long)
  if(NOT label IN_LIST labels)
    message(FATAL_ERROR "test ${name}: label '${label}' is none of: ${labels}")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 TIMEOUT 600)
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${mw_sanitizer_environment})
  if(label STREQUAL "long")
    set_tests_properties(${name} PROPERTIES TIMEOUT 7200)
  endif()
  list(JOIN targets "," targets)
  foreach(field targets peer)
    if(NOT ${field})
      set(${field} "-")
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY MW_TEST_LIST "${name} ${label} ${targets} ${peer}")
endfunction()

function(mw_write_test_list)
  get_property(tests GLOBAL PROPERTY MW_TEST_LIST)
  mw_check_tests_described("${PROJECT_SOURCE_DIR}" "${tests}")
  list(JOIN tests "\n" text)
  file(WRITE ${PROJECT_BINARY_DIR}/tests.txt "${text}\n")
endfunction()

# ./mw test does not know a test made by a bare add_test.
function(mw_check_tests_described folder described)
  get_property(tests DIRECTORY ${folder} PROPERTY TESTS)
  foreach(test ${tests})
    if(NOT described MATCHES "(^|;)${test} ")
      message(FATAL_ERROR "${folder}: test ${test} is not made by mw_test or mw_script_test")
    endif()
  endforeach()
  get_property(subfolders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder ${subfolders})
    mw_check_tests_described(${subfolder} "${described}")
  endforeach()
endfunction()
