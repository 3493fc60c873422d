// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "checkpoint_targets.h"
#include "container_targets.h"
#include "meshwright/base/error.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/regex.h"
#include "meshwright/base/temporary_folder_testutil.h"
#include "meshwright/config/load_tree.h"
#include "meshwright/config/parse_toml.h"
#include "meshwright/config/toml_text.h"
#include "meshwright/mesh/param_sharding.h"
#include "meshwright/mesh/shard_spec.h"
#include "meshwright/mesh/sharding.h"
#include "meshwright/optim/schedules/duration.h"
#include "meshwright/runtime/cache_file.h"
#include "meshwright/tensor/axis_spec.h"
#include "record_targets.h"
#include "token_targets.h"
#include "tokenizer_targets.h"

namespace meshwright::fuzz {
namespace {

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines(1);
  for (char c : text) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  }
  return lines;
}

void read_json(std::string_view bytes) {
  std::string text = to_string(parse_json(bytes, "input"));
  require(to_string(parse_json(text, "written")) == text, "another value when read again");
}

// The first line is the pattern, the second a text to match.
void read_regex(std::string_view bytes) {
  std::vector<std::string> lines = lines_of(bytes);
  Regex pattern(lines[0]);
  if (lines.size() > 1) pattern.matches(lines[1]);
}

config::Node parse_toml(std::string_view text) {
  return config::parse_toml(
      std::make_shared<const config::Source>(config::Source{"input", std::string(text)}));
}

void read_toml(std::string_view bytes) {
  config::Node tree = parse_toml(bytes);
  std::string text = config::toml_document(*tree.table());
  require(parse_toml(text) == tree, "another tree when read again");
}

void read_overrides(std::string_view bytes) {
  config::parse_overrides(lines_of(bytes));
}

void read_axis_spec(std::string_view bytes) {
  AxisSpec::parse(bytes).names();
}

void read_einsum_spec(std::string_view bytes) {
  EinsumSpec::parse(bytes);
}

void read_shard_spec(std::string_view bytes) {
  mesh::ShardSpec::parse(bytes).sharding();
}

void read_shard_formula(std::string_view bytes) {
  mesh::ShardFormula formula = mesh::ShardFormula::parse(bytes);
  formula.inputs();
  formula.output().dims();
}

void read_strategy(std::string_view bytes) {
  const mesh::Mesh mesh({{"data", 2}, {"fsdp", 4}});
  const std::vector<mesh::ParamInfo> params = {
      {.path = "w", .type = {f32, {64, 16, 8}}, .axes = {"layers", "embed", "mlp"}},
      {.path = "table", .type = {f32, {4096, 1024}}, .axes = {}},
      {.path = "step", .type = {s32, {}}, .axes = {}}};
  const std::vector<mesh::StrategyRule> rules = {{Regex(".*"), std::string(bytes)}};
  const mesh::AxisRules axis_rules({{"embed", {"fsdp"}}});
  require(mesh::shard_by_strategies(mesh, params, rules, axis_rules).shardings.size() == 3,
          "not one sharding for each parameter");
}

void read_mesh_axes(std::string_view bytes) {
  mesh::Sharding sharding = mesh::parse_mesh_axes(bytes);
  mesh::check_sharding(mesh::Mesh({{"data", 2}, {"fsdp", 4}}), sharding);
}

void read_duration(std::string_view bytes) {
  optim::Duration duration = optim::parse_duration(bytes);
  to_string(duration);
}

// Two bytes say where an entry is damaged and one how; the rest is the entry.
void read_cache_entry(std::string_view bytes) {
  static const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "entry";
  std::ofstream(path, std::ios::binary) << bytes;
  runtime::read_cache_file(path);
  if (bytes.size() < 4) return;
  std::string_view content = bytes.substr(3);
  require(runtime::write_cache_file(path, content).empty(), "an entry could not be written");
  require(runtime::read_cache_file(path).bytes == content, "an entry is not what was written");
  std::ifstream in(path, std::ios::binary);
  std::string file{std::istreambuf_iterator<char>(in), {}};
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  char& damaged = file[(byte(0) * 256u + byte(1)) % file.size()];
  damaged = static_cast<char>(damaged ^ (byte(2) | 1));
  std::ofstream(path, std::ios::binary) << file;
  require(!runtime::read_cache_file(path).bytes, "a damaged entry was accepted");
}

constexpr Target kTargets[] = {
    {"json", read_json},
    {"regex", read_regex},
    {"toml", read_toml},
    {"overrides", read_overrides},
    {"axis_spec", read_axis_spec},
    {"einsum_spec", read_einsum_spec},
    {"shard_spec", read_shard_spec},
    {"shard_formula", read_shard_formula},
    {"strategy", read_strategy},
    {"mesh_axes", read_mesh_axes},
    {"duration", read_duration},
    {"cache_entry", read_cache_entry},
    {"manifest", read_manifest},
    {"axlearn_index", read_axlearn_index},
    {"zarr", read_zarr},
    {"codec", read_codec},
    {"ocdbt_manifest", read_ocdbt_manifest},
    {"ocdbt_node", read_ocdbt_node},
    {"msgpack", read_msgpack},
    {"npz", read_npz},
    {"safetensors", read_safetensors},
    {"tensor_bundle", read_tensor_bundle},
    {"records", read_records},
    {"parquet", read_parquet},
    {"tokenizer_json", read_tokenizer_json},
    {"sentencepiece", read_sentencepiece},
    {"tiktoken", read_tiktoken},
    {"token_files", read_token_files},
};

}  // namespace

void require(bool holds, std::string_view otherwise) {
  if (!holds) fail(ErrorCode::internal, otherwise);
}

std::span<const Target> targets() {
  return kTargets;
}

std::string finding(const Target& target, std::string_view bytes) {
  try {
    target.read(bytes);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) return error.what();
    if (error.message().empty()) return "refused without a word";
  } catch (const std::exception& error) {
    return str("threw an exception other than Error: ", error.what());
  }
  return "";
}

}  // namespace meshwright::fuzz
