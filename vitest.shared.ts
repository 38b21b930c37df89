// What every project's vitest.config.ts merges in: sources of the workspace's own packages, one reporter CI adds up.
import { defineConfig } from 'vitest/config';

const conditions = ['@tensorfold/source', 'module', 'import', 'node', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['src/**/*.test.ts', 'tests/**/*.test.ts'],
    reporters: ['default', ['json', { outputFile: 'out/vitest.json' }]],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
