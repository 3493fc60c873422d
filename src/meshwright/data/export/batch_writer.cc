// SPDX-License-Identifier: Apache-2.0
#include "meshwright/data/export/batch_writer.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "meshwright/base/check.h"
#include "meshwright/base/json.h"
#include "meshwright/io/file_system.h"

namespace meshwright::data {
namespace {

namespace fs = std::filesystem;

// A file or folder that gets its name at the end.
class Unfinished {
 public:
  Unfinished(const std::string& path, IfExists if_exists)
      : name_(fs::path(path).lexically_normal()), if_exists_(if_exists) {
    if (!name_.has_filename()) name_ = name_.parent_path();
    MW_CHECK(name_.has_filename() && name_.filename() != "..", "'", path, "' names no file");
    const std::string parent = name_.parent_path().string();
    files_ = io::open_file_system(parent.empty() ? "." : parent);
    files_->make_folder("");
    if (if_exists == IfExists::refuse) check_is_new();
    io::remove_tree(*files_, temporary());
  }
  ~Unfinished() {
    try {
      if (!is_finished_) io::remove_tree(*files_, temporary());
    } catch (const std::exception&) {  // nothing more can be done
    }
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  io::FileSystem& files() { return *files_; }
  std::string temporary() const { return name_.filename().string() + ".unfinished"; }

  void finish() {
    const std::string name = name_.filename().string();
    if (if_exists_ == IfExists::replace) {
      io::remove_tree(*files_, name);
    } else {
      check_is_new();
    }
    files_->rename(temporary(), name);
    files_->sync_folder("");
    is_finished_ = true;
  }

 private:
  void check_is_new() const {
    if (files_->find(name_.filename().string()))
      fail(ErrorCode::already_exists, name_.string(), " exists");
  }

  fs::path name_;
  IfExists if_exists_;
  std::shared_ptr<io::FileSystem> files_;
  bool is_finished_ = false;
};

// NumPy's name of a type, such as "<f4": byte order, kind and size.
std::string numpy_type(DType dtype) {
  const bool is_known_float = dtype == f16 || dtype == f32 || dtype == f64;
  if (!is_known_float && !is_integer(dtype) && dtype != pred)
    fail(ErrorCode::unimplemented, "NumPy has no type ", dtype_name(dtype));
  const char kind = dtype == pred ? 'b' : is_known_float ? 'f' : is_signed(dtype) ? 'i' : 'u';
  return str(byte_size(dtype) == 1 ? '|' : '<', kind, byte_size(dtype));
}

// The header of version 1.0, padded so that the elements are aligned.
std::string npy_header(DType dtype, const Dims& dims) {
  constexpr std::size_t kPrefix = 10, kAlignment = 64;
  std::string shape;
  for (const std::int64_t size : dims)
    shape += str(size, ",");
  std::string header =
      str("{'descr': '", numpy_type(dtype), "', 'fortran_order': False, 'shape': (", shape, "), }");
  header.append(kAlignment - 1 - (kPrefix + header.size()) % kAlignment, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  return out + header;
}

class NpyFolder : public BatchWriter {
 public:
  NpyFolder(const std::string& path,
            const BatchSpec& spec,
            std::int64_t num_rows,
            IfExists if_exists)
      : folder_(path, if_exists) {
    folder_.files().make_folder(folder_.temporary());
    for_each(spec, [&](const std::string& name, const ArraySpec& array) {
      MW_CHECK(name.find('/') == std::string::npos, "array ", name, ": nested arrays have no file");
      Dims dims = array.type.dims;
      dims.front() = num_rows;
      auto file = folder_.files().create(str(folder_.temporary(), "/", name, ".npy"));
      const std::string header = npy_header(array.type.dtype, dims);
      file->append(std::as_bytes(std::span(header)));
      arrays_.push_back({name, std::move(file)});
    });
  }

  void add(const Batch& batch) override {
    for (auto& [name, file] : arrays_)
      file->append(batch.at(name).value().bytes());
  }
  void finish() override {
    for (auto& [name, file] : arrays_) {
      file->sync();
      file->close();
    }
    folder_.files().sync_folder(folder_.temporary());
    folder_.finish();
  }

 private:
  struct Array {
    std::string name;
    std::unique_ptr<io::WritableFile> file;
  };
  Unfinished folder_;
  std::vector<Array> arrays_;
};

class JsonlFile : public BatchWriter {
 public:
  JsonlFile(const std::string& path, IfExists if_exists)
      : file_(path, if_exists), output_(file_.files().create(file_.temporary())) {}

  void add(const Batch& batch) override {
    struct Values {
      std::string name;
      ArrayType type;
      std::vector<double> all;
    };
    std::vector<Values> arrays;
    for_each(batch, [&](const std::string& name, const HostTensor& values) {
      arrays.push_back({name, values.type(), values.to_doubles()});
    });
    const std::int64_t num_rows = arrays.empty() ? 0 : arrays.front().type.dims.front();
    for (std::int64_t row = 0; row < num_rows; ++row) {
      JsonWriter json;
      json.begin_object();
      for (const Values& values : arrays) {
        json.key(values.name);
        std::size_t at =
            values.all.size() / static_cast<std::size_t>(num_rows) * static_cast<std::size_t>(row);
        write(json, values.type, 1, values.all, at);
      }
      const std::string line = json.end_object().str() + "\n";
      output_->append(std::as_bytes(std::span(line)));
    }
  }
  void finish() override {
    output_->sync();
    output_->close();
    file_.finish();
  }

 private:
  // Writes the elements from `at` on as lists of lists.
  static void write(JsonWriter& json,
                    const ArrayType& type,
                    std::size_t dim,
                    const std::vector<double>& all,
                    std::size_t& at) {
    if (dim == type.dims.size()) {
      const double value = all[at++];
      // A double of 100000 would be written as 1e+05, which readers take for a float.
      is_integer(type.dtype) ? json.value(static_cast<std::int64_t>(value)) : json.value(value);
      return;
    }
    json.begin_array();
    for (std::int64_t i = 0; i < type.dims[dim]; ++i)
      write(json, type, dim + 1, all, at);
    json.end_array();
  }

  Unfinished file_;
  std::unique_ptr<io::WritableFile> output_;
};

}  // namespace

std::unique_ptr<BatchWriter> open_batch_writer(const std::string& path,
                                               BatchFormat format,
                                               const BatchSpec& spec,
                                               std::int64_t num_rows,
                                               IfExists if_exists) {
  if (format == BatchFormat::npy)
    return std::make_unique<NpyFolder>(path, spec, num_rows, if_exists);
  return std::make_unique<JsonlFile>(path, if_exists);
}

}  // namespace meshwright::data
