// Builds and runs the C++ tests, on x86 also with VNNI's instructions emulated, and with TF_TEST_NEON=1 and the tools there
// for ARM under emulation (NEON's bits).
// Called by `nx test-cpp engine-native`; writes out/test-cpp.json for the summary.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const total = { passed: 0, failed: 0, skipped: 0 };

runTests({ folder: 'tests', target: 'tf_tests' });
if (process.arch === 'x64') {
  runTests({ folder: 'tests', target: 'tf_tests_vnni' });
} else {
  console.log('VNNI emulated: skipped (x86 only)');
  total.skipped += 1;
}
const tools = ['aarch64-linux-gnu-g++', 'qemu-aarch64-static'];
const missing = tools.filter((tool) => spawnSync(tool, ['--version']).status !== 0);
if (process.env.TF_TEST_NEON === '1' && missing.length === 0) {
  runTests({
    folder: 'tests-aarch64',
    target: 'tf_tests',
    configureFlags: [`-DCMAKE_TOOLCHAIN_FILE=${join(root, 'cmake/aarch64-linux-gnu.cmake')}`],
    runner: ['qemu-aarch64-static'],
    light: true,
  });
} else {
  console.log(
    `NEON under emulation: skipped (TF_TEST_NEON=1 runs it${missing.length > 0 ? `; missing: ${missing.join(', ')}` : ''})`,
  );
  total.skipped += 1;
}
mkdirSync(join(root, 'out'), { recursive: true });
writeFileSync(join(root, 'out/test-cpp.json'), `${JSON.stringify(total)}\n`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);

function runTests({ folder, target, configureFlags = [], runner = [], light = false }) {
  const build = join(root, 'build', folder);
  const steps = [
    ['-S', root, '-B', build, '-DTF_TESTS=ON', ...configureFlags],
    ['--build', build, '--target', target, '--parallel', '2'],
  ];
  for (const args of steps) {
    const { status } = spawnSync('cmake', args, { stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) {
      console.error(`cmake ${args.join(' ')} failed`);
      total.failed += 1;
      return;
    }
  }
  const [command, ...args] = [...runner, join(build, target), ...(light ? ['--light'] : [])];
  const { stdout, status } = spawnSync(command, args, { encoding: 'utf8' });
  console.log(`${folder}/${target}:\n${stdout}`);
  const [, passed, failed, skipped] = /(\d+) passed, (\d+) failed, (\d+) skipped\s*$/.exec(stdout) ?? [];
  total.passed += Number(passed ?? 0);
  total.failed += Number(failed ?? (status === 0 ? 0 : 1));
  total.skipped += Number(skipped ?? 0);
  if (status !== 0 && Number(failed ?? 0) === 0) total.failed += 1;
}
