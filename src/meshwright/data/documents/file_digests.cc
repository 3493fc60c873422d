// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/documents/file_digests.h"

#include <algorithm>
#include <cstdint>

#include "meshwright/base/digest.h"
#include "meshwright/base/str.h"

namespace meshwright::data {
namespace {

constexpr std::size_t kMaxGroups = 32;
constexpr std::string_view kNumFiles = "num_files";

struct Group {
  std::string name;
  std::size_t begin, end;  // files
};

std::vector<Group> groups(std::size_t num_files) {
  const std::size_t count = std::min(num_files, kMaxGroups);
  std::vector<Group> out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = str(i < 10 ? "0" : "", i);
    out.push_back({number, i * num_files / count, (i + 1) * num_files / count});
  }
  return out;
}

}  // namespace

Tree<Scalar> file_digests(const std::vector<FileDigest>& files) {
  Tree<Scalar> out;
  out[kNumFiles] = Scalar(static_cast<std::int64_t>(files.size()));
  for (const Group& group : groups(files.size())) {
    Digest digest;
    for (std::size_t i = group.begin; i < group.end; ++i)
      digest.update(str(files[i].digest, "\n"));
    out[group.name] = Scalar(digest.hex());
  }
  return out;
}

std::string changed_file(const Tree<Scalar>& then, const std::vector<FileDigest>& now) {
  const Tree<Scalar> digests = file_digests(now);
  auto is_same = [&](std::string_view name) {
    const Tree<Scalar>* saved = then.find(name);
    return saved != nullptr && saved->is_leaf() && saved->value() == digests.at(name).value();
  };
  if (then.find(kNumFiles) == nullptr) return "";
  const std::vector<Group> all = groups(now.size());
  const auto found = std::ranges::find_if(all, [&](const Group& g) { return !is_same(g.name); });
  const bool is_same_number = is_same(kNumFiles);
  if (found == all.end()) return is_same_number ? "" : "files at the end are no longer there";
  const std::string& first = now[found->begin].name;
  const std::string& last = now[found->end - 1].name;
  const std::string what =
      first == last ? first : str("one of the files from ", first, " to ", last);
  return str(what, is_same_number ? " has changed" : " is the first that is new or has changed");
}

}  // namespace meshwright::data
