# SPDX-License-Identifier: Apache-2.0
# Precompiled headers of the standard library, one set for the program's code and one for tests: parsing
# them takes a tenth of the compile time. Used with unity builds only, so that sources which are compiled
# alone still show that they include what they use.
set(mw_standard_headers
    <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <cstdint> <filesystem> <fstream> <functional>
    <iostream> <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span> <sstream> <string>
    <string_view> <thread> <unordered_map> <utility> <variant> <vector>)

# mw_headers(NAME LINK target... [HEADERS header...]): makes a set of the standard headers and HEADERS. Its
# users must have the same compile options.
function(mw_headers name)
  cmake_parse_arguments(arg "" "" "LINK;HEADERS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/generated/${name}.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "// This target exists for its headers.\n")
  add_library(${name} OBJECT ${source})
  target_link_libraries(${name} PRIVATE ${arg_LINK})
  target_precompile_headers(${name} PRIVATE ${mw_standard_headers} ${arg_HEADERS})
endfunction()

# mw_use_headers(TARGET NAME): compiles the sources of a target with a set.
function(mw_use_headers target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

if(MW_UNITY)
  mw_headers(mw_library_headers LINK mw_flags)
endif()
