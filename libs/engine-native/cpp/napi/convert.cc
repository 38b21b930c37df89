#include "napi/convert.h"

namespace tf {

namespace {

Napi::Value Field(const Napi::Object& object, const char* name) {
  const Napi::Value value = object.Get(name);
  if (value.IsUndefined()) throw Napi::TypeError::New(object.Env(), std::string("missing field ") + name);
  return value;
}

double Number(const Napi::Object& object, const char* name) {
  const Napi::Value value = Field(object, name);
  if (!value.IsNumber()) throw Napi::TypeError::New(object.Env(), std::string(name) + " must be a number");
  return value.As<Napi::Number>().DoubleValue();
}

int64_t Whole(const Napi::Object& object, const char* name) { return static_cast<int64_t>(Number(object, name)); }
float Single(const Napi::Object& object, const char* name) { return static_cast<float>(Number(object, name)); }

std::string Text(const Napi::Object& object, const char* name) {
  const Napi::Value value = Field(object, name);
  if (!value.IsString()) throw Napi::TypeError::New(object.Env(), std::string(name) + " must be a string");
  return value.As<Napi::String>().Utf8Value();
}

Napi::Array List(const Napi::Object& object, const char* name) {
  const Napi::Value value = Field(object, name);
  if (!value.IsArray()) throw Napi::TypeError::New(object.Env(), std::string(name) + " must be an array");
  return value.As<Napi::Array>();
}

Napi::Object Item(const Napi::Array& array, uint32_t index) {
  const Napi::Value value = array.Get(index);
  if (!value.IsObject()) throw Napi::TypeError::New(array.Env(), "array items must be objects");
  return value.As<Napi::Object>();
}

RopeConfig ReadRope(const Napi::Object& object) {
  RopeConfig rope;
  rope.theta = Number(object, "theta");
  rope.rotary_width = Whole(object, "rotaryWidth");
  const Napi::Value factors = object.Get("freqFactors");
  if (factors.IsString()) rope.freq_factors = factors.As<Napi::String>().Utf8Value();
  const Napi::Object scaling = Field(object, "scaling").As<Napi::Object>();
  const std::string type = Text(scaling, "type");
  if (type == "none") return rope;
  rope.factor = Number(scaling, "factor");
  if (type == "linear") {
    rope.scaling = RopeConfig::Scaling::kLinear;
  } else if (type == "llama3") {
    rope.scaling = RopeConfig::Scaling::kLlama3;
    rope.low_freq_factor = Number(scaling, "lowFreqFactor");
    rope.high_freq_factor = Number(scaling, "highFreqFactor");
    rope.original_context = Number(scaling, "originalContext");
  } else if (type == "yarn") {
    rope.scaling = RopeConfig::Scaling::kYarn;
    rope.original_context = Number(scaling, "originalContext");
    rope.beta_fast = Number(scaling, "betaFast");
    rope.beta_slow = Number(scaling, "betaSlow");
    rope.truncate = Field(scaling, "truncate").ToBoolean();
    rope.attention_factor = Number(scaling, "attentionFactor");
  } else {
    throw Napi::TypeError::New(object.Env(), "rope scaling must be none, linear, llama3 or yarn, got " + type);
  }
  return rope;
}

TensorConfig ReadTensor(const Napi::Object& object) {
  TensorConfig tensor;
  tensor.file = Whole(object, "file");
  tensor.offset = static_cast<uint64_t>(Number(object, "offset"));
  tensor.byte_length = static_cast<uint64_t>(Number(object, "byteLength"));
  tensor.type = static_cast<int32_t>(Whole(object, "type"));
  const Napi::Array shape = List(object, "shape");
  for (uint32_t i = 0; i < shape.Length(); ++i) tensor.shape.push_back(shape.Get(i).ToNumber().Int64Value());
  return tensor;
}

}  // namespace

ModelConfig ReadModelConfig(const Napi::Object& spec) {
  ModelConfig config;
  config.family = Text(spec, "family");
  const Napi::Array files = List(spec, "files");
  for (uint32_t i = 0; i < files.Length(); ++i) config.files.push_back(files.Get(i).ToString().Utf8Value());
  const Napi::Object tensors = Field(spec, "tensors").As<Napi::Object>();
  const Napi::Array names = tensors.GetPropertyNames();
  for (uint32_t i = 0; i < names.Length(); ++i) {
    const std::string name = names.Get(i).ToString().Utf8Value();
    config.tensors[name] = ReadTensor(tensors.Get(name).As<Napi::Object>());
  }
  config.vocab_size = Whole(spec, "vocabSize");
  config.hidden_size = Whole(spec, "hiddenSize");
  config.ffn_size = Whole(spec, "ffnSize");
  config.num_layers = Whole(spec, "numLayers");
  config.num_heads = Whole(spec, "numHeads");
  config.num_kv_heads = Whole(spec, "numKvHeads");
  config.head_dim = Whole(spec, "headDim");
  config.norm_eps = Single(spec, "normEps");
  config.norm_weight_offset = Single(spec, "normWeightOffset");
  const std::string activation = Text(spec, "activation");
  if (activation != "silu" && activation != "gelu-tanh") {
    throw Napi::TypeError::New(spec.Env(), "activation must be silu or gelu-tanh, got " + activation);
  }
  config.gelu = activation == "gelu-tanh";
  config.attention_scale = Single(spec, "attentionScale");
  config.attention_softcap = Single(spec, "attentionSoftcap");
  config.final_softcap = Single(spec, "finalSoftcap");
  config.embedding_scale = Single(spec, "embeddingScale");
  config.interleaved_rope = Text(spec, "ropePairs") == "interleaved";
  const Napi::Array ropes = List(spec, "ropes");
  for (uint32_t i = 0; i < ropes.Length(); ++i) config.ropes.push_back(ReadRope(Item(ropes, i)));
  const Napi::Array layers = List(spec, "layers");
  for (uint32_t i = 0; i < layers.Length(); ++i) {
    const Napi::Object layer = Item(layers, i);
    config.layers.push_back({Whole(layer, "rope"), Whole(layer, "window")});
  }
  return config;
}

ModelOptions ReadModelOptions(const Napi::Object& object) {
  ModelOptions options;
  options.num_threads = static_cast<int>(Whole(object, "threads"));
  options.kernel = Text(object, "kernel");
  options.num_pages = static_cast<size_t>(Whole(object, "numPages"));
  const Napi::Value kv_type = object.Get("kvDtype");
  if (kv_type.IsString()) options.kv_type = kv_type.As<Napi::String>().Utf8Value();
  const Napi::Value fault = object.Get("fault");
  if (fault.IsString()) options.fault = fault.As<Napi::String>().Utf8Value();
  return options;
}

}  // namespace tf
