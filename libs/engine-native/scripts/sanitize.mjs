// Builds the C++ tests with sanitizers and runs them: node scripts/sanitize.mjs [address] [thread]. Minutes a build.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sanitizers = {
  address: '-fsanitize=address,undefined -fno-sanitize-recover=all',
  thread: '-fsanitize=thread',
};
// In the vector sets g++ needs many minutes for checks of locals and of arithmetic; the scalar set has the same source.
const isaFlags = { address: '-fno-sanitize=undefined;--param=asan-stack=0', thread: '' };
const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(sanitizers);

for (const name of chosen) {
  const build = join(root, 'build', `sanitize-${name}`);
  run('cmake', [
    `-S${root}`,
    `-B${build}`,
    '-DTF_TESTS=ON',
    '-DCMAKE_BUILD_TYPE=None',
    `-DCMAKE_CXX_FLAGS=-O1 -g1 -fno-var-tracking-assignments ${sanitizers[name]}`,
    `-DTF_ISA_FLAGS=${isaFlags[name]}`,
  ]);
  run('cmake', ['--build', build, '--target', 'tf_tests', '--parallel', '2']);
  // TSan does not work with the random addresses of some kernels; setarch turns them off.
  const tests = join(build, 'tf_tests');
  const [command, ...args] = name === 'thread' ? ['setarch', '-R', tests, '--light'] : [tests, '--light'];
  run(command, args, { TSAN_OPTIONS: 'halt_on_error=1', UBSAN_OPTIONS: 'print_stacktrace=1' });
}

function run(command, args, environment = {}) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } });
  if (status !== 0) {
    console.error(`${command} ${args.join(' ')} failed`);
    process.exit(1);
  }
}
