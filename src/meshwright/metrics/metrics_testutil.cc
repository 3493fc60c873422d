// SPDX-License-Identifier: Apache-2.0
#include "meshwright/metrics/metrics_testutil.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include <sys/resource.h>

namespace meshwright::metrics {

ScratchFolder::ScratchFolder() {
  std::string name = std::filesystem::temp_directory_path() / "metrics_XXXXXX";
  path_ = ::mkdtemp(name.data());
}

ScratchFolder::~ScratchFolder() {
  std::filesystem::remove_all(path_);
}

FileSizeLimit::FileSizeLimit(std::int64_t num_bytes) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  before_ = limit.rlim_cur;
  limit.rlim_cur = static_cast<rlim_t>(num_bytes);
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

FileSizeLimit::~FileSizeLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = before_;
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> file_names(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    out.push_back(entry.path().filename());
  std::ranges::sort(out);
  return out;
}

}  // namespace meshwright::metrics
