# SPDX-License-Identifier: Apache-2.0
# Compiler launcher, linker, warnings and sanitizers for every target of the project.

find_program(MW_CCACHE ccache)
if(MW_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${MW_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${MW_CCACHE})
endif()

find_program(MW_MOLD mold)
if(MW_MOLD AND NOT MW_SANITIZE)
  add_link_options(-fuse-ld=mold)
endif()

# A flags target rather than global flags: users of the installed library must not inherit our warnings.
add_library(mw_flags INTERFACE)
target_compile_options(mw_flags INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror
                                          # designated initialisers leave fields out on purpose
                                          -Wno-missing-field-initializers)

# mw_false_alarms(file...): sources in which g++ 12 takes an empty container in an optional or an
# aggregate for uninitialized (GCC bug 105562 and its like).
function(mw_false_alarms)
  if(NOT MW_UNITY)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -Wno-maybe-uninitialized)
  endif()
endfunction()

if(MW_SANITIZE)
  add_compile_options(-fsanitize=${MW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${MW_SANITIZE})
endif()
