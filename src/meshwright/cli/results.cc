// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/results.h"

#include <cerrno>
#include <iostream>
#include <string>
#include <string_view>

#include <unistd.h>

#include "meshwright/base/str.h"

namespace meshwright::cli {

namespace {

std::string text_of(const train::Results& results) {
  std::string out;
  for (const auto& [name, value] : results)
    out += str(name, ": ", static_cast<float>(value), '\n');
  return out;
}

}  // namespace

void print_results(const train::Results& results) {
  std::cout << text_of(results);
}

bool try_print_results(const train::Results& results) {
  std::cout.flush();
  const std::string text = text_of(results);
  std::string_view rest = text;
  while (!rest.empty()) {
    // std::cout would keep unwritten text and fail again at exit.
    const ssize_t written = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace meshwright::cli
