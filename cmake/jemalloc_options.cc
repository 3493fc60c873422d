// SPDX-License-Identifier: Apache-2.0
// Read by jemalloc when a program starts (cmake/Malloc.cmake). The environment variable MALLOC_CONF
// overrides it.

extern "C" {
extern const char* malloc_conf;
// Freed pages are kept, those of large blocks too: the next step wants them again. Huge pages,
// where the kernel leaves them to the program: the first touch of 2 MiB is one fault instead of
// 512.
const char* malloc_conf = "dirty_decay_ms:-1,muzzy_decay_ms:-1,oversize_threshold:0,thp:always";
}
