// SPDX-License-Identifier: Apache-2.0
#include "meshwright/checkpoint/containers/safetensors.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "meshwright/base/check.h"
#include "meshwright/base/json.h"
#include "meshwright/base/json_value.h"
#include "meshwright/base/printable.h"
#include "meshwright/checkpoint/containers/paths.h"
#include "meshwright/checkpoint/containers/raw_files_writer.h"
#include "meshwright/checkpoint/contents/raw_array.h"
#include "meshwright/checkpoint/format/named_arrays.h"
#include "meshwright/io/path.h"
#include "meshwright/io/safetensors/header.h"

namespace meshwright::checkpoint {
namespace {

using io::join_path;

constexpr std::string_view kSuffix = ".safetensors";
constexpr std::string_view kIndexSuffix = ".safetensors.index.json";
constexpr std::uint64_t kMaxIndexBytes = std::uint64_t{128} << 20;
constexpr std::size_t kMaxParsedIndex = std::size_t{1} << 30;

// The files of a model. Without an index, all arrays of the one file count.
struct ModelFiles {
  std::vector<std::string> files;
  std::map<std::string, std::string> file_of;  // by the name of the array, according to the index
  std::string index;                           // empty if there is none
};

std::vector<std::string> names_ending(const io::FileSystem& files,
                                      const std::string& folder,
                                      std::string_view suffix) {
  std::vector<std::string> out;
  for (const io::FolderEntry& entry : files.list(folder))
    if (entry.kind == io::FileKind::file && entry.name.ends_with(suffix))
      out.push_back(join_path(folder, entry.name));
  return out;
}

ModelFiles read_index(const io::FileSystem& files, const std::string& path) {
  const std::string name = files.full_name(path);
  const std::string folder = io::parent_of(path);
  try {
    ModelFiles out{.index = path};
    const JsonValue json =
        parse_json(io::read_text(files, path, kMaxIndexBytes), "the index", kMaxParsedIndex);
    std::map<std::string, std::string> known;
    for (const auto& [array, file] : json.at("weight_map").as_object()) {
      const std::string& stored_in = file.as_text();
      if (known.emplace(stored_in, join_path(folder, stored_in)).second) {
        if (!io::is_path(stored_in) || stored_in.find('/') != stored_in.npos)
          fail(ErrorCode::data_loss, "refers to '", printable_name(stored_in),
               "', which is not a file beside it");
        out.files.push_back(known.at(stored_in));
      }
      out.file_of.emplace(array, known.at(stored_in));
    }
    return out;
  } catch (const Error& error) {
    throw error.with_context(name);
  }
}

ModelFiles find_files(const io::FileSystem& files, const std::string& path) {
  if (!io::is_folder(files, path)) {
    if (path.ends_with(kIndexSuffix)) return read_index(files, path);
    return {.files = {path}};
  }
  const std::vector<std::string> indexes = names_ending(files, path, kIndexSuffix);
  if (indexes.size() == 1) return read_index(files, indexes[0]);
  const std::vector<std::string> found = names_ending(files, path, kSuffix);
  if (found.size() == 1) return {.files = found};
  fail(ErrorCode::invalid_argument, files.full_name(path), ": has ", found.size(),
       " files ending in ", kSuffix, " and ", indexes.size(), " indexes\nname one of the files");
}

std::int64_t step_of(const io::Safetensors& header, const std::string& path) {
  const auto found = header.metadata.find(kSafetensorsStep);
  if (found == header.metadata.end())
    return step_in_name(io::name_of(path.substr(0, path.size() - kSuffix.size())));
  std::int64_t out = 0;
  const std::string& text = found->second;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

using Types = std::map<std::string, ArrayType>;

// Fills files in the order of paths.
std::vector<Types> distribute(const Tree<ArrayPlan>& arrays, std::int64_t max_bytes) {
  std::vector<Types> out(1);
  std::int64_t num_bytes = 0;
  for_each(arrays, [&](const std::string& path, const ArrayPlan& array) {
    const std::int64_t size = array.type.num_bytes();
    if (max_bytes > 0 && num_bytes > 0 && size > max_bytes - num_bytes) {
      out.emplace_back();
      num_bytes = 0;
    }
    out.back().emplace(path, array.type);
    num_bytes += size;
  });
  return out;
}

std::string number_of(std::size_t number) {
  const std::string digits = str(number);
  constexpr std::size_t kDigits = 5;
  return std::string(kDigits - std::min(kDigits, digits.size()), '0') + digits;
}

std::string index_text(const RawFiles& files, std::uint64_t num_bytes) {
  JsonWriter json;
  json.begin_object().key("metadata").begin_object().field("total_size", num_bytes).end_object();
  json.key("weight_map").begin_object();
  for (const auto& [path, place] : files.places)
    json.field(path, files.files[place.file].name);
  return json.end_object().end_object().str();
}

// One file at a path with the suffix of files, otherwise a folder.
RawFiles plan_files(const std::string& path,
                    const CheckpointPlan& plan,
                    const WriteOptions& options) {
  const bool is_file = path.ends_with(kSuffix);
  const std::vector<Types> parts = distribute(plan.arrays, options.max_file_bytes);
  MW_CHECK(!is_file || parts.size() == 1, "safetensors: ", parts.size(),
           " files need a folder, but '", io::name_of(path), "' is the name of a file\nname it ",
           "without ", kSuffix);
  // Some readers insist on the name of a framework; they treat all alike.
  const std::map<std::string, std::string> metadata = {{"format", "pt"},
                                                       {kSafetensorsStep, str(plan.step)}};
  RawFiles out{.path = path, .is_folder = !is_file};
  std::uint64_t num_bytes = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string name = parts.size() == 1
                                 ? "model"
                                 : str("model-", number_of(i + 1), "-of-", number_of(parts.size()));
    io::SafetensorsPlan file = io::plan_safetensors(parts[i], metadata);
    out.files.push_back(
        {.name = is_file ? "" : str(name, kSuffix), .header = std::move(file.header)});
    for (const auto& [array, place] : file.places) {
      out.places[array] = {.file = i, .range = place};
      num_bytes += place.num_bytes;
    }
  }
  if (parts.size() > 1) out.others[str("model", kIndexSuffix)] = index_text(out, num_bytes);
  return out;
}

class SafetensorsContainer : public Container {
 public:
  std::string_view name() const override { return "safetensors"; }

  bool is_here(const Files& files, const std::string& path) const override {
    if (io::is_file(*files, path)) return path.ends_with(kSuffix) || path.ends_with(kIndexSuffix);
    return io::is_folder(*files, path) && (!names_ending(*files, path, kSuffix).empty() ||
                                           !names_ending(*files, path, kIndexSuffix).empty());
  }

  Stored open(const Files& files, const std::string& path) const override {
    const ModelFiles model = find_files(*files, path);
    Stored out;
    NamedArrays arrays;
    std::size_t num_listed = 0;
    for (const std::string& file : model.files) {
      const std::string name = files->full_name(file);
      const io::Safetensors header = io::read_safetensors(*open_file(*files, file, model), name);
      out.step = std::max(out.step, step_of(header, file));
      for (const auto& [array, stored] : header.arrays) {
        if (!model.index.empty() && !is_listed(model, array, file)) continue;
        ++num_listed;
        RawPiece piece{
            .ranges = whole_ranges(stored.type.dims), .file = file, .places = {stored.place}};
        add(array, raw_array(files, stored.type, {std::move(piece)}), name, arrays);
      }
      for (const auto& [key, text] : header.metadata)
        out.meta[key] = Scalar(text);
    }
    if (num_listed < model.file_of.size()) check_listed(*files, model, arrays);
    out.arrays = arrays.take();
    return out;
  }

  std::unique_ptr<CheckpointWriter> begin(const Files& files,
                                          const std::string& path,
                                          CheckpointPlan plan,
                                          const WriteOptions& options) const override {
    return raw_files_writer(files, plan_files(path, plan, options), plan.arrays, options);
  }

 private:
  static std::unique_ptr<io::ReadableFile> open_file(const io::FileSystem& files,
                                                     const std::string& file,
                                                     const ModelFiles& model) {
    try {
      return files.open(file);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::not_found || model.index.empty()) throw;
      fail(ErrorCode::data_loss, error.what(), ", though ", files.full_name(model.index),
           " lists it");
    }
  }

  static bool is_listed(const ModelFiles& model,
                        const std::string& array,
                        const std::string& file) {
    const auto found = model.file_of.find(array);
    return found != model.file_of.end() && found->second == file;
  }

  static void add(const std::string& path,
                  StoredArray array,
                  const std::string& file,
                  NamedArrays& arrays) {
    try {
      arrays.add(path, std::move(array));
    } catch (const Error& error) {
      throw error.with_context(file);
    }
  }

  static void check_listed(const io::FileSystem& files,
                           const ModelFiles& model,
                           NamedArrays& arrays) {
    const Tree<StoredArray> found = arrays.take();
    for (const auto& [array, file] : model.file_of)
      if (found.find(array) == nullptr)
        fail(ErrorCode::data_loss, files.full_name(model.index), ": lists '", printable_name(array),
             "' in ", file, ", which does not have it");
  }
};

}  // namespace

const Container& safetensors_container() {
  static const SafetensorsContainer container;
  return container;
}

}  // namespace meshwright::checkpoint
