# SPDX-License-Identifier: Apache-2.0
# The malloc of our programs. XLA's CPU plugin allocates every array, and about 30 objects around an
# execution, with malloc and posix_memalign, often on a different thread than the one that frees. glibc
# returns blocks of 32 MiB and more to the kernel at once and faults them in again page by page; jemalloc
# does not. Measured: allocating, writing and freeing 128 MiB takes 75 ms with glibc and 4 with jemalloc;
# a trivial execution takes 2.4 us and 1.5. Huge pages (jemalloc_options.cc): 5,000 page faults up to the
# first loss of a small transformer instead of 47,000. Without jemalloc programs work, but slower.
#
# It is linked dynamically, since the plugin must see its functions too. Sanitizer builds do not use it,
# because they have their own malloc.
#
# It is also installed: other programs can link Meshwright::malloc.
add_library(mw_malloc INTERFACE)
add_library(Meshwright::malloc ALIAS mw_malloc)
find_library(MW_JEMALLOC jemalloc)
if(MW_JEMALLOC AND NOT MW_SANITIZE)
  target_sources(mw_malloc INTERFACE ${CMAKE_CURRENT_LIST_DIR}/jemalloc_options.cc)
  target_link_libraries(mw_malloc INTERFACE -Wl,--no-as-needed ${MW_JEMALLOC} -Wl,--as-needed)
endif()
