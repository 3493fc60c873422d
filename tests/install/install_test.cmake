# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=build/release -DVERSION=0.1.0 -P install_test.cmake
# Installs into an empty prefix, moves it (a package must not remember where it was), then builds and
# runs consumer/ and examples/custom_task against it.
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
file(STRINGS ${work}/build/CMakeCache.txt jemalloc REGEX "^MW_JEMALLOC:FILEPATH=/")
if(jemalloc AND NOT output MATCHES "malloc: jemalloc")
  message(FATAL_ERROR "consumer does not use the malloc it chose:\n${output}")
endif()
run(${work}/prefix/bin/meshwright --version)
if(NOT output MATCHES "meshwright ${VERSION} \\(commit [0-9a-f]+\\)")
  message(FATAL_ERROR "the installed program printed: ${output}")
endif()
foreach(file man/man1/meshwright.1 man/man1/meshwright-ckpt-show.1 fish/vendor_completions.d/meshwright.fish
             bash-completion/completions/meshwright zsh/site-functions/_meshwright)
  if(NOT EXISTS ${work}/prefix/share/${file})
    message(FATAL_ERROR "share/${file} is not installed")
  endif()
endforeach()
# Configs of the installed program are found by name.
file(WRITE ${work}/prefix/share/meshwright/configs/installed_only.toml "no_such_key = 1\n")
execute_process(COMMAND ${work}/prefix/bin/meshwright config show installed_only
                WORKING_DIRECTORY ${work} RESULT_VARIABLE result ERROR_VARIABLE output)
if(NOT result EQUAL 2 OR NOT output MATCHES "share/meshwright/configs/installed_only.toml:1:1: unknown")
  message(FATAL_ERROR "the installed program did not read an installed config:\n${output}")
endif()
# A plugin of the installed program takes precedence over that of the source tree.
set(plugin ${work}/prefix/share/meshwright/xla/cpu/plugin.so)
file(WRITE ${plugin} "no library\n")
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=MESHWRIGHT_PLUGIN_PATH
                        --unset=PJRT_NAMES_AND_LIBRARY_PATHS ${work}/prefix/bin/meshwright doctor
                RESULT_VARIABLE result OUTPUT_VARIABLE output)
if(NOT result EQUAL 6 OR NOT output MATCHES "problem: PJRT plugin ${plugin} is not a shared library")
  message(FATAL_ERROR "the installed program did not use its own plugin:\n${output}")
endif()
file(REMOVE ${plugin})
# A user's own task trains on 8 devices, is evaluated, and resumes.
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR}/../../examples/custom_task
    -B ${work}/custom_task -DCMAKE_PREFIX_PATH=${work}/prefix)
run(${CMAKE_COMMAND} --build ${work}/custom_task)
run(${work}/custom_task/custom_task ${work}/run 200)
if(NOT output MATCHES "mesh: data=4,model=2" OR NOT output MATCHES "accuracy: (1\n|0\\.9)")
  message(FATAL_ERROR "custom_task did not learn:\n${output}")
endif()
run(${work}/custom_task/custom_task ${work}/run 300)
if(NOT output MATCHES "restored the checkpoint of step 200" OR NOT output MATCHES "accuracy: (1\n|0\\.9)")
  message(FATAL_ERROR "custom_task did not resume:\n${output}")
endif()
run(${work}/custom_task/custom_task ${work}/run 300)
if(NOT output MATCHES "ended at step 300 without an evaluation")
  message(FATAL_ERROR "custom_task, restarted after it was complete, printed:\n${output}")
endif()
execute_process(COMMAND timeout --preserve-status -s INT 3 ${work}/custom_task/custom_task
                        ${work}/endless_run 1000000000
                RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 130)
  message(FATAL_ERROR "custom_task exited with ${result} on SIGINT:\n${output}")
endif()
file(READ ${work}/run/params.txt params)
foreach(there checkpoints/step_00000300 metrics.jsonl summaries/held_out)
  if(NOT EXISTS ${work}/run/${there} OR NOT params MATCHES "first/w_up [^\n]* embed mlp +\\[-, model\\]")
    message(FATAL_ERROR "custom_task left no ${there}, or its parameters are not sharded:\n${params}")
  endif()
endforeach()
file(REMOVE_RECURSE ${work})
