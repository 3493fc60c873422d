# SPDX-License-Identifier: Apache-2.0
# cmake --install: the program, the headers, and a package for find_package(Meshwright).
# Meshwright::meshwright is the whole library, Meshwright::<folder> one folder, and Meshwright::malloc
# the malloc of our programs, which others may link.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# The built program writes its own man pages and completion scripts, from the tables behind --help.
function(mw_install_shell_files)
  set(share ${PROJECT_BINARY_DIR}/share)
  set(man ${share}/man/man1)
  set(bash ${share}/bash-completion/completions)
  set(fish ${share}/fish/vendor_completions.d)
  set(zsh ${share}/zsh/site-functions)
  add_custom_command(
    OUTPUT ${share}/stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${share}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${bash} ${fish} ${zsh}
    COMMAND meshwright man --folder ${man}
    COMMAND meshwright completion bash > ${bash}/meshwright
    COMMAND meshwright completion fish > ${fish}/meshwright.fish
    COMMAND meshwright completion zsh > ${zsh}/_meshwright
    COMMAND ${CMAKE_COMMAND} -E touch ${share}/stamp
    DEPENDS meshwright
    COMMENT "Writing man pages and shell completion"
    VERBATIM)
  add_custom_target(meshwright_shell_files ALL DEPENDS ${share}/stamp)
  install(DIRECTORY ${man} DESTINATION ${CMAKE_INSTALL_MANDIR})
  foreach(folder bash-completion fish zsh)
    install(DIRECTORY ${share}/${folder} DESTINATION ${CMAKE_INSTALL_DATADIR})
  endforeach()
endfunction()

function(mw_install)
  get_property(libraries GLOBAL PROPERTY MW_LIBRARIES)
  list(REMOVE_ITEM libraries meshwright_cli)  # the program, not the library
  add_library(meshwright_all INTERFACE)
  set_target_properties(meshwright_all PROPERTIES EXPORT_NAME meshwright)
  add_library(Meshwright::meshwright ALIAS meshwright_all)
  target_link_libraries(meshwright_all INTERFACE ${libraries})
  add_custom_target(installables DEPENDS meshwright ${libraries})
  mw_install_shell_files()
  add_dependencies(installables meshwright_shell_files)

  install(TARGETS meshwright RUNTIME)
  install(TARGETS meshwright_all ${libraries} EXPORT Meshwright ARCHIVE)
  install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/src/meshwright
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h"
    PATTERN "*_testutil.h" EXCLUDE
    PATTERN "cli" EXCLUDE)

  # config::config_folders() looks here for configs that are run by name.
  install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/configs
    DESTINATION ${CMAKE_INSTALL_DATADIR}/meshwright
    OPTIONAL
    FILES_MATCHING PATTERN "*.toml")

  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Meshwright)
  install(EXPORT Meshwright NAMESPACE Meshwright:: FILE MeshwrightTargets.cmake
          DESTINATION ${package})
  get_property(dependencies GLOBAL PROPERTY MW_DEPENDENCIES)
  list(REMOVE_DUPLICATES dependencies)
  set(find_dependencies)
  foreach(dependency ${dependencies})
    string(APPEND find_dependencies "find_dependency(${dependency})\n")
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/MeshwrightConfig.cmake @ONLY CONTENT
"include(CMakeFindDependencyMacro)
@find_dependencies@include(\${CMAKE_CURRENT_LIST_DIR}/MeshwrightTargets.cmake)
if(NOT TARGET mw_malloc)
  include(\${CMAKE_CURRENT_LIST_DIR}/Malloc.cmake)
endif()
")
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/MeshwrightConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/MeshwrightConfig.cmake
                ${PROJECT_BINARY_DIR}/MeshwrightConfigVersion.cmake
                ${PROJECT_SOURCE_DIR}/cmake/Malloc.cmake
                ${PROJECT_SOURCE_DIR}/cmake/jemalloc_options.cc DESTINATION ${package})
endfunction()
