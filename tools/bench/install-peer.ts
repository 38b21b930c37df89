// The peer is no dependency of ours: it is installed on demand to .peer/, which git ignores.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const version = '3.21.1';
export const peerName = `node-llama-cpp ${version}`;

/** URL of the peer's module, installed first where it is missing. */
export function installPeer(): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const folder = join(root, '.peer', 'node_modules', 'node-llama-cpp');
  const manifest = join(folder, 'package.json');
  const found = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
    : null;
  if (found !== version) {
    console.error(`installing ${peerName} to .peer/`);
    const args = ['install', '--prefix', join(root, '.peer'), `node-llama-cpp@${version}`, '--ignore-scripts'];
    execFileSync('npm', args, { stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  }
  return pathToFileURL(join(folder, 'dist', 'index.js')).href;
}
