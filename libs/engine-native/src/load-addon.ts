// Finds the compiled addon: TF_ENGINE_PATH, a source build in this package, or the platform's prebuilt package.

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** e.g. `linux-x64`, and for packages `linux-x64-gnu`. */
const platform = `${process.platform}-${process.arch}`;

/** Throws an Error that names every place tried and the command that builds the addon. */
export function loadAddon(): unknown {
  const tried: string[] = [];
  const fromSource = fileURLToPath(new URL(`../prebuilds/${platform}/tensorfold.node`, import.meta.url));
  for (const place of [process.env['TF_ENGINE_PATH'], fromSource, `@tensorfold/engine-${platform}/tensorfold.node`]) {
    if (place === undefined || place === '') continue;
    try {
      return require(place);
    } catch (error) {
      tried.push(`  ${place}: ${(error as Error).message.split('\n')[0]}`);
    }
  }
  throw new Error(
    `no engine for ${platform} on Node ${process.version}. Tried:\n${tried.join('\n')}\n` +
      'In a clone, build it with: npm run build (needs g++ and cmake)',
  );
}
