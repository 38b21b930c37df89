// Only the rooms' boundaries (docs/architecture.md); everything else is oxlint's.
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

export default [
  {
    ignores: [
      '**/dist',
      '**/out',
      '**/build',
      '**/prebuilds',
      'node_modules',
      '.nx',
      'tools/**',
      '**/*.config.ts',
      'vitest.shared.ts',
    ],
  },
  {
    files: ['**/*.ts'],
    languageOptions: { parser: tseslint.parser },
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        {
          // The CLI loads the server only in the commands that need it; its tests import it plainly.
          checkDynamicDependenciesExceptions: ['@tensorfold/.*'],
          // Tests make toy checkpoints.
          allow: ['^(\\.\\./)+tools/'],
          depConstraints: [
            { sourceTag: 'scope:shared', onlyDependOnLibsWithTags: ['scope:shared'] },
            { sourceTag: 'room:templates', onlyDependOnLibsWithTags: ['scope:shared'] },
            { sourceTag: 'room:grammar', onlyDependOnLibsWithTags: ['scope:shared'] },
            { sourceTag: 'room:engine', onlyDependOnLibsWithTags: ['scope:shared', 'room:grammar'] },
            { sourceTag: 'scope:server', onlyDependOnLibsWithTags: ['scope:shared', 'scope:engine'] },
            {
              sourceTag: 'scope:cli',
              onlyDependOnLibsWithTags: ['scope:shared', 'scope:engine', 'scope:server', 'scope:client'],
            },
            {
              sourceTag: 'scope:client',
              onlyDependOnLibsWithTags: ['scope:shared'],
              bannedExternalImports: ['fastify', 'zod'],
            },
          ],
        },
      ],
    },
  },
];
