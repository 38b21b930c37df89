// tf models: what is at hand; tf models show MODEL: what a checkpoint is, from its headers alone.

import { statSync } from 'node:fs';
import { Command } from 'commander';
import type { Checkpoint, KvDtype, ModelSpec } from '@tensorfold/engine-native';
import { embeddedName, embeddedPath } from '../embedded-model.ts';
import { askedKvDtype, type EngineFlags, kvDtypeOption, MAX, wholeBetween } from '../flags.ts';
import { requireModel } from '../models.ts';
import { bytesText, printJson, printLine, printTable } from '../output.ts';

export function modelsCommand(): Command {
  const show = new Command('show')
    .description('family, sizes, tokenizer, template, tensors by type, estimated memory')
    .argument('<model>', 'path of a GGUF file or of a Hugging Face folder')
    .option('--context <tokens>', 'window to estimate memory for', wholeBetween(16, MAX))
    .addOption(kvDtypeOption())
    .option('--json', 'one JSON document')
    .action((model: string, options: Pick<EngineFlags, 'kvDtype' | 'context'> & { json?: boolean }) =>
      describe(model, { json: options.json ?? false, context: options.context, kvDtype: askedKvDtype(options) }),
    );
  const list = new Command('list')
    .description('the models that need no path')
    .option('--json', 'one JSON document')
    .action((options: { json?: boolean }) => listModels(options.json ?? false));
  return new Command('models')
    .description('look at models on disk')
    .addCommand(list, { isDefault: true })
    .addCommand(show);
}

function listModels(asJson: boolean): void {
  const path = embeddedPath();
  const models = path === null ? [] : [{ name: embeddedName, embedded: true, bytes: statSync(path).size, path }];
  if (asJson) return printJson({ models });
  for (const { name, bytes } of models) printLine(`${name}  ${bytesText(bytes)}  comes with TensorFold`);
  printLine('any other by its path: tf models show path/to/model.gguf');
}

export interface ModelDescription {
  readonly name: string;
  readonly family: string;
  readonly files: readonly string[];
  readonly parameters: number;
  readonly layers: number;
  readonly hidden_size: number;
  readonly heads: number;
  readonly kv_heads: number;
  readonly head_dim: number;
  readonly vocab_size: number;
  readonly trained_window: number;
  readonly tokenizer: boolean;
  readonly chat_template: boolean;
  readonly tensors: readonly { readonly type: string; readonly count: number; readonly bytes: number }[];
  readonly weight_bytes: number;
  readonly kv_bytes_per_token: number;
  readonly window: number;
  /** Weights and the keys and values of one full window. */
  readonly memory_bytes: number;
}

export interface DescribeOptions {
  readonly json: boolean;
  readonly context: number | undefined;
  readonly kvDtype: KvDtype | undefined;
}

export async function describe(path: string, options: DescribeOptions): Promise<void> {
  const { loadCheckpoint, pageBytesOf, tensorTypeName } = await import('@tensorfold/engine-native');
  const checkpoint = loadCheckpoint(requireModel(path));
  const pageBytes = pageBytesOf(checkpoint.spec, options.kvDtype);
  const description = describeCheckpoint(checkpoint, tensorTypeName, pageBytes, options.context);
  if (options.json) printJson(description);
  else printDescription(description);
}

export function describeCheckpoint(
  { spec, tokenizer, chatTemplate }: Checkpoint,
  typeName: (id: number) => string,
  pageBytes: number,
  context: number | undefined,
): ModelDescription {
  const tensors = tensorsByType(spec, typeName);
  const weightBytes = tensors.reduce((sum, { bytes }) => sum + bytes, 0);
  const kvBytesPerToken = pageBytes / 64;
  const window = Math.min(context ?? spec.contextTokens, spec.contextTokens);
  const elements = Object.values(spec.tensors).map(({ shape }) => shape.reduce((product, size) => product * size, 1));
  return {
    name: spec.name,
    family: spec.family,
    files: spec.files,
    parameters: elements.reduce((sum, count) => sum + count, 0),
    layers: spec.numLayers,
    hidden_size: spec.hiddenSize,
    heads: spec.numHeads,
    kv_heads: spec.numKvHeads,
    head_dim: spec.headDim,
    vocab_size: spec.vocabSize,
    trained_window: spec.contextTokens,
    tokenizer: tokenizer !== null,
    chat_template: chatTemplate !== null,
    tensors,
    weight_bytes: weightBytes,
    kv_bytes_per_token: kvBytesPerToken,
    window,
    memory_bytes: weightBytes + window * kvBytesPerToken,
  };
}

function tensorsByType(spec: ModelSpec, typeName: (id: number) => string): ModelDescription['tensors'] {
  const byType = new Map<string, { type: string; count: number; bytes: number }>();
  for (const { type, byteLength } of Object.values(spec.tensors)) {
    const name = typeName(type);
    const entry = byType.get(name) ?? { type: name, count: 0, bytes: 0 };
    byType.set(name, { ...entry, count: entry.count + 1, bytes: entry.bytes + byteLength });
  }
  return [...byType.values()].sort((a, b) => b.bytes - a.bytes);
}

function printDescription(model: ModelDescription): void {
  printTable([
    ['name', model.name],
    ['family', model.family],
    ['files', model.files.length],
    ['parameters', model.parameters.toLocaleString('en')],
    ['layers', model.layers],
    ['hidden size', model.hidden_size],
    ['heads', `${model.heads} (${model.kv_heads} of keys and values, ${model.head_dim} wide)`],
    ['vocabulary', model.vocab_size],
    ['trained window', model.trained_window],
    ['tokenizer', model.tokenizer ? 'yes' : 'none'],
    ['chat template', model.chat_template ? 'yes' : 'none'],
    ['weights', bytesText(model.weight_bytes)],
    ['memory', `${bytesText(model.memory_bytes)} with a window of ${model.window}`],
  ]);
  printLine('');
  for (const { type, count, bytes } of model.tensors) {
    printLine(`${type.padEnd(8)} ${String(count).padStart(5)} tensors  ${bytesText(bytes)}`);
  }
}
