// SPDX-License-Identifier: Apache-2.0
#include "meshwright/config/sections.h"

#include <deque>
#include <map>
#include <utility>

#include "meshwright/base/str.h"
#include "meshwright/config/path.h"

namespace meshwright::config {
namespace {

class Walk {
 public:
  std::vector<Section> from(const Type& type) {
    queue_.push_back({.type = &type});
    std::vector<Section> out;
    while (!queue_.empty()) {
      out.push_back(std::move(queue_.front()));
      queue_.pop_front();
      add_keys(out.back());
    }
    return out;
  }

 private:
  void add_keys(Section& section) {
    const std::shared_ptr<void> object = section.type->create();
    const Fields fields = fields_of(*section.type, object.get());
    for (const Field& field : fields.list()) {
      SectionKey key{.id = join_path(section.id, field.name),
                     .found = describe(field, join_path(section.path, field.name))};
      key.described_at = queue_inner(*field.type, {key.found.path, key.id});
      section.keys.push_back(std::move(key));
    }
  }

  struct Place {
    std::string path, id;
    Place below(const std::string& part) const { return {path + part, id + part}; }
  };

  /// Queues the sections that describe a value and returns "". If they are already queued, returns
  /// their path.
  std::string queue_inner(const Type& type, const Place& place) {
    switch (type.kind) {
      case Kind::optional:
        return queue_inner(type.element(), place);
      case Kind::list:
        return queue_inner(type.element(), place.below(".0"));
      case Kind::map:
        return queue_inner(type.element(), place.below(".NAME"));
      case Kind::table:
      case Kind::variant:
        break;
      default:
        return "";
    }
    const auto [known, is_new] = paths_.emplace(&type, place.path);
    if (!is_new) return known->second;
    if (type.kind == Kind::table)
      queue_.push_back({.type = &type, .path = place.path, .id = place.id});
    for (const Alternative& alternative : type.variant.alternatives)
      if (!alternative.tag.empty())
        queue_.push_back({.type = &alternative.type(),
                          .path = place.path,
                          .tag = std::string(alternative.tag),
                          .id = str(place.id, '[', alternative.tag, ']')});
    return "";
  }

  std::deque<Section> queue_;
  std::map<const Type*, std::string> paths_;
};

}  // namespace

std::vector<Section> sections(const Type& type) {
  return Walk().from(type);
}

}  // namespace meshwright::config
