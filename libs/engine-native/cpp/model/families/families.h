// What sets the families of decoder apart; their numbers come from the checkpoint. A family is one file and one line
// in families.cc.
#pragma once

#include <string>
#include <vector>

namespace tf {

struct Family {
  const char* name;
  bool qk_norm;      // RMS norm of each query and key head before the rotation
  bool post_norms;   // norms after attention and MLP, before the residual addition
};

extern const Family kLlama, kQwen3, kGemma3;

// Null for an unknown family.
const Family* FindFamily(const std::string& name);
std::string FamilyNames();

}  // namespace tf
