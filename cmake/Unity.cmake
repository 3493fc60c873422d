# SPDX-License-Identifier: Apache-2.0
# Unity builds: the sources of a subfolder are compiled as one file, so that the headers which they share
# are parsed and instantiated once. A full build takes a third of the time; a change recompiles its
# subfolder. This is the default, except where ccache is installed: there each source is compiled alone,
# which checks that it includes what it uses; clang-tidy (./mw lint) checks the same. CI starts with an
# empty cache and always joins. Consequence for sources: two files of a subfolder must not define the same
# name, not even in unnamed namespaces.
if(MW_CCACHE AND NOT DEFINED ENV{CI})
  option(MW_UNITY "compile the sources of each subfolder as one file" OFF)
else()
  option(MW_UNITY "compile the sources of each subfolder as one file" ON)
endif()
set(MW_UNITY_SIZE 12 CACHE STRING "the most sources compiled as one file")

if(MW_UNITY)
  # These warnings take the included sources for headers, or an optional's value for uninitialized (see
  # mw_false_alarms).
  add_compile_options(-Wno-maybe-uninitialized -Wno-subobject-linkage)
  # g++ collects its garbage from 128 MB on; joined sources hold several times that. Waiting for 1 GB
  # saves a tenth of the compile time.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(--param=ggc-min-heapsize=1000000)
  endif()
endif()

# mw_alone(file...): sources whose names collide with those of their subfolder.
function(mw_alone)
  set_property(SOURCE ${ARGN} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# mw_unity(target): sources with compile options of their own are still compiled alone.
function(mw_unity target)
  if(NOT MW_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  set(last_folder)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL last_folder)
      set(last_folder ${folder})
      set(count 0)
    endif()
    math(EXPR chunk "${count} / ${MW_UNITY_SIZE}")
    math(EXPR count "${count} + 1")
    cmake_path(GET folder FILENAME name)
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${name}_${chunk})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
