// SPDX-License-Identifier: Apache-2.0
#include "meshwright/io/path.h"

#include <algorithm>

#include "meshwright/base/check.h"
#include "meshwright/base/printable.h"

namespace meshwright::io {
namespace {

constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::size_t kMaxComponentBytes = 255;

// Returns an untrusted name in printable, shortened form.
std::string shown(std::string_view text) {
  return str(printable_name(text.substr(0, 80)), text.size() > 80 ? "..." : "");
}

void check_component(std::string_view component, std::string_view path) {
  auto is_bad = [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\';
  };
  MW_CHECK(!component.empty(), "path '", shown(path), "': has an empty component");
  MW_CHECK(component != "." && component != "..", "path '", shown(path), "': '", component,
           "' is not allowed");
  MW_CHECK(component.size() <= kMaxComponentBytes, "path '", shown(path), "': a component of ",
           component.size(), " bytes, at most ", kMaxComponentBytes, " are allowed");
  MW_CHECK(std::ranges::none_of(component, is_bad), "path '", shown(path),
           "': contains a backslash or control character");
}

}  // namespace

std::vector<std::string> path_components(std::string_view path) {
  MW_CHECK(path.size() <= kMaxPathBytes, "path '", shown(path), "': has ", path.size(),
           " bytes, at most ", kMaxPathBytes, " are allowed");
  std::vector<std::string> out;
  if (path.empty()) return out;
  std::size_t begin = 0;
  while (true) {
    std::size_t end = std::min(path.find('/', begin), path.size());
    std::string_view component = path.substr(begin, end - begin);
    check_component(component, path);
    out.emplace_back(component);
    if (end == path.size()) return out;
    begin = end + 1;
  }
}

void check_path(std::string_view path) {
  path_components(path);
}

bool is_path(std::string_view path) {
  try {
    check_path(path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string join_path(std::string_view folder, std::string_view path) {
  if (folder.empty()) return std::string(path);
  if (path.empty()) return std::string(folder);
  return str(folder, "/", path);
}

std::string parent_of(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

std::string name_of(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace meshwright::io
