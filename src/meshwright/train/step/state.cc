// SPDX-License-Identifier: Apache-2.0
#include "meshwright/train/step/state.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/counted.h"
#include "meshwright/mesh/param_sharding.h"
#include "meshwright/mesh/shards.h"
#include "meshwright/metrics/format.h"

namespace meshwright::train {
namespace {

ParamSpec array_spec(DType dtype, Dims dims, std::vector<std::string> axes) {
  ParamSpec out;
  out.type = {dtype, std::move(dims)};
  out.axes = std::move(axes);
  return out;
}

mesh::ParamShardings param_shardings(const ParamSpecs& params, const Placement& placement) {
  std::vector<mesh::ParamInfo> infos;
  for_each(params, [&](const std::string& path, const ParamSpec& spec) {
    infos.push_back({path, spec.type, spec.axes, spec.mesh_axes});
  });
  if (placement.strategies.empty())
    return mesh::shard_by_axes(placement.mesh, infos, placement.params);
  mesh::check_rules(placement.mesh, placement.params, "sharding.params");
  return mesh::shard_by_strategies(placement.mesh, infos, placement.strategies, placement.params);
}

// The shardings of parameters and of their optimizer slots. A slot's path ends with that of its
// parameter, and its dimensions are all or some of the parameter's.
class ParamShardings {
 public:
  ParamShardings(const ParamSpecs& params, std::vector<mesh::Sharding> shardings) {
    std::size_t next = 0;
    for_each(params, [&](const std::string& path, const ParamSpec& spec) {
      by_path_.emplace(path, ShardedParam{spec, std::move(shardings[next++])});
    });
  }

  mesh::Sharding of_array(const std::string& path, const ParamSpec& spec) const {
    std::string_view rest = path;
    while (true) {
      auto owner = by_path_.find(rest);
      if (owner != by_path_.end()) return of_slot(owner->second, spec);
      std::size_t slash = rest.find('/');
      if (slash == rest.npos) return mesh::Sharding::replicated();
      rest.remove_prefix(slash + 1);
    }
  }

 private:
  struct ShardedParam {
    ParamSpec spec;
    mesh::Sharding sharding;
  };

  static mesh::Sharding of_slot(const ShardedParam& param, const ParamSpec& slot) {
    const Dims& dims = param.spec.type.dims;
    if (slot.type.dims == dims) return param.sharding;
    mesh::Sharding out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < slot.type.dims.size(); ++i, ++at) {
      auto is_same = [&] {
        return dims[at] == slot.type.dims[i] && at < param.spec.axes.size() &&
               i < slot.axes.size() && param.spec.axes[at] == slot.axes[i];
      };
      while (at < dims.size() && !is_same())
        ++at;
      if (at == dims.size()) return mesh::Sharding::replicated();  // not a slot of this parameter
      out.dims.push_back(at < param.sharding.dims.size() ? param.sharding.dims[at]
                                                         : std::vector<std::string>());
    }
    return out;
  }

  std::map<std::string, ShardedParam, std::less<>> by_path_;
};

bool lies_on_host(const std::string& path, const Placement& placement) {
  return placement.slots_on_host && path.starts_with("learner/") &&
         !path.starts_with("learner/ema/") && path.find("optimizer/") != path.npos &&
         placement.slots_on_host->matches(path);
}

// Compilers and plugins do not reject arrays larger than any memory; some crash.
void check_size(const std::string& path,
                const ArrayType& type,
                const mesh::Mesh& mesh,
                const mesh::Sharding& sharding) {
  constexpr double kMostBytes = 0x1p40;  // limit for one array on one device
  double bytes = static_cast<double>(byte_size(type.dtype));
  for (const std::int64_t dim : mesh::shard_dims(mesh, sharding, type.dims))
    bytes *= static_cast<double>(dim);
  MW_CHECK(bytes <= kMostBytes, "'", path, "' is ", type, ", which takes ",
           metrics::byte_count(bytes), " on each device; the limit for one array is ",
           metrics::byte_count(kMostBytes), "\nuse a smaller model, or shard it over more devices");
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

}  // namespace

runtime::CompileOptions compile_options(const Placement& placement) {
  runtime::CompileOptions out;
  out.device_ids = placement.device_ids;
  out.use_kernels = placement.target.wants_kernels;
  return out;
}

ParamSpecs state_specs(const ParamSpecs& params, const optim::Learner& learner) {
  ParamSpecs out;
  out["prng_key"] = array_spec(u32, {2}, {"prng_word"});
  out["model"] = params;
  out["learner"] = learner.state_specs();
  out["num_skipped"] = array_spec(s32, {}, {});
  return out;
}

StateLayout state_layout(const ParamSpecs& params,
                         const optim::Learner& learner,
                         const Placement& placement) {
  StateLayout out;
  out.specs = state_specs(params, learner);
  mesh::ParamShardings found = param_shardings(params, placement);
  out.warnings = std::move(found.warnings);
  const ParamShardings shardings(params, std::move(found.shardings));
  out.shardings = map(out.specs, [&](const std::string& path, const ParamSpec& spec) {
    mesh::Sharding sharding = shardings.of_array(path, spec);
    check_size(path, spec.type, placement.mesh, sharding);
    return sharding;
  });
  out.is_on_host = map(out.specs, [&](const std::string& path, const ParamSpec& spec) {
    return spec.type.rank() > 0 && lies_on_host(path, placement);
  });
  return out;
}

std::string describe_state(const StateLayout& layout) {
  std::string out;
  std::vector<mesh::Sharding> shardings = leaves(layout.shardings);
  std::size_t next = 0;
  for_each(layout.specs, [&](const std::string& path, const ParamSpec& spec) {
    out += str("State: ", path, '=', spec.type, '(', join(spec.axes, " "),
               ") mesh_axes=", shardings[next++], '\n');
  });
  return out;
}

std::string describe_params(const StateLayout& layout) {
  std::vector<std::vector<std::string>> rows = {{"parameter", "type", "elements", "axes", "mesh"}};
  std::int64_t num_elements_total = 0;
  std::int64_t num_bytes_total = 0;
  auto add = [&](const std::string& path, const ParamSpec& spec, const mesh::Sharding& sharding) {
    std::int64_t count = num_elements(spec.type.dims);
    num_elements_total += count;
    num_bytes_total += spec.type.num_bytes();
    rows.push_back(
        {path, str(spec.type), with_separators(count), join(spec.axes, " "), str(sharding)});
  };
  std::vector<mesh::Sharding> shardings = leaves(layout.shardings.at("model"));
  std::size_t next = 0;
  for_each(layout.specs.at("model"), [&](const std::string& path, const ParamSpec& spec) {
    add(path, spec, shardings[next++]);
  });
  std::vector<std::size_t> widths(rows[0].size(), 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out += padded(row[i], i + 1 < row.size() ? widths[i] + 2 : 0);
    out += '\n';
  }
  return str(out, "total: ", with_separators(num_elements_total), " parameters, ",
             with_separators(num_bytes_total), " bytes\n");
}

std::int64_t num_state_bytes(const StateLayout& layout) {
  std::int64_t sum = 0;
  for_each(layout.specs, [&](const ParamSpec& spec) { sum += spec.type.num_bytes(); });
  return sum;
}

std::int64_t num_params(const StateLayout& layout) {
  std::int64_t sum = 0;
  for_each(layout.specs.at("model"),
           [&](const ParamSpec& spec) { sum += num_elements(spec.type.dims); });
  return sum;
}

}  // namespace meshwright::train
