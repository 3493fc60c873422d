# SPDX-License-Identifier: Apache-2.0
# The malloc of our programs. XLA's CPU plugin allocates every array, and about 30 objects around an
# execution, with malloc and posix_memalign, often on another thread than the one that frees. glibc
# gives blocks of 32 MiB and more back at once and gets them again page by page; jemalloc does not.
# Measured: 128 MiB allocated, written and freed over and over, 75 ms a time with glibc, 4 with
# jemalloc; a trivial execution 2.4 us and 1.5. Huge pages (jemalloc_options.cc): 5,000 page faults
# up to the first loss of a small transformer instead of 47,000. Without jemalloc programs work, slower.
#
# It is linked dynamically: the plugin must see its functions too. Not for sanitizer builds, which
# have a malloc of their own.
#
# It is installed too: programs of others choose it by linking Meshwright::malloc.
add_library(mw_malloc INTERFACE)
add_library(Meshwright::malloc ALIAS mw_malloc)
find_library(MW_JEMALLOC jemalloc)
if(MW_JEMALLOC AND NOT MW_SANITIZE)
  target_sources(mw_malloc INTERFACE ${CMAKE_CURRENT_LIST_DIR}/jemalloc_options.cc)
  target_link_libraries(mw_malloc INTERFACE -Wl,--no-as-needed ${MW_JEMALLOC} -Wl,--as-needed)
endif()
