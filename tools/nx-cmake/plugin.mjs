// Nx plugin: a project with a CMakeLists.txt gets `build-native` (the Node addon) and `test-cpp` (its C++ tests).
import { dirname } from 'node:path';

const tuple = `${process.platform}-${process.arch}`;

export const createNodesV2 = [
  '{apps,libs}/*/CMakeLists.txt',
  (files) =>
    files.map((file) => {
      const root = dirname(file);
      const target = (script, outputs) => ({
        command: `node scripts/${script}`,
        options: { cwd: '{projectRoot}' },
        inputs: ['native'],
        outputs,
        cache: true,
      });
      return [
        file,
        {
          projects: {
            [root]: {
              targets: {
                'build-native': target('build.mjs', [`{projectRoot}/prebuilds/${tuple}`]),
                'test-cpp': target('test-cpp.mjs', [`{projectRoot}/out/test-cpp.json`]),
              },
            },
          },
        },
      ];
    }),
];
