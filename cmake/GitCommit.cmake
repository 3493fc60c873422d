# SPDX-License-Identifier: Apache-2.0
# Generates a header with the current commit. It changes only when HEAD does.

if(CMAKE_SCRIPT_MODE_FILE)  # cmake -DSOURCE= -DVERSION= -DHEADER= -P GitCommit.cmake
  cmake_minimum_required(VERSION 3.25)
  set(commit unknown)
  if(EXISTS ${SOURCE}/.git)
    execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE found
                    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(found)
      set(commit ${found})
    endif()
  endif()
  file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT
"#pragma once
inline constexpr char kVersion[] = \"@VERSION@\";
inline constexpr char kGitCommit[] = \"@commit@\";
")
  file(TOUCH ${HEADER})
  return()
endif()

# mw_git_commit(TARGET): meshwright/git_commit.gen.h for TARGET.
function(mw_git_commit target)
  set(folder ${PROJECT_BINARY_DIR}/generated)
  set(header ${folder}/meshwright/git_commit.gen.h)
  set(moves)  # git writes to these whenever HEAD moves
  if(EXISTS ${PROJECT_SOURCE_DIR}/.git)
    execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} rev-parse --git-path logs/HEAD
                    OUTPUT_VARIABLE log OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    cmake_path(ABSOLUTE_PATH log BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(EXISTS ${log} AND NOT IS_DIRECTORY ${log})
      set(moves ${log})
    endif()
  endif()
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION}
            -DHEADER=${header} -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${moves} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "noting the commit"
    VERBATIM)
  add_custom_target(git_commit DEPENDS ${header})  # for lint, which builds nothing else
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
