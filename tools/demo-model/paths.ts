// Where the project keeps the embedded model.

import { fileURLToPath } from 'node:url';

export const embeddedModel = fileURLToPath(new URL('../../models/tf-demo/tf-demo.gguf', import.meta.url));
