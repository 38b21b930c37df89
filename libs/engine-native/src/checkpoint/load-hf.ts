// A checkpoint from a folder in Hugging Face's form: config.json, safetensors, tokenizer.json and their companions.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { tokenizerFromJson } from '../tokenizer/from-tokenizer-json.ts';
import type { Tokenizer } from '../tokenizer/tokenizer.ts';
import { CheckpointError, UnsupportedArchitectureError } from './checkpoint-error.ts';
import type { Checkpoint } from './checkpoint.ts';
import { endTokenIds } from './end-tokens.ts';
import { families } from './families/index.ts';
import type { Family } from './families/family.ts';
import { Fields } from './fields.ts';
import type { TensorRef } from './model-spec.ts';
import { readSafetensorsHeader } from './safetensors.ts';
import { pickTensors, type TensorSource } from './tensor-table.ts';

type Json = Readonly<Record<string, unknown>>;

/** Text files of a checkpoint are smaller; a larger one is not what its name says. */
const maxTextBytes = 512 * 1024 * 1024;

/** Throws CheckpointError. */
export function loadHfCheckpoint(folder: string): Checkpoint {
  const configPath = join(folder, 'config.json');
  const root = readJson(configPath);
  if (root === null)
    throw new CheckpointError(folder, 'no config.json: not a checkpoint in Hugging Face form, and no GGUF file');
  const nested = root['text_config'];
  const config = typeof nested === 'object' && nested !== null ? { ...(nested as Json) } : root;
  const family = familyOf(configPath, root, config);
  for (const name of ['quantization_config', 'quantization']) {
    if ((root[name] ?? config[name] ?? null) === null) continue;
    throw new CheckpointError(
      configPath,
      `${name} is set: quantised safetensors are not supported; use a GGUF file of the model`,
    );
  }
  const fields = Fields.ofJson(configPath, config, config === root ? '' : 'text_config.');
  const numbers = family.fromConfig(fields);

  const weights = readWeights(folder);
  const prefix = textPrefix(folder, weights.tensors);
  const embedding = weights.tensors.get(`${prefix}embed_tokens.weight`)!;
  const vocabSize = embedding.shape[0] ?? 0;
  const headName = ['lm_head.weight', `${prefix.replace(/model\.$/, '')}lm_head.weight`].find((name) =>
    weights.tensors.has(name),
  );
  const saysTied = root['tie_word_embeddings'] ?? config['tie_word_embeddings'] ?? family.tiedByDefault;
  const tied = saysTied === true || headName === undefined;
  const source: TensorSource = {
    path: folder,
    ...weights,
    nameOf: (rule, layer) => {
      if (layer !== null) return `${prefix}layers.${layer}.${rule.hfName}`;
      return rule.name === 'output.weight' ? headName! : prefix + rule.hfName;
    },
  };

  const tokenizerConfig = readJson(join(folder, 'tokenizer_config.json'));
  const tokenizer = readTokenizer(join(folder, 'tokenizer.json'), tokenizerConfig);
  const generation = readJson(join(folder, 'generation_config.json'));
  const specialTokens = specialTokensOf(tokenizerConfig, readJson(join(folder, 'special_tokens_map.json')));
  const eosText = specialTokens['eos_token'];
  const ends = [
    generation?.['eos_token_id'],
    root['eos_token_id'],
    config['eos_token_id'],
    eosText === undefined ? null : tokenizer?.tokenId(eosText),
  ];
  return {
    spec: {
      ...numbers,
      name: basename(resolve(folder)),
      files: weights.files,
      tensors: pickTensors(family, numbers, vocabSize, tied, source),
      vocabSize,
      endTokenIds: endTokenIds(ends, tokenizer, vocabSize),
    },
    tokenizer,
    chatTemplate: chatTemplate(folder, tokenizerConfig),
    specialTokens,
  };
}

function familyOf(path: string, root: Json, config: Json): Family {
  const type = config['model_type'] ?? root['model_type'];
  const family = families.find((candidate) => candidate.modelTypes.includes(String(type)));
  if (family !== undefined) return family;
  const known = families.flatMap((candidate) => candidate.modelTypes);
  throw new UnsupportedArchitectureError(path, 'model_type', type, known);
}

interface Weights {
  readonly files: readonly string[];
  readonly tensors: ReadonlyMap<string, TensorRef>;
  readonly foreignType: (name: string) => string | undefined;
}

/** One file, or those that the index names, each tensor from the file named for it. */
function readWeights(folder: string): Weights {
  const indexPath = join(folder, 'model.safetensors.index.json');
  const single = join(folder, 'model.safetensors');
  const index = existsSync(single) ? null : readJson(indexPath);
  if (index === null && !existsSync(single)) {
    throw new CheckpointError(folder, 'neither model.safetensors nor model.safetensors.index.json is there');
  }
  const map = index === null ? null : weightMap(indexPath, index);
  const names = map === null ? ['model.safetensors'] : [...new Set(Object.values(map))].sort();
  const files = names.map((name) => join(folder, name));
  const tensors = new Map<string, TensorRef>();
  const others = new Map<string, string>();
  for (const [file, path] of files.entries()) {
    if (!existsSync(path)) throw new CheckpointError(path, 'a file that model.safetensors.index.json names is missing');
    const header = readSafetensorsHeader(path);
    const isHere = (name: string): boolean => map === null || map[name] === names[file];
    for (const [name, ref] of header.tensors) if (isHere(name)) tensors.set(name, { ...ref, file });
    for (const [name, dtype] of header.others) if (isHere(name)) others.set(name, dtype);
  }
  return { files, tensors, foreignType: (name) => others.get(name) };
}

function weightMap(path: string, index: Json): Readonly<Record<string, string>> {
  const map = index['weight_map'];
  const isMap = typeof map === 'object' && map !== null;
  // A plain file name: an index must not lead out of its folder.
  if (isMap && Object.values(map).every((file) => typeof file === 'string' && /^[^/\\]+\.safetensors$/.test(file))) {
    return map as Readonly<Record<string, string>>;
  }
  throw new CheckpointError(path, 'weight_map must map tensor names to names of .safetensors files beside it');
}

/** Text models save under `model.`; the text part of multimodal ones lies deeper. */
function textPrefix(folder: string, tensors: ReadonlyMap<string, TensorRef>): string {
  const prefixes = ['model.', 'model.language_model.', 'language_model.model.', ''];
  const prefix = prefixes.find((candidate) => tensors.has(`${candidate}embed_tokens.weight`));
  if (prefix !== undefined) return prefix;
  throw new CheckpointError(folder, 'tensor "model.embed_tokens.weight" is missing, or not F32, F16 or BF16');
}

function readTokenizer(path: string, config: Json | null): Tokenizer | null {
  const json = readJson(path);
  if (json === null) return null;
  try {
    return tokenizerFromJson(json, config);
  } catch (error) {
    const { message } = error as Error;
    // A part of it is of another type than such files have.
    throw new CheckpointError(
      path,
      error instanceof TypeError ? `not the form of a tokenizer.json: ${message}` : message,
    );
  }
}

/** chat_template.jinja wins over the field, which is a text or a list of named ones. */
function chatTemplate(folder: string, config: Json | null): string | null {
  const path = join(folder, 'chat_template.jinja');
  if (existsSync(path)) return readText(path);
  const field = config?.['chat_template'];
  if (typeof field === 'string') return field;
  if (!Array.isArray(field)) return null;
  const named = field as readonly Json[];
  const chosen = named.find((entry) => entry['name'] === 'default') ?? named[0];
  return typeof chosen?.['template'] === 'string' ? chosen['template'] : null;
}

function specialTokensOf(config: Json | null, map: Json | null): Record<string, string> {
  const out: Record<string, string> = {};
  for (const source of [map, config]) {
    for (const [name, value] of Object.entries(source ?? {})) {
      if (!name.endsWith('_token')) continue;
      const text = typeof value === 'object' && value !== null ? (value as Json)['content'] : value;
      if (typeof text === 'string') out[name] = text;
    }
  }
  return out;
}

function readJson(path: string): Json | null {
  if (!existsSync(path)) return null;
  let value: unknown;
  try {
    value = JSON.parse(readText(path));
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw new CheckpointError(path, `not JSON: ${(error as Error).message}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new CheckpointError(path, 'must hold a JSON object');
}

function readText(path: string): string {
  const { size } = statSync(path);
  if (size > maxTextBytes) throw new CheckpointError(path, `has ${size} bytes; at most ${maxTextBytes} are read`);
  return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
}
