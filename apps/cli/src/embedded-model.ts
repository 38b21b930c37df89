// The small model that comes with tf: what is served and asked where no model is named.

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Its name, on the command line and as a served id. */
export const embeddedName = 'tf-demo';

export const embeddedHint =
  'tf-demo: the small model that comes with TensorFold, to try the server with; for a real one give its path, as in: ' +
  'tf serve path/to/model.gguf';

/** In a published package beside dist/, in a checkout in the project's models/. */
const places = ['../models/tf-demo/tf-demo.gguf', '../../../models/tf-demo/tf-demo.gguf'];

/** Its path, or null where this installation has none. */
export function embeddedPath(): string | null {
  return places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find(existsSync) ?? null;
}
