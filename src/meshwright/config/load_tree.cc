// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/load_tree.h"

#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/nearest.h"
#include "meshwright/config/merge.h"
#include "meshwright/config/parse_toml.h"

namespace meshwright::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{4} << 20;

[[noreturn]] void fail_not_found(const fs::path& file) {
  std::vector<std::string> names;
  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().filename().string());
  fail(ErrorCode::not_found, "no file ", file.string(),
       did_you_mean(file.filename().string(), names));
}

std::shared_ptr<const Source> read_source(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) fail_not_found(file);
  MW_CHECK(!fs::is_directory(file, ignored), file.string(), " is a folder, not a config");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    fail(ErrorCode::invalid_argument, file.string(),
         " cannot be opened: ", std::generic_category().message(errno));
  }
  std::string text(kMostBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  MW_CHECK(text.size() <= kMostBytes, file.string(), " is larger than ", kMostBytes,
           " bytes, too large for a config");
  return std::make_shared<const Source>(Source{file.string(), std::move(text)});
}

class FileLoader {
 public:
  Node load(const fs::path& file) {
    check_circle(file);
    Node own = parse_toml(read_source(file));
    Table& table = std::get<Table>(own.value);
    const Node* base = table.find("base");
    if (base == nullptr) return own;
    const Node base_node = *base;
    table.erase("base");
    MW_CHECK(base_node.string() != nullptr, base_node.origin,
             ": base must be the path of a file, in quotes");
    chain_.push_back(file);
    Node below = load_base(file.parent_path() / *base_node.string(), base_node.origin);
    chain_.pop_back();
    Problems problems;
    return merged(std::move(below), std::move(own), problems);
  }

 private:
  Node load_base(const fs::path& path, const Origin& origin) {
    std::error_code ignored;
    const fs::path file = path.lexically_normal();
    if (fs::is_regular_file(file, ignored)) return load(file);
    try {
      return load(file);
    } catch (const Error& error) {
      throw Error(error.code(), str(origin, ": base: ", error.what()));
    }
  }

  void check_circle(const fs::path& file) const {
    constexpr std::size_t kLongest = 32;
    std::error_code ignored;
    for (const fs::path& earlier : chain_)
      MW_CHECK(!fs::equivalent(earlier, file, ignored), "circular base: ", chain_text(),
               file.string());
    MW_CHECK(chain_.size() < kLongest, "more than ", kLongest,
             " levels of base files: ", chain_text(), file.string());
  }

  std::string chain_text() const {
    std::string text;
    for (const fs::path& file : chain_)
      text += str(file.string(), " -> ");
    return text;
  }

  std::vector<fs::path> chain_;
};

}  // namespace

Node load_file(const fs::path& file) {
  return FileLoader().load(file);
}

Node load_tree(const fs::path& file,
               std::span<const std::string> overrides,
               const Array& words_of_config,
               const std::string& given_in) {
  Problems problems;
  Node tree = merged(load_file(file), parse_overrides(words_of_config), problems);
  tree = merged(std::move(tree), parse_overrides(overrides, given_in), problems);
  problems.throw_if_any();
  return tree;
}

}  // namespace meshwright::config
