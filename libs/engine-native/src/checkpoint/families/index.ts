// The families that have a graph in the addon.

import type { Family } from './family.ts';
import { gemma3 } from './gemma3.ts';
import { llama } from './llama.ts';
import { qwen3 } from './qwen3.ts';

export const families: readonly Family[] = [llama, qwen3, gemma3];
