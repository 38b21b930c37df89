// A checkpoint's chat template and what was learnt about it.

import type { ChatTemplate, LoadOptions } from './types.ts';

export function loadTemplate(options: LoadOptions): ChatTemplate {
  throw new Error(`not yet: ${options.source?.length ?? 0}`);
}
