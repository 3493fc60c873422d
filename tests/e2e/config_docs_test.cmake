# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=build/release/bin/meshwright -DPAGE=docs/config.md -P config_docs_test.cmake
execute_process(COMMAND ${PROGRAM} config docs OUTPUT_VARIABLE fresh COMMAND_ERROR_IS_FATAL ANY)
set(written "")
if(EXISTS ${PAGE})
  file(READ ${PAGE} written)
endif()
if(NOT fresh STREQUAL written)
  message(FATAL_ERROR "docs/config.md is stale\nremedy: ./mw config docs > docs/config.md")
endif()
