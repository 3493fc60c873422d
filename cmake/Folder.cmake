# SPDX-License-Identifier: Apache-2.0
# Each folder of src/meshwright is one library, with one or two test programs:
#   *_test.cc          label `unit`: no plugin needed
#   *_device_test.cc   label `device`: runs programs on the PJRT CPU plugin with 8 virtual devices
#   *_testutil.{h,cc}  shared by the tests of this folder and of higher ones
#   main.cc            a program, see mw_program

# mw_folder(NAME DEPS folder... [LINK target...] [NEEDS package...]): the library meshwright_NAME of
# the current folder. NEEDS: packages that a user's find_package(Meshwright) must find too.
function(mw_folder name)
  cmake_parse_arguments(arg "" "" "DEPS;LINK;NEEDS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS *.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(testutils ${sources})
  list(FILTER testutils INCLUDE REGEX "_testutil\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_(test|testutil)|/main)\\.cc$")

  if(sources)
    add_library(meshwright_${name} ${sources})
    set(scope PUBLIC)
    target_link_libraries(meshwright_${name} PRIVATE $<BUILD_INTERFACE:mw_flags>)
    mw_unity(meshwright_${name})
    mw_use_headers(meshwright_${name} mw_library_headers)
  else()
    add_library(meshwright_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(Meshwright::${name} ALIAS meshwright_${name})
  set_target_properties(meshwright_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(
    meshwright_${name} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                $<INSTALL_INTERFACE:include>)
  target_compile_features(meshwright_${name} ${scope} cxx_std_20)
  list(TRANSFORM arg_DEPS PREPEND meshwright_)
  target_link_libraries(meshwright_${name} ${scope} ${arg_DEPS} ${arg_LINK})
  set_property(GLOBAL APPEND PROPERTY MW_LIBRARIES meshwright_${name})
  set_property(GLOBAL APPEND PROPERTY MW_DEPENDENCIES ${arg_NEEDS})

  if(MW_TESTS)
    mw_folder_tests(${name} "${tests}" "${testutils}")
  endif()
endfunction()

function(mw_folder_tests name tests testutils)
  if(testutils)
    add_library(meshwright_${name}_testutil STATIC ${testutils})
    mw_test_code(meshwright_${name}_testutil)
    target_link_libraries(meshwright_${name}_testutil PUBLIC meshwright_${name} GTest::gtest
                                                      PRIVATE mw_flags)
  endif()
  set(device_tests ${tests})
  list(FILTER device_tests INCLUDE REGEX "_device_test\\.cc$")
  list(FILTER tests EXCLUDE REGEX "_device_test\\.cc$")
  if(tests)
    mw_test(${name}_test LABEL unit SOURCES ${tests} LINK meshwright_${name})
  endif()
  if(device_tests)
    mw_test(${name}_device_test LABEL device SOURCES ${device_tests} LINK meshwright_${name})
  endif()
endfunction()

# mw_program(NAME LINK target...): a program from the folder's main.cc, in bin/ of the build tree.
function(mw_program name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  add_executable(${name} main.cc)
  target_link_libraries(${name} PRIVATE ${arg_LINK} mw_flags mw_malloc)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
