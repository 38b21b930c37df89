// Reads arguments from JavaScript. Throws Napi::TypeError that names the field.
#pragma once

#include <napi.h>

#include "model/config.h"
#include "model/model.h"

namespace tf {

ModelConfig ReadModelConfig(const Napi::Object& spec);
ModelOptions ReadModelOptions(const Napi::Object& options);

}  // namespace tf
