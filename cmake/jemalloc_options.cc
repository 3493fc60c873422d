// SPDX-License-Identifier: Apache-2.0
// Read by jemalloc when a program starts (cmake/Malloc.cmake). The environment variable MALLOC_CONF
// overrides it.

extern "C" {
extern const char* malloc_conf;
// Freed pages are kept for the next step. All threads share one arena, beside the one for blocks of
// 32 MiB and more, so that any thread can reuse them and nothing smaller is cut out of those. Other
// blocks may be cut out of larger ones (lg_extent_max_active_fit is 6 by default): jemalloc joins
// free neighbours, so that memory would else grow with every batch of data. Huge pages, if the
// kernel leaves the choice to the program, make the first touch of 2 MiB one fault instead of 512.
const char* malloc_conf =
    "dirty_decay_ms:-1,muzzy_decay_ms:-1,narenas:1,oversize_threshold:33554432,thp:always";
}
