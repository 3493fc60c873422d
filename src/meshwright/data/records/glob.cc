// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/records/glob.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include <fnmatch.h>

#include "meshwright/base/error.h"
#include "meshwright/io/file_tree.h"

namespace meshwright::data {
namespace {

namespace fs = std::filesystem;
using Components = std::span<const std::string>;

std::string in_folder(const std::string& folder, const std::string& name) {
  if (folder.empty()) return name;
  return folder.ends_with('/') ? folder + name : folder + "/" + name;
}

std::string or_here(const std::string& folder) {
  return folder.empty() ? "." : folder;
}

bool is_hidden(std::string_view name) {
  return name.starts_with('.');
}

std::vector<std::string> split(std::string_view pattern) {
  std::vector<std::string> out;
  while (!pattern.empty()) {
    const std::size_t slash = std::min(pattern.find('/'), pattern.size());
    if (slash > 0) out.emplace_back(pattern.substr(0, slash));
    pattern.remove_prefix(std::min(slash + 1, pattern.size()));
  }
  return out;
}

class Expansion {
 public:
  explicit Expansion(std::vector<std::string>& out) : out_(out) {}

  void expand(const std::string& folder, Components rest, std::size_t depth) {
    if (rest.empty()) {
      out_.push_back(folder);
    } else if (rest.front() == "**") {
      expand_any_depth(folder, rest, depth);
    } else if (has_wildcard(rest.front())) {
      expand_names(folder, rest, depth);
    } else {
      const std::string path = in_folder(folder, rest.front());
      std::error_code ignored;
      if (fs::exists(path, ignored)) expand(path, rest.subspan(1), depth);
    }
  }

 private:
  void expand_names(const std::string& folder, Components rest, std::size_t depth) {
    const bool wants_hidden = is_hidden(rest.front());
    for (const std::string& name : names_in(or_here(folder))) {
      if (is_hidden(name) && !wants_hidden) continue;
      if (!matches_wildcard(name, rest.front())) continue;
      const std::string path = in_folder(folder, name);
      std::error_code ignored;
      if (rest.size() == 1 || fs::is_directory(path, ignored)) expand(path, rest.subspan(1), depth);
    }
  }

  void expand_any_depth(const std::string& folder, Components rest, std::size_t depth) {
    if (rest.size() == 1) {
      const std::string any_name[] = {"*"};
      expand(folder, any_name, depth);
    } else {
      expand(folder, rest.subspan(1), depth);
    }
    if (depth == io::kMaxFolders) return;
    for (const std::string& name : names_in(or_here(folder))) {
      const std::string path = in_folder(folder, name);
      std::error_code ignored;
      const bool is_real_folder =
          fs::symlink_status(path, ignored).type() == fs::file_type::directory;
      if (is_real_folder && !is_hidden(name)) expand_any_depth(path, rest, depth + 1);
    }
  }

  std::vector<std::string>& out_;
};

}  // namespace

bool has_wildcard(std::string_view pattern) {
  return pattern.find_first_of("*?[") != std::string_view::npos;
}

bool matches_wildcard(std::string_view name, std::string_view pattern) {
  return ::fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), 0) == 0;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    out.push_back(i->path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<std::string> expand_glob(const std::string& pattern) {
  const std::vector<std::string> components = split(pattern);
  if (std::count(components.begin(), components.end(), "**") > 1) {
    fail(ErrorCode::invalid_argument, "the pattern '", pattern, "' has more than one **");
  }
  std::vector<std::string> out;
  Expansion(out).expand(pattern.starts_with('/') ? "/" : "", components, 0);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace meshwright::data
