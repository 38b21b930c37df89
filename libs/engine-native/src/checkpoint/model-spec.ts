// One description of a checkpoint, whatever its files look like. Readers make it; the addon's model graphs read it.

/** Numbers of a rotary position embedding. Frequencies are computed by the addon (own elementary functions). */
export interface RopeSpec {
  readonly theta: number;
  /** Even; the first `rotaryWidth` elements of a head rotate. */
  readonly rotaryWidth: number;
  readonly scaling:
    | { readonly type: 'none' }
    | { readonly type: 'linear'; readonly factor: number }
    | {
        readonly type: 'llama3';
        readonly factor: number;
        readonly lowFreqFactor: number;
        readonly highFreqFactor: number;
        readonly originalContext: number;
      }
    | {
        readonly type: 'yarn';
        readonly factor: number;
        readonly originalContext: number;
        readonly betaFast: number;
        readonly betaSlow: number;
        readonly truncate: boolean;
        /** Multiplies cos and sin. */
        readonly attentionFactor: number;
      };
  /** Name of an F32 tensor [rotaryWidth / 2] of divisors (GGUF `rope_freqs.weight`), or null. */
  readonly freqFactors: string | null;
}

/** Bytes of one tensor in one of the checkpoint's files. */
export interface TensorRef {
  /** Index into `ModelSpec.files`. */
  readonly file: number;
  readonly offset: number;
  readonly byteLength: number;
  /** GGUF type id (docs/formats.md); safetensors F32 = 0, F16 = 1, BF16 = 30. */
  readonly type: number;
  /** Row-major, slowest first: a linear weight is [out, in]. */
  readonly shape: readonly number[];
}

export interface LayerSpec {
  /** Index into `ModelSpec.ropes`. */
  readonly rope: number;
  /** Sliding window in tokens (keys with i - j < window are seen); 0 sees all. */
  readonly window: number;
}

export interface ModelSpec {
  readonly family: string;
  readonly name: string;
  readonly files: readonly string[];
  /** By GGUF name (`blk.N.attn_q.weight`); readers of other forms rename. A fused qkv is given as its three parts. */
  readonly tensors: Readonly<Record<string, TensorRef>>;

  readonly vocabSize: number;
  readonly hiddenSize: number;
  readonly ffnSize: number;
  readonly numLayers: number;
  readonly numHeads: number;
  readonly numKvHeads: number;
  readonly headDim: number;
  /** The window the checkpoint was trained for, in tokens. */
  readonly contextTokens: number;

  readonly normEps: number;
  /** Added to every norm weight: 1 where the file holds zero-centred weights. */
  readonly normWeightOffset: 0 | 1;
  readonly activation: 'silu' | 'gelu-tanh';
  readonly attentionScale: number;
  readonly attentionSoftcap: number;
  readonly finalSoftcap: number;
  readonly embeddingScale: number;
  /** Which elements of a head turn together: (2j, 2j+1) or (j, j + rotaryWidth / 2). */
  readonly ropePairs: 'interleaved' | 'half-split';
  readonly ropes: readonly RopeSpec[];
  readonly layers: readonly LayerSpec[];

  /** Ids that end a reply. */
  readonly endTokenIds: readonly number[];
}
