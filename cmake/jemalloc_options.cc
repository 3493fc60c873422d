// SPDX-License-Identifier: Apache-2.0
// Read by jemalloc when a program starts (cmake/Malloc.cmake). The environment variable MALLOC_CONF
// overrides it.

extern "C" {
extern const char* malloc_conf;
// Freed pages are kept: the next step wants them again. So that it finds them, whichever thread
// asks, there is one arena, beside that of blocks from 32 MiB on, and no small block is cut out of
// a large one. Huge pages, where the kernel leaves them to the program: the first touch of 2 MiB
// is one fault instead of 512.
const char* malloc_conf =
    "dirty_decay_ms:-1,muzzy_decay_ms:-1,narenas:1,oversize_threshold:33554432,"
    "lg_extent_max_active_fit:1,thp:always";
}
