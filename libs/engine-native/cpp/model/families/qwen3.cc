// Qwen3 dense: Llama's graph with an RMS norm over each query and key head after projection, before the rotation.
#include "model/families/families.h"

namespace tf {
const Family kQwen3 = {.name = "qwen3", .qk_norm = true, .post_norms = false};
}
