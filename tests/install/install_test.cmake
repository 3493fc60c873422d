# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=build/release -DVERSION=0.1.0 -P install_test.cmake
# Installs into an empty prefix, moves it (a package must not remember where it was), then builds and
# runs consumer/ against it.
set(work ${BUILD}/install_test)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message("${output}")
    message(FATAL_ERROR "failed: ${command}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/installed)
file(RENAME ${work}/installed ${work}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${work}/build
    -DCMAKE_PREFIX_PATH=${work}/prefix -DMESHWRIGHT_VERSION=${VERSION})
run(${CMAKE_COMMAND} --build ${work}/build)
run(${work}/build/consumer)
if(NOT output MATCHES "stablehlo.add")
  message(FATAL_ERROR "consumer wrote no program:\n${output}")
endif()
run(${work}/prefix/bin/meshwright --version)
if(NOT output MATCHES "meshwright ${VERSION} \\(commit [0-9a-f]+\\)")
  message(FATAL_ERROR "the installed program says: ${output}")
endif()
# Configs beside the installed program are found by name.
file(WRITE ${work}/prefix/share/meshwright/configs/installed_only.toml "no_such_key = 1\n")
execute_process(COMMAND ${work}/prefix/bin/meshwright config show installed_only
                WORKING_DIRECTORY ${work} RESULT_VARIABLE result ERROR_VARIABLE output)
if(NOT result EQUAL 2 OR NOT output MATCHES "share/meshwright/configs/installed_only.toml:1:1: unknown")
  message(FATAL_ERROR "the installed program did not read an installed config:\n${output}")
endif()
file(REMOVE_RECURSE ${work})
