// SPDX-License-Identifier: Apache-2.0
// Writes everything around the nodes: the mesh, the main function and functions added by ops.
#include "meshwright/base/str.h"
#include "meshwright/graph/text/writer.h"

namespace meshwright::graph {
namespace {

std::string mesh_line(const mesh::Mesh& mesh) {
  std::string axes;
  for (const mesh::MeshAxis& axis : mesh.axes()) {
    if (axis.kind == mesh::AxisKind::process) continue;
    axes += str(axes.empty() ? "" : ", ", mlir_string(axis.name), "=", axis.size);
  }
  return str("sdy.mesh @mesh = <[", axes, "]>");
}

std::string memory_attribute() {
  return str("mhlo.memory_kind = ", mlir_string(kPinnedHost));
}

std::string argument_attributes(const Program& program, std::size_t i) {
  const ArgumentInfo& info = program.arguments[i];
  std::string out;
  if (info.sharding && !program.mesh.axes().empty()) {
    int rank = program.main->args[i]->out().rank();
    out = str("sdy.sharding = ",
              sdy_sharding(mesh::within_process(program.mesh, *info.sharding), rank));
  }
  if (info.donated_to) {
    out += str(out.empty() ? "" : ", ", "tf.aliasing_output = ", *info.donated_to, " : i32");
  }
  if (info.is_on_host) out += str(out.empty() ? "" : ", ", memory_attribute());
  return out;
}

std::string arguments(const Program& program) {
  std::string out;
  for (std::size_t i = 0; i < program.main->args.size(); ++i) {
    std::string attrs = argument_attributes(program, i);
    out += str(i > 0 ? ", " : "", "%arg", i, ": ", mlir_type(program.main->args[i]->out()));
    if (!attrs.empty()) out += str(" {", attrs, "}");
  }
  return out;
}

std::string results(const Program& program) {
  std::string out;
  for (std::size_t i = 0; i < program.main->results.size(); ++i) {
    const Type& type = program.main->results[i].type();
    const ResultInfo& info = program.results[i];
    out += str(i > 0 ? ", " : "", mlir_type(type));
    std::string attributes;
    if (info.sharding && !program.mesh.axes().empty()) {
      mesh::Sharding inner = mesh::within_process(program.mesh, *info.sharding);
      attributes = str("sdy.sharding = ", sdy_sharding(inner, type.rank()));
    }
    if (info.is_on_host) attributes += str(attributes.empty() ? "" : ", ", memory_attribute());
    if (!attributes.empty()) out += str(" {", attributes, "}");
  }
  return out;
}

std::string main_function(Writer& writer) {
  const Program& program = writer.program();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < program.main->args.size(); ++i)
    names.push_back(str("%arg", i));
  return str("func.func public @main(", arguments(program), ") -> (", results(program), ") ",
             writer.body_bound(*program.main, "func.return", names));
}

}  // namespace

std::string write_stablehlo(const Program& program, const WriteOptions& options) {
  Writer writer(program, options);
  std::string out =
      str("module @program attributes {mhlo.num_partitions = ", program.mesh.num_devices(),
          " : i32, mhlo.num_replicas = 1 : i32} {\n");
  if (!program.mesh.axes().empty()) out += str("  ", mesh_line(program.mesh), "\n");
  out += str("  ", main_function(writer), "\n");
  for (const auto& [name, text] : writer.functions())
    out += str("  func.func private @", name, text, "\n");
  return out + "}\n";
}

}  // namespace meshwright::graph
