// Gemma 3 text: Qwen3's head norms, and a norm after attention and after the MLP, before each residual addition.
// Sliding layers, local rotations, gelu and the scaled embedding come with the checkpoint's numbers.
#include "model/families/families.h"

namespace tf {
const Family kGemma3 = {.name = "gemma3", .qk_norm = true, .post_norms = true};
}
