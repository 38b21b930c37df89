// Llama 2 and 3, SmolLM2, TinyLlama. x += attention(norm(x)); x += down(silu(gate) * up). Source: docs/formats.md.
#include "model/families/families.h"

namespace tf {
const Family kLlama = {.name = "llama", .qk_norm = false, .post_norms = false};
}
