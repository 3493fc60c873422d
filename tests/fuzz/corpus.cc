// SPDX-License-Identifier: Apache-2.0
#include "corpus.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "meshwright/base/error.h"

namespace meshwright::fuzz {

std::vector<std::string> corpus(std::string_view target) {
  std::filesystem::path folder = std::filesystem::path(MW_FUZZ_CORPUS) / target;
  std::map<std::string, std::string> by_name;
  if (std::filesystem::is_directory(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::ifstream in(entry.path(), std::ios::binary);
      by_name[entry.path().filename().string()] = {std::istreambuf_iterator<char>(in), {}};
    }
  }
  if (by_name.empty()) fail(ErrorCode::not_found, "no inputs in ", folder.string());
  std::vector<std::string> inputs;
  for (auto& [name, bytes] : by_name)
    inputs.push_back(std::move(bytes));
  return inputs;
}

}  // namespace meshwright::fuzz
