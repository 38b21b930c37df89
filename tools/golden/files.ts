// Finds and reads golden files.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Parsed JSON; `.gz` beside it is taken where the plain file is not there. */
export function readJson<T>(path: string): T {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : gunzipSync(readFileSync(`${path}.gz`)).toString('utf8');
  return JSON.parse(text) as T;
}

/** `folder` itself where it holds `file`, else its folders that do, by name. Throws a UsageError where there is none. */
export function foldersWith(folder: string, file: string): string[] {
  if (!existsSync(folder)) throw new UsageError(`${folder}: no such file or folder`);
  if (!statSync(folder).isDirectory()) throw new UsageError(`${folder}: not a folder`);
  if (existsSync(join(folder, file))) return [folder];
  const inside = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => existsSync(join(path, file)));
  if (inside.length === 0) throw new UsageError(`${folder}: no ${file} in it or in its folders`);
  return inside.sort();
}

/** Wrong arguments: exit status 2. */
export class UsageError extends Error {}
