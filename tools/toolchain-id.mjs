// Prints what decides the bits of a native build: part of Nx's cache key.
import { execSync } from 'node:child_process';

const firstLine = (command) => {
  try {
    return execSync(command, { stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .split('\n')[0];
  } catch {
    return 'none';
  }
};
const libc = process.report?.getReport()?.header?.glibcVersionRuntime ?? 'other';
console.log(
  [
    process.platform,
    process.arch,
    libc,
    firstLine(`${process.env.CXX ?? 'c++'} --version`),
    firstLine('cmake --version'),
  ].join(' | '),
);
