// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/convert/array_rules.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/regex_template.h"
#include "meshwright/checkpoint/contents/cast.h"

namespace meshwright::checkpoint {
namespace {

class ReinterpretedSource : public ArraySource {
 public:
  explicit ReinterpretedSource(StoredArray stored) : stored_(std::move(stored)) {}

  Dims chunk() const override { return stored_.chunk(); }
  void check(const Ranges& part) const override { stored_.check(part); }
  void read(const Ranges& part, const io::zarr::Target& target) const override {
    stored_.read_into(part, target);
  }

 private:
  StoredArray stored_;
};

StoredArray reinterpreted(const StoredArray& array, DType dtype) {
  MW_CHECK(byte_size(dtype) == byte_size(array.type().dtype), "the bits of ", array.type().dtype,
           " cannot be taken for ", dtype, ", which has another size");
  return {{dtype, array.type().dims}, std::make_shared<ReinterpretedSource>(array)};
}

// Counts how often each rule was used: one that matches nothing is most likely mistyped.
template <typename Rule>
class UsedRules {
 public:
  UsedRules(const char* kind, const std::vector<Rule>& rules)
      : kind_(kind), rules_(rules), uses_(rules.size()) {}

  const Rule* find(const std::string& path) {
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (!pattern(rules_[i]).matches(path)) continue;
      ++uses_[i];
      return &rules_[i];
    }
    return nullptr;
  }
  void check_used() const {
    for (std::size_t i = 0; i < rules_.size(); ++i)
      MW_CHECK(uses_[i] > 0, kind_, ": no array's path matches ", pattern(rules_[i]));
  }
  std::size_t num_used() const {
    std::size_t out = 0;
    for (const std::size_t uses : uses_)
      out += uses;
    return out;
  }

 private:
  static const Regex& pattern(const Regex& rule) { return rule; }
  static const Regex& pattern(const RenameRule& rule) { return rule.from; }
  static const Regex& pattern(const DTypeRule& rule) { return rule.arrays; }

  const char* kind_;
  const std::vector<Rule>& rules_;
  std::vector<std::size_t> uses_;
};

StoredArray with_dtype(const std::string& path, const StoredArray& array, DType dtype) {
  MW_CHECK(array.type().dtype == dtype || can_cast(array.type().dtype, dtype), "cast: '", path,
           "' is ", array.type(), ", which cannot be cast to ", dtype);
  return cast(array, dtype);
}

// Rules for arrays apply to the other members too, but need not match any of them.
Structure ruled(Structure structure, const ArrayRules& rules) {
  const auto is_dropped = [&](const auto& member) {
    const auto matches = [&](const Regex& pattern) { return pattern.matches(member.first); };
    return (rules.only && !matches(*rules.only)) || std::ranges::any_of(rules.drop, matches);
  };
  std::erase_if(structure.empty, is_dropped);
  std::erase_if(structure.texts, is_dropped);
  return renamed(structure, [&](const std::string& path) {
    for (const RenameRule& rule : rules.rename)
      if (auto name = expand_match(rule.from, path, rule.to)) return name;
    return std::optional(path);
  });
}

}  // namespace

RuledArrays apply_rules(const Stored& stored, const ArrayRules& rules) {
  UsedRules<Regex> drop("drop", rules.drop);
  UsedRules<DTypeRule> reinterpret("reinterpret", rules.reinterpret), cast("cast", rules.cast);
  UsedRules<RenameRule> rename("rename", rules.rename);
  RuledArrays out{.stored = stored};
  out.stored.arrays = {};
  std::map<std::string, std::string> before;  // by new path
  out.stored.structure = ruled(stored.structure, rules);
  const auto is_wanted = [&](const std::string& path) {
    const bool is = (!rules.only || rules.only->matches(path)) && drop.find(path) == nullptr;
    if (!is) out.dropped.push_back(path);
    return is;
  };
  std::erase_if(out.stored.unreadable, [&](const auto& entry) { return !is_wanted(entry.first); });
  for_each(stored.arrays, [&](const std::string& path, StoredArray array) {
    if (!is_wanted(path)) return;
    if (const DTypeRule* rule = reinterpret.find(path)) array = reinterpreted(array, rule->dtype);
    if (const DTypeRule* rule = cast.find(path)) array = with_dtype(path, array, rule->dtype);
    const RenameRule* rule = rename.find(path);
    const std::string name = rule == nullptr ? path : *expand_match(rule->from, path, rule->to);
    const auto [other, is_new] = before.emplace(name, path);
    MW_CHECK(is_new, "rename: '", other->second, "' and '", path, "' would both be '", name, "'");
    out.stored.arrays[name] = std::move(array);
  });
  MW_CHECK(!before.empty(), "no array is left to convert");
  drop.check_used();
  reinterpret.check_used();
  cast.check_used();
  rename.check_used();
  out.num_renamed = rename.num_used();
  out.num_cast = cast.num_used() + reinterpret.num_used();
  return out;
}

}  // namespace meshwright::checkpoint
