// The floating-point state that the numbers assume: round to nearest, subnormals kept. Set and checked on every thread.
#pragma once

namespace tf {

void SetFloatState();
// False where the state is not the one above (somebody changed it).
bool FloatStateOk();

}  // namespace tf
