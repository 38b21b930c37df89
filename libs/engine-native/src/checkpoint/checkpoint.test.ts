import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { safetensorsBytes } from '../../../../tools/tiny-model/safetensors-writer.ts';
import { tinyModelBytes, writeTinyModel, type TinyModelOptions } from '../../../../tools/tiny-model/tiny-model.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { supportedTypeNames } from './tensor-types.ts';

const folder = mkdtempSync(join(tmpdir(), 'tf-checkpoint-'));
afterAll(() => rmSync(folder, { recursive: true }));

const loadTiny = (options: TinyModelOptions) => {
  const path = join(folder, 'tiny.gguf');
  writeTinyModel(path, options);
  return loadCheckpoint(path);
};

describe('GGUF', () => {
  test.each(['llama', 'qwen3', 'gemma3'] as const)('a %s file of every type loads', (family) => {
    for (const type of supportedTypeNames) {
      const { spec, tokenizer } = loadTiny({ family, type });
      expect(spec.family).toBe(family);
      expect(tokenizer?.numTokens).toBe(spec.vocabSize);
    }
  });

  test('the same options give the same bytes, another seed others', () => {
    expect(tinyModelBytes({ type: 'Q4_K' }).equals(tinyModelBytes({ type: 'Q4_K' }))).toBe(true);
    expect(tinyModelBytes({ seed: 2 }).equals(tinyModelBytes({ seed: 3 }))).toBe(false);
  });

  test('llama turns neighbours, the others halves; gemma3 has two ropes and windows', () => {
    expect(loadTiny({}).spec.ropePairs).toBe('interleaved');
    expect(loadTiny({ family: 'qwen3' }).spec.ropePairs).toBe('half-split');
    const { spec } = loadTiny({ family: 'gemma3', hiddenSize: 64 });
    expect(spec).toMatchObject({
      embeddingScale: 8,
      normWeightOffset: 0,
      activation: 'gelu-tanh',
      ropePairs: 'half-split',
    });
    expect(spec.layers.map((layer) => layer.window)).toEqual([16, 16, 16, 16, 16, 0]);
    expect(spec.layers.map((layer) => spec.ropes[layer.rope]!.theta)).toEqual([1e4, 1e4, 1e4, 1e4, 1e4, 1e6]);
  });

  test('a fused attn_qkv is given as its three parts, rows of q, k and v', () => {
    const { tensors } = loadTiny({ fusedQkv: true, type: 'Q8_0', biases: true }).spec;
    const [q, k, v] = ['q', 'k', 'v'].map((part) => tensors[`blk.0.attn_${part}.weight`]!);
    expect([q!.shape, k!.shape, v!.shape]).toEqual([
      [64, 64],
      [32, 64],
      [32, 64],
    ]);
    expect([k!.offset - q!.offset, v!.offset - k!.offset]).toEqual([64 * 68, 32 * 68]);
    expect(tensors['blk.0.attn_k.bias']!.offset - tensors['blk.0.attn_q.bias']!.offset).toBe(256);
  });

  test('a tied head has no output.weight', () => {
    expect(loadTiny({ tied: true }).spec.tensors['output.weight']).toBeUndefined();
    expect(loadTiny({ tied: false }).spec.tensors['output.weight']).toBeDefined();
  });

  test('the end of a text and the end of a turn both end a reply', () => {
    const { spec, tokenizer } = loadTiny({});
    expect(spec.endTokenIds).toEqual(['<|endoftext|>', '<|im_end|>'].map((text) => tokenizer!.tokenId(text)));
  });

  test('YaRN raises the attention by the logarithm of its factor', () => {
    const { spec } = loadTiny({
      family: 'qwen3',
      metadata: {
        'qwen3.rope.scaling.type': { type: 'string', value: 'yarn' },
        'qwen3.rope.scaling.factor': { type: 'f32', value: 4 },
        'qwen3.rope.scaling.original_context_length': { type: 'u32', value: 1024 },
      },
    });
    expect(spec.ropes[0]!.scaling).toMatchObject({ type: 'yarn', factor: 4, originalContext: 1024 });
    expect(spec.ropes[0]!.scaling).toHaveProperty('attentionFactor', 0.1 * Math.log(4) + 1);
  });

  test.each([
    [
      { 'general.architecture': { type: 'string', value: 'mamba' } },
      'architecture "mamba" is not supported; supported: llama, qwen3, gemma3',
    ],
    [
      { 'llama.attention.head_count': { type: 'u32', value: 0 } },
      'llama.attention.head_count must be a whole number of at least 1, got 0',
    ],
    [{ 'llama.attention.head_count_kv': { type: 'u32', value: 3 } }, 'must be a divisor of the 4 query heads, got 3'],
    [
      { 'llama.feed_forward_length': { type: 'u32', value: 128 } },
      'tensor "blk.0.ffn_gate.weight" has shape [160, 64]; the configuration makes it [128, 64]',
    ],
    [{ 'llama.block_count': { type: 'u32', value: 3 } }, 'tensor "blk.2.attn_norm.weight" is missing'],
    [
      { 'llama.rope.scaling.type': { type: 'string', value: 'longrope' } },
      'must be none, linear or yarn, got "longrope"',
    ],
    [{ 'llama.expert_count': { type: 'u32', value: 8 } }, 'mixtures of experts are not supported'],
    [{ 'tokenizer.ggml.pre': { type: 'string', value: 'odd' } }, 'pre-tokenizer "odd" is not supported'],
  ] as const)('what cannot run is refused by field and value: %j', (metadata, message) => {
    expect(() => loadTiny({ metadata })).toThrow(message);
  });

  test('integers of any width are read', () => {
    const wide = {
      'llama.block_count': { type: 'u64', value: 2 },
      'llama.context_length': { type: 'i32', value: 99 },
    } as const;
    expect(loadTiny({ metadata: wide }).spec).toMatchObject({ numLayers: 2, contextTokens: 99 });
  });
});

describe('Hugging Face folder', () => {
  const config = {
    model_type: 'llama',
    hidden_size: 8,
    intermediate_size: 16,
    num_hidden_layers: 1,
    num_attention_heads: 2,
    num_key_value_heads: 1,
    rms_norm_eps: 1e-5,
    max_position_embeddings: 64,
    vocab_size: 10,
    eos_token_id: [2, 99],
  };
  const shapes: Record<string, number[]> = {
    'model.embed_tokens.weight': [10, 8],
    'model.norm.weight': [8],
    'lm_head.weight': [10, 8],
    'model.layers.0.input_layernorm.weight': [8],
    'model.layers.0.post_attention_layernorm.weight': [8],
    'model.layers.0.self_attn.q_proj.weight': [8, 8],
    'model.layers.0.self_attn.k_proj.weight': [4, 8],
    'model.layers.0.self_attn.v_proj.weight': [4, 8],
    'model.layers.0.self_attn.o_proj.weight': [8, 8],
    'model.layers.0.mlp.gate_proj.weight': [16, 8],
    'model.layers.0.mlp.up_proj.weight': [16, 8],
    'model.layers.0.mlp.down_proj.weight': [8, 16],
  };

  const safetensors = (names: readonly string[], dtype?: string): Buffer =>
    safetensorsBytes(Object.fromEntries(names.map((name) => [name, shapes[name]!])), dtype);

  let numFolders = 0;
  const write = (files: Record<string, string | Buffer | object>): string => {
    const path = join(folder, `hf${numFolders++}`);
    mkdirSync(path);
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(
        join(path, name),
        typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
      );
    }
    return path;
  };
  const names = Object.keys(shapes);
  const load = (changes: object = {}, files: Record<string, string | Buffer | object> = {}) =>
    loadCheckpoint(
      write({ 'config.json': { ...config, ...changes }, 'model.safetensors': safetensors(names), ...files }),
    );

  test('tensors get their GGUF names; rows are as the file has them', () => {
    const { spec } = load();
    expect(spec.ropePairs).toBe('half-split');
    expect(spec.tensors['blk.0.attn_k.weight']!.shape).toEqual([4, 8]);
    expect(Object.keys(spec.tensors)).toHaveLength(12);
  });

  test('a head that the configuration ties is left out though the file has one', () => {
    expect(load({ tie_word_embeddings: true }).spec.tensors['output.weight']).toBeUndefined();
    expect(load().spec.tensors['output.weight']).toBeDefined();
  });

  test('end tokens come from both configurations, those past the vocabulary not', () => {
    expect(load({}, { 'generation_config.json': { eos_token_id: [5, 3] } }).spec.endTokenIds).toEqual([2, 3, 5]);
  });

  test('chat_template.jinja wins over the field', () => {
    const files = { 'tokenizer_config.json': { chat_template: 'field', bos_token: { content: '<s>' } } };
    expect(load({}, files)).toMatchObject({ chatTemplate: 'field', specialTokens: { bos_token: '<s>' } });
    expect(load({}, { ...files, 'chat_template.jinja': 'file' }).chatTemplate).toBe('file');
  });

  test('both forms of rope settings mean the same', () => {
    const scaling = { factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 32 };
    const older = load({ rope_theta: 5e5, rope_scaling: { type: 'llama3', ...scaling } }).spec.ropes;
    expect(load({ rope_parameters: { rope_type: 'llama3', rope_theta: 5e5, ...scaling } }).spec.ropes).toEqual(older);
    expect(older[0]).toMatchObject({ theta: 5e5, scaling: { type: 'llama3', originalContext: 32 } });
  });

  test('a scaling that names no earlier window scales from the one there is', () => {
    const scaling = { type: 'llama3', factor: 8, low_freq_factor: 1, high_freq_factor: 4 };
    expect(load({ rope_scaling: scaling }).spec.ropes[0]!.scaling).toMatchObject({ originalContext: 64 });
    const yarn = { rope_scaling: { type: 'yarn' }, original_max_position_embeddings: 16 };
    expect(load(yarn).spec.ropes[0]!.scaling).toMatchObject({ originalContext: 16, factor: 4 });
  });

  test('a qwen3 file without layer types slides from max_window_layers on, where it says that it slides', () => {
    const norms = ['q', 'k'].map((part) => `model.layers.0.self_attn.${part}_norm.weight`);
    for (const name of norms) shapes[name] = [4];
    const files = { 'model.safetensors': safetensors([...names, ...norms]) };
    const qwen3 = { model_type: 'qwen3', head_dim: 4, sliding_window: 9, max_window_layers: 0 };
    expect(load({ ...qwen3, use_sliding_window: true }, files).spec.layers).toEqual([{ rope: 0, window: 9 }]);
    expect(load(qwen3, files).spec.layers).toEqual([{ rope: 0, window: 0 }]);
  });

  test('shards are read by their index, each tensor from the file named for it', () => {
    const [first, second] = [names.slice(0, 5), names.slice(5)];
    const [one, two] = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors'];
    const map = Object.fromEntries([...first.map((name) => [name, one]), ...second.map((name) => [name, two])]);
    const path = write({
      'config.json': config,
      [one]: safetensors(first),
      [two]: safetensors(names),
      'model.safetensors.index.json': { weight_map: map },
    });
    const { spec } = loadCheckpoint(path);
    expect(spec.files.map((file) => file.slice(path.length + 1))).toEqual([one, two]);
    expect(spec.tensors['token_embd.weight']!.file).toBe(0);
    expect(spec.tensors['blk.0.ffn_down.weight']!.file).toBe(1);
    const outside = { ...map, 'lm_head.weight': '../x.safetensors' };
    const bad = write({ 'config.json': config, 'model.safetensors.index.json': { weight_map: outside } });
    expect(() => loadCheckpoint(bad)).toThrow('weight_map must map');
  });

  test('a nested text configuration is the one that counts, with the defaults of its class', () => {
    const text = {
      model_type: 'gemma3_text',
      hidden_size: 2560,
      intermediate_size: 10240,
      num_hidden_layers: 34,
      sliding_window: 1024,
    };
    expect(() => load({ model_type: 'gemma3', text_config: text })).toThrow(
      /embed_tokens.weight" has shape \[10, 8\]; the configuration makes it \[10, 2560\]/,
    );
  });

  test.each([
    [{ model_type: 'bert' }, 'model_type "bert" is not supported; supported: llama, qwen3, gemma3_text, gemma3'],
    [{ quantization_config: { quant_method: 'fp8' } }, 'quantised safetensors are not supported'],
    [{ hidden_act: 'gelu' }, 'hidden_act must be silu, got "gelu"'],
    [{ num_hidden_layers: 2 }, 'tensor "model.layers.1.input_layernorm.weight" is missing'],
    [
      { rope_scaling: { type: 'dynamic', factor: 2 } },
      'rope_scaling.rope_type must be default, linear, llama3 or yarn, got "dynamic"',
    ],
    [{ hidden_size: 'big' }, 'hidden_size must be a whole number of at least 1, got "big"'],
  ])('what cannot run is refused by field and value: %j', (changes, message) => {
    expect(() => load(changes)).toThrow(message);
  });

  test('weights of another kind are refused by tensor and type', () => {
    const norm = { 'model.safetensors': safetensors(names, 'F8_E4M3') };
    expect(() => load({}, norm)).toThrow(/not F32, F16 or BF16/);
  });

  test('a safetensors file that is cut or claims too much is refused', () => {
    const whole = safetensors(names);
    expect(() => load({}, { 'model.safetensors': whole.subarray(0, -1) })).toThrow(
      /tensor ".*" needs \d+ bytes at data offset \d+, but the file has/,
    );
    const huge = Buffer.from(whole);
    huge.writeBigUInt64LE(2n ** 50n);
    expect(() => load({}, { 'model.safetensors': huge })).toThrow('the size of the header says 1125899906842624');
  });
});
