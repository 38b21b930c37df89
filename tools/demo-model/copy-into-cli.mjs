// Before `npm pack` of the CLI: puts the embedded model where the published package looks for it.

import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const pathOf = (place) => fileURLToPath(new URL(place, import.meta.url));
cpSync(pathOf('../../models/tf-demo'), pathOf('../../apps/cli/models/tf-demo'), { recursive: true });
