#include "model/families/families.h"

namespace tf {

static const Family* const kFamilies[] = {&kLlama, &kQwen3, &kGemma3};

const Family* FindFamily(const std::string& name) {
  for (const Family* family : kFamilies) {
    if (name == family->name) return family;
  }
  return nullptr;
}

std::string FamilyNames() {
  std::string names;
  for (const Family* family : kFamilies) names += (names.empty() ? "" : ", ") + std::string(family->name);
  return names;
}

}  // namespace tf
