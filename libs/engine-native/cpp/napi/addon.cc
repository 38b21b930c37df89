// The door to JavaScript (src/binding.ts): read arguments, call, shape the error. Thin.
#include <napi.h>

#include <bit>

#include "backend/cpu/dispatch.h"
#include "napi/convert.h"
#include "sampling/sampler.h"
#include "tensor/dtype.h"

namespace tf {

namespace {

template <typename T>
const T* Elements(const Napi::Object& object, const char* name, napi_typedarray_type type, size_t* length) {
  const Napi::Value value = object.Get(name);
  if (!value.IsTypedArray() || value.As<Napi::TypedArray>().TypedArrayType() != type) {
    throw Napi::TypeError::New(object.Env(), std::string(name) + " must be a typed array of its documented kind");
  }
  const Napi::TypedArrayOf<T> array = value.As<Napi::TypedArrayOf<T>>();
  *length = array.ElementLength();
  return array.Data();
}

// The arguments of a draw from index `first` on: temperature, topK, topP, minP, seed, position, mask.
DrawSettings ReadDraw(const Napi::CallbackInfo& info, size_t first, size_t vocab) {
  DrawSettings s;
  s.temperature = info[first].ToNumber().DoubleValue();
  s.top_k = info[first + 1].ToNumber().Int64Value();
  s.top_p = info[first + 2].ToNumber().DoubleValue();
  s.min_p = info[first + 3].ToNumber().DoubleValue();
  if (!info[first + 4].IsBigInt()) throw Napi::TypeError::New(info.Env(), "seed must be a bigint");
  bool lossless = false;
  s.seed = info[first + 4].As<Napi::BigInt>().Uint64Value(&lossless);
  s.position = static_cast<uint64_t>(info[first + 5].ToNumber().Int64Value());
  if (info[first + 6].IsTypedArray()) {
    const Napi::Uint32Array mask = info[first + 6].As<Napi::Uint32Array>();
    if (mask.TypedArrayType() != napi_uint32_array || mask.ElementLength() < (vocab + 31) / 32) {
      throw Napi::TypeError::New(info.Env(), "mask must be a Uint32Array of one bit a token");
    }
    s.mask = mask.Data();
  }
  return s;
}

Napi::Value TokenOrThrow(Napi::Env env, int32_t token) {
  if (token < 0) throw Napi::Error::New(env, "the mask allows no token");
  return Napi::Number::New(env, token);
}

class NativeModel : public Napi::ObjectWrap<NativeModel> {
 public:
  static Napi::Function Define(Napi::Env env) {
    return DefineClass(env, "NativeModel",
                       {InstanceMethod<&NativeModel::Forward>("forward"), InstanceMethod<&NativeModel::Logits>("logits"),
                        InstanceMethod<&NativeModel::Draw>("draw"),
                        InstanceMethod<&NativeModel::HashRow>("hashRow"), InstanceMethod<&NativeModel::CopyPage>("copyPage"),
                        InstanceMethod<&NativeModel::Close>("close")});
  }

  explicit NativeModel(const Napi::CallbackInfo& info) : Napi::ObjectWrap<NativeModel>(info) {
    const ModelConfig config = ReadModelConfig(info[0].ToObject());
    Result<std::unique_ptr<Model>> model = Model::Load(config, ReadModelOptions(info[1].ToObject()));
    if (!model.ok()) throw Napi::Error::New(info.Env(), model.status().message());
    model_ = model.Take();
    const Napi::Object self = info.This().ToObject();
    self.Set("kernel", model_->kernel_name());
    self.Set("threads", model_->num_threads());
    self.Set("numPages", static_cast<double>(model_->pages().num_pages()));
    self.Set("pageBytes", static_cast<double>(model_->pages().page_bytes()));
    self.Set("weightBytes", static_cast<double>(model_->weight_bytes()));
  }

 private:
  Model& Live(Napi::Env env) {
    if (model_ == nullptr) throw Napi::Error::New(env, "the model is closed");
    return *model_;
  }

  const float* Row(const Napi::CallbackInfo& info) {
    Model& model = Live(info.Env());
    const int64_t index = info[0].ToNumber().Int64Value();
    if (index < 0 || static_cast<size_t>(index) >= model.num_wanted()) {
      throw Napi::RangeError::New(info.Env(), "no logits at index " + std::to_string(index));
    }
    return model.Logits(static_cast<size_t>(index));
  }

  void Forward(const Napi::CallbackInfo& info) {
    Model& model = Live(info.Env());
    const Napi::Object rows = info[0].ToObject();
    RoundRows round;
    size_t positions = 0, lanes = 0;
    round.tokens = Elements<int32_t>(rows, "tokens", napi_int32_array, &round.num_rows);
    round.positions = Elements<int32_t>(rows, "positions", napi_int32_array, &positions);
    round.lanes = Elements<int32_t>(rows, "lanes", napi_int32_array, &lanes);
    round.wanted = Elements<int32_t>(rows, "wanted", napi_int32_array, &round.num_wanted);
    if (positions != round.num_rows || lanes != round.num_rows) {
      throw Napi::TypeError::New(info.Env(), "tokens, positions and lanes must have one entry a row");
    }
    const Napi::Value given = rows.Get("pageTables");
    if (!given.IsArray()) throw Napi::TypeError::New(info.Env(), "pageTables must be an array of Int32Array");
    const Napi::Array tables = given.As<Napi::Array>();
    for (uint32_t i = 0; i < tables.Length(); ++i) {
      const Napi::Value entry = tables.Get(i);
      if (!entry.IsTypedArray() || entry.As<Napi::TypedArray>().TypedArrayType() != napi_int32_array) {
        throw Napi::TypeError::New(info.Env(), "pageTables[" + std::to_string(i) + "] must be an Int32Array");
      }
      const Napi::Int32Array table = entry.As<Napi::Int32Array>();
      round.page_tables.emplace_back(table.Data(), table.Data() + table.ElementLength());
    }
    const Status status = model.Forward(round);
    if (!status.ok()) throw Napi::Error::New(info.Env(), status.message());
  }

  Napi::Value Logits(const Napi::CallbackInfo& info) {
    const float* row = Row(info);
    const size_t n = model_->vocab_size();
    Napi::Float32Array copy = Napi::Float32Array::New(info.Env(), n);
    std::copy(row, row + n, copy.Data());
    return copy;
  }

  Napi::Value Draw(const Napi::CallbackInfo& info) {
    const float* row = Row(info);
    const size_t n = model_->vocab_size();
    const int32_t largest = model_->LargestLogit(static_cast<size_t>(info[0].ToNumber().Int64Value()));
    return TokenOrThrow(info.Env(), sampler_.Draw(row, n, ReadDraw(info, 1, n), largest));
  }

  Napi::Value HashRow(const Napi::CallbackInfo& info) {
    const float* row = Row(info);
    bool lossless = false;
    uint64_t hash = info[1].As<Napi::BigInt>().Uint64Value(&lossless);
    for (size_t i = 0; i < model_->vocab_size(); ++i) {
      hash = (hash ^ std::bit_cast<uint32_t>(row[i])) * 0x9e3779b97f4a7c15ULL;
      hash ^= hash >> 29;
    }
    return Napi::BigInt::New(info.Env(), hash);
  }

  void CopyPage(const Napi::CallbackInfo& info) {
    const PagePool& pages = Live(info.Env()).pages();
    const int64_t from = info[0].ToNumber().Int64Value(), to = info[1].ToNumber().Int64Value();
    const int64_t count = static_cast<int64_t>(pages.num_pages());
    if (from < 0 || from >= count || to < 0 || to >= count) {
      throw Napi::RangeError::New(info.Env(), "pages must lie in [0, " + std::to_string(count) + ")");
    }
    pages.Copy(static_cast<size_t>(from), static_cast<size_t>(to));
  }

  void Close(const Napi::CallbackInfo&) { model_.reset(); }

  std::unique_ptr<Model> model_;
  Sampler sampler_;
};

struct AddonData {
  Napi::FunctionReference model_class;
};

Napi::Value LoadModel(const Napi::CallbackInfo& info) {
  return info.Env().GetInstanceData<AddonData>()->model_class.New({info[0], info[1]});
}

Napi::Value DequantizeBlocks(const Napi::CallbackInfo& info) {
  const DTypeInfo* type = FindDType(info[0].ToNumber().Int32Value());
  if (type == nullptr) throw Napi::TypeError::New(info.Env(), "type " + info[0].ToString().Utf8Value() + " is not read");
  const Napi::Uint8Array bytes = info[1].As<Napi::Uint8Array>();
  if (bytes.ElementLength() % type->block_bytes != 0) {
    throw Napi::TypeError::New(info.Env(), "bytes must be whole blocks of " + std::to_string(type->block_bytes));
  }
  const size_t n = bytes.ElementLength() / type->block_bytes * type->block_values;
  Napi::Float32Array values = Napi::Float32Array::New(info.Env(), n);
  Dequantize(*type, bytes.Data(), n, values.Data());
  return values;
}

Napi::Value DrawToken(const Napi::CallbackInfo& info) {
  const Napi::Float32Array logits = info[0].As<Napi::Float32Array>();
  const size_t n = logits.ElementLength();
  Sampler sampler;
  return TokenOrThrow(info.Env(), sampler.Draw(logits.Data(), n, ReadDraw(info, 1, n)));
}

Napi::Object Init(Napi::Env env, Napi::Object exports) {
  auto* data = new AddonData();
  data->model_class = Napi::Persistent(NativeModel::Define(env));
  env.SetInstanceData(data);
  Napi::Array kernels = Napi::Array::New(env);
  for (const KernelTable* set : AvailableKernels()) kernels.Set(kernels.Length(), set->name);
  exports.Set("numericVersion", 1);
  exports.Set("kernels", kernels);
  exports.Set("loadModel", Napi::Function::New(env, LoadModel));
  exports.Set("dequantize", Napi::Function::New(env, DequantizeBlocks));
  exports.Set("drawToken", Napi::Function::New(env, DrawToken));
  return exports;
}

}  // namespace

NODE_API_MODULE(tensorfold, Init)

}  // namespace tf
