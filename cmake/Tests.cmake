# SPDX-License-Identifier: Apache-2.0
# Each test has one label: unit device golden e2e peer aot long (see CONTRIBUTING.md).
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

# mw_test_code(target...): compiles test code without optimization, since compiling tests takes longer
# than running them. The code under test is compiled as shipped.
function(mw_test_code)
  foreach(target ${ARGN})
    mw_test_options(${target})
    mw_unity(${target})
    mw_use_headers(${target} mw_test_headers)
  endforeach()
endfunction()

# All test code shares the precompiled headers and so has the same options.
function(mw_test_options target)
  target_link_libraries(${target} PRIVATE mw_flags)
  target_compile_definitions(${target} PRIVATE GTEST_HAS_PTHREAD=1)
  target_compile_options(${target} PRIVATE -fPIC -O0)
endfunction()

if(MW_UNITY AND MW_TESTS)
  mw_headers(mw_test_headers LINK GTest::gmock HEADERS <random> <gmock/gmock.h> <gtest/gtest.h>)
  mw_test_options(mw_test_headers)
endif()

# mw_test(NAME LABEL label SOURCES file... LINK target... [GOLDEN folder] [PEER env] [SHARDS n]
# [OPTIMIZED]): a GoogleTest program run by ctest as one test, or as n tests NAME_1 to NAME_n that split its
# cases, for the slowest tests. GOLDEN: the source finds this folder of tests/golden as GOLDEN_FOLDER.
# OPTIMIZED: XLA compiles as for users; for tests that compare every bit with goldens of such programs.
function(mw_test name)
  cmake_parse_arguments(arg "OPTIMIZED" "GOLDEN;LABEL;PEER;SHARDS" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  set(link ${arg_LINK} GTest::gmock GTest::gtest_main)
  foreach(library ${arg_LINK})
    if(TARGET ${library}_testutil)
      list(APPEND link ${library}_testutil)
    endif()
  endforeach()
  target_link_libraries(${name} PRIVATE ${link} mw_flags)
  mw_test_code(${name})
  if(arg_GOLDEN)
    target_compile_definitions(${name} PRIVATE GOLDEN_FOLDER="${PROJECT_SOURCE_DIR}/tests/golden/${arg_GOLDEN}")
  endif()
  if(NOT arg_SHARDS)
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    mw_describe_test(${name} "${arg_LABEL}" "${name}" "${arg_PEER}" "${arg_OPTIMIZED}")
    return()
  endif()
  foreach(shard RANGE 1 ${arg_SHARDS})
    add_test(NAME ${name}_${shard} COMMAND ${name} --gtest_brief=1)
    mw_describe_test(${name}_${shard} "${arg_LABEL}" "${name}" "${arg_PEER}" "${arg_OPTIMIZED}")
    math(EXPR index "${shard} - 1")
    set_property(TEST ${name}_${shard} APPEND PROPERTY ENVIRONMENT
                 GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${index})
  endforeach()
endfunction()

# mw_script_test(NAME LABEL label COMMAND word... [TARGETS target...] [PEER env] [ENVIRONMENT
# NAME=value...] [OPTIMIZED]): any command. Exit code 77 means skipped. TARGETS are built before it runs.
# PEER names a Python environment of tools/peers; a COMMAND that starts with `peer_python` runs it.
function(mw_script_test name)
  cmake_parse_arguments(arg "OPTIMIZED" "LABEL;PEER" "COMMAND;TARGETS;ENVIRONMENT" ${ARGN})
  list(GET arg_COMMAND 0 first)
  if(first STREQUAL "peer_python")
    list(REMOVE_AT arg_COMMAND 0)
    list(PREPEND arg_COMMAND ${PROJECT_SOURCE_DIR}/tools/peers/python ${arg_PEER})
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND})
  mw_describe_test(${name} "${arg_LABEL}" "${arg_TARGETS}" "${arg_PEER}" "${arg_OPTIMIZED}")
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${arg_ENVIRONMENT})
endfunction()

function(mw_describe_test name label targets peer optimized)
  set(labels unit device golden e2e peer aot long)
  if(NOT label IN_LIST labels)
    message(FATAL_ERROR "test ${name}: label '${label}' is none of: ${labels}")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77 TIMEOUT 600)
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT ${mw_sanitizer_environment})
  # Compiling the programs of tests takes longer than running them, so XLA omits LLVM's expensive passes
  # and JAX in peers does too.
  if(label MATCHES "^(device|golden|e2e|peer)$" AND NOT optimized)
    set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
      "XLA_FLAGS=--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")
  endif()
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
