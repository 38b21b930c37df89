// A checkpoint from a GGUF file, split in parts or not.

import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { tokenizerFromGguf } from '../tokenizer/from-gguf.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { CheckpointError, UnsupportedArchitectureError } from './checkpoint-error.ts';
import type { Checkpoint } from './checkpoint.ts';
import { endTokenIds } from './end-tokens.ts';
import { families } from './families/index.ts';
import { freqFactorsName, type Family, type ModelNumbers } from './families/family.ts';
import { Fields } from './fields.ts';
import { readGgufHeader, type GgufHeader } from './gguf.ts';
import type { TensorRef } from './model-spec.ts';
import { pickTensors, type TensorSource } from './tensor-table.ts';

/** Throws CheckpointError. */
export function loadGgufCheckpoint(path: string): Checkpoint {
  const header = readGgufHeader(path);
  const { metadata } = header;
  const family = familyOf(header);
  const { files, tensors } = gatherParts(header);
  const numbers = family.fromGguf(
    new Fields(path, `${family.architecture}.`, (name) => metadata.get(`${family.architecture}.${name}`)),
    tensors.has(freqFactorsName),
  );
  const vocabSize = rowsOfEmbedding(path, tensors);
  const source: TensorSource = {
    path,
    files,
    tensors: splitFused(tensors, numbers),
    foreignType: () => undefined,
    nameOf: (rule, layer) => (layer === null ? rule.name : `blk.${layer}.${rule.name}`),
  };
  const tied = !tensors.has('output.weight');
  const tokenizer = readTokenizer(path, metadata);
  const key = (name: string): unknown => metadata.get(`tokenizer.ggml.${name}_token_id`);
  const ends = ['eos', 'eot', 'eom', 'fim_pad', 'fim_rep', 'fim_sep'].map(key);
  const name = metadata.get('general.name');
  const template = metadata.get('tokenizer.chat_template');
  return {
    spec: {
      ...numbers,
      name: typeof name === 'string' && name !== '' ? name : basename(path, '.gguf'),
      files,
      tensors: pickTensors(family, numbers, vocabSize, tied, source),
      vocabSize,
      endTokenIds: endTokenIds(ends, tokenizer, vocabSize),
    },
    tokenizer,
    chatTemplate: typeof template === 'string' ? template : null,
    specialTokens: specialTokens(metadata),
  };
}

function familyOf(header: GgufHeader): Family {
  const architecture = header.metadata.get('general.architecture');
  const family = families.find((candidate) => candidate.architecture === architecture);
  if (family !== undefined) return family;
  const index = header.metadata.get('split.no');
  if (architecture === undefined && typeof index === 'number' && index > 0) {
    throw new CheckpointError(
      header.path,
      `this is part ${index + 1} of a split model; give the path of the first part`,
    );
  }
  const known = families.map((candidate) => candidate.architecture);
  throw new UnsupportedArchitectureError(header.path, 'architecture', architecture, known);
}

/** All parts' tensors, each with the index of its file. */
function gatherParts(first: GgufHeader): { files: string[]; tensors: Map<string, TensorRef> } {
  const { metadata, path } = first;
  const numParts = Number(metadata.get('split.count') ?? 1);
  const files = [path];
  const tensors = new Map(first.tensors);
  if (numParts > 1) {
    for (const [index, part] of partPaths(path, numParts).entries()) {
      if (index === 0) continue;
      const header = readGgufHeader(part);
      if (header.metadata.get('split.no') !== index || header.metadata.get('split.count') !== numParts) {
        const said = `${String(header.metadata.get('split.no'))} of ${String(header.metadata.get('split.count'))}`;
        throw new CheckpointError(
          part,
          `split.no and split.count say ${said}, but this must be ${index} of ${numParts}`,
        );
      }
      for (const [name, ref] of header.tensors) {
        if (tensors.has(name)) throw new CheckpointError(part, `tensor ${JSON.stringify(name)} stands in two parts`);
        tensors.set(name, { ...ref, file: index });
      }
      files.push(part);
    }
  }
  const total = metadata.get('split.tensors.count');
  if (total !== undefined && Number(total) !== tensors.size) {
    throw new CheckpointError(
      path,
      `split.tensors.count says ${String(total)}, but the parts have ${tensors.size} tensors`,
    );
  }
  return { files, tensors };
}

function partPaths(path: string, numParts: number): string[] {
  const match = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/.exec(basename(path));
  if (match === null || Number(match[3]) !== numParts || Number(match[2]) !== 1) {
    const count = String(numParts).padStart(5, '0');
    throw new CheckpointError(
      path,
      `split.count is ${numParts}, so the file's name must end in -00001-of-${count}.gguf`,
    );
  }
  const paths = Array.from({ length: numParts }, (_, index) =>
    join(dirname(path), `${match[1]}-${String(index + 1).padStart(5, '0')}-of-${match[3]}.gguf`),
  );
  for (const part of paths) if (!existsSync(part)) throw new CheckpointError(part, `a part of ${path} is missing`);
  return paths;
}

/** The truth about the vocabulary's size; metadata may leave it out or mean the tokens without padding. */
function rowsOfEmbedding(path: string, tensors: ReadonlyMap<string, TensorRef>): number {
  const rows = tensors.get('token_embd.weight')?.shape[0];
  if (rows === undefined)
    throw new CheckpointError(path, 'tensor "token_embd.weight" is missing; every family needs it');
  return rows;
}

/** Gives a fused `attn_qkv` as the three it is made of: rows of q, then k, then v. */
function splitFused(tensors: ReadonlyMap<string, TensorRef>, numbers: ModelNumbers): Map<string, TensorRef> {
  const out = new Map(tensors);
  const kvRows = numbers.numKvHeads * numbers.headDim;
  const parts = [
    ['attn_q', numbers.numHeads * numbers.headDim],
    ['attn_k', kvRows],
    ['attn_v', kvRows],
  ] as const;
  const totalRows = parts.reduce((sum, [, rows]) => sum + rows, 0);
  for (const [name, ref] of tensors) {
    if (!name.includes('.attn_qkv.')) continue;
    // Of another shape it is left whole; the check of what is needed then says what is missing.
    if (ref.shape[0] !== totalRows) continue;
    const rowBytes = ref.byteLength / totalRows;
    let offset = ref.offset;
    for (const [part, rows] of parts) {
      const shape = [rows, ...ref.shape.slice(1)];
      out.set(name.replace('attn_qkv', part), { ...ref, offset, byteLength: rows * rowBytes, shape });
      offset += rows * rowBytes;
    }
    out.delete(name);
  }
  return out;
}

function readTokenizer(path: string, metadata: GgufHeader['metadata']): Tokenizer | null {
  try {
    return tokenizerFromGguf(metadata);
  } catch (error) {
    throw new CheckpointError(path, (error as Error).message);
  }
}

function specialTokens(metadata: GgufHeader['metadata']): Record<string, string> {
  const texts = metadata.get('tokenizer.ggml.tokens');
  const out: Record<string, string> = {};
  if (!Array.isArray(texts)) return out;
  const names = {
    bos: 'bos_token',
    eos: 'eos_token',
    unknown: 'unk_token',
    padding: 'pad_token',
    seperator: 'sep_token',
  };
  for (const [key, name] of Object.entries(names)) {
    const id = metadata.get(`tokenizer.ggml.${key}_token_id`);
    const text: unknown = typeof id === 'number' ? texts[id] : undefined;
    if (typeof text === 'string') out[name] = text;
  }
  return out;
}
