// SPDX-License-Identifier: Apache-2.0
#include "meshwright/cli/earlier_keys.h"

#include <algorithm>
#include <string>

#include "meshwright/base/log.h"
#include "meshwright/config/write.h"
#include "meshwright/train/report/sink_config.h"

namespace meshwright::cli {
namespace {

constexpr const char* kWandb = "wandb";
constexpr const char* kSinks = "sinks";

config::Node list_of_sinks(train::SinkConfigs sinks, const config::Origin& origin) {
  config::Node out = config::write_object(config::type_of<train::SinkConfigs>(), &sinks);
  out.origin = out.key_origin = origin;
  return out;
}

bool is_wandb(const config::Node& sink) {
  const config::Node* type = sink.table() != nullptr ? sink.table()->find("type") : nullptr;
  return type != nullptr && type->string() != nullptr && *type->string() == kWandb;
}

}  // namespace

void replace_earlier_keys(config::Node& tree) {
  auto* table = std::get_if<config::Table>(&tree.value);
  const config::Node* found = table != nullptr ? table->find(kWandb) : nullptr;
  const bool* is_on = found != nullptr ? std::get_if<bool>(&found->value) : nullptr;
  if (is_on == nullptr) return;  // absent, or an unknown key like any other
  const config::Origin origin = found->origin;
  const bool adds_wandb = *is_on;
  table->erase(kWandb);
  if (!adds_wandb) return;
  log_warning("config: `wandb = true` is the earlier form of [[sinks]] type = \"wandb\"");
  if (table->find(kSinks) == nullptr)
    table->set(kSinks, list_of_sinks(train::default_sinks(), origin));
  auto* sinks = std::get_if<config::Array>(&table->find(kSinks)->value);
  if (sinks == nullptr || std::ranges::any_of(*sinks, is_wandb)) return;
  const config::Node added = list_of_sinks({train::WandbSinkConfig()}, origin);
  sinks->push_back(added.array() != nullptr ? added.array()->front() : added);
}

}  // namespace meshwright::cli
