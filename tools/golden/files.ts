// Finds and reads golden files.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Report } from './report.ts';

export interface Golden<T> {
  readonly folder: string;
  /** Name of the one file in `folder` that was asked for; null: all of it. */
  readonly only: string | null;
  readonly data: T;
}

/** A golden file and the lists or objects that one of its form has. */
export interface GoldenForm {
  readonly file: string;
  readonly keys: readonly string[];
}

/**
 * What `path` holds in the form: a folder with its file, else each of its folders that has it, by name; a path to a file
 * means that one in its folder. What is not there or not of the form is refused in the report.
 */
export function goldensIn<T>(path: string, form: GoldenForm, report: Report): Golden<T>[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) report.refuse(path, 'no such file or folder');
  const folders = stats === undefined ? [] : foldersWith(path, stats.isDirectory(), form.file, report);
  const only = stats?.isFile() === true && basename(path) !== form.file ? basename(path) : null;
  return folders.flatMap((folder) => {
    const data = readGolden<T>(join(folder, form.file), form.keys, report);
    return data === null ? [] : [{ folder, only, data }];
  });
}

/** Refuses in the report, and returns null, what is no JSON object with each of `keys` in it and not empty. */
export function readGolden<T>(path: string, keys: readonly string[], report: Report): T | null {
  let data: unknown;
  try {
    data = readJson<unknown>(path);
  } catch (error) {
    report.refuse(path, (error as Error).message);
    return null;
  }
  const missing = keys.find((key) => Object.keys(Object(Object(data)[key]) as object).length === 0);
  if (missing === undefined) return data as T;
  report.refuse(path, `not golden data of this kind: it has no ${JSON.stringify(missing)}, or nothing in it`);
  return null;
}

/** Parsed JSON; `.gz` beside it is taken where the plain file is not there. */
export function readJson<T>(path: string): T {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : gunzipSync(readFileSync(`${path}.gz`)).toString('utf8');
  return JSON.parse(text) as T;
}

function foldersWith(path: string, isFolder: boolean, file: string, report: Report): string[] {
  const folder = isFolder ? path : dirname(path);
  if (existsSync(join(folder, file))) return [folder];
  const inside = isFolder
    ? readdirSync(folder)
        .map((name) => join(folder, name))
        .filter((inner) => existsSync(join(inner, file)))
        .sort()
    : [];
  if (inside.length === 0) report.refuse(path, `no ${file} ${isFolder ? 'in it or in its folders' : 'beside it'}`);
  return inside;
}
