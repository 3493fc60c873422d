// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <cstdio>
#include <exception>

#include "meshwright/base/check.h"

namespace meshwright::parity {
namespace {

Request parse(int argc, char** argv) {
  MW_CHECK(argc >= 2 && argc <= 4, "usage: ", argv[0], " FOLDER [PART_OF_NAME [SEED]]");
  return {.folder = argv[1],
          .part = argc > 2 ? argv[2] : "",
          .seed = argc > 3 ? std::stoull(argv[3]) : 0};
}

}  // namespace

int run_program(int argc, char** argv, std::vector<Record> (*make_records)(const Request&)) {
  try {
    Request request = parse(argc, argv);
    write_manifest(request.folder, make_records(request));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    return 70;
  }
}

}  // namespace meshwright::parity
