// What the call syntaxes have in common.

/** A call as a model wrote it. */
export interface ReadCall {
  readonly type: 'call';
  readonly name: string;
  /** A JSON object. */
  readonly argumentsText: string;
  /** The reply's text of this call, in case it is no call to an offered tool. */
  readonly source: string;
}

/** What a block holds besides calls. */
export interface ReadText {
  readonly type: 'text';
  readonly source: string;
}

export type BlockPart = ReadCall | ReadText;

/** An offered tool's parameters: name -> the schema's explicit type, or null. */
export type ParameterTypes = ReadonlyMap<string, string | null>;
export type OfferedTools = ReadonlyMap<string, ParameterTypes>;

export interface CallSyntax {
  readonly name: string;
  /** A marker that begins a block of calls. */
  readonly opener: string;
  /** The marker that ends it; null: the next opener, or the reply's end. */
  readonly closer: string | null;
  /** Other markers a block may hold. */
  readonly inner: readonly string[];
  /** A call may stand alone, without the opener, as the whole answer. */
  readonly bare: boolean;
  /** Each call in a block is closed by itself: those before a cut are whole. */
  readonly closesEach: boolean;
  /** The text of a block, opener and closer included, in order; null where it holds no call. */
  read(block: string, tools: OfferedTools): readonly BlockPart[] | null;
  /** `block` ends inside a string of an argument: a closer there is the argument's text. */
  endsInsideText(block: string): boolean;
}

export const offersNothing: OfferedTools = new Map();

/** The block's text between its markers. */
export function insideOf(block: string, opener: string, closer: string | null): string {
  const start = block.startsWith(opener) ? opener.length : 0;
  const end = closer !== null && block.endsWith(closer) ? block.length - closer.length : block.length;
  return block.slice(start, Math.max(start, end));
}

/** Offered tools from their wire form: the explicit types of their parameters. */
export function offeredTools(
  tools: readonly { readonly function: { readonly name: string; readonly parameters?: unknown } }[],
): OfferedTools {
  return new Map(tools.map((tool) => [tool.function.name, parameterTypes(tool.function.parameters)]));
}

function parameterTypes(schema: unknown): ParameterTypes {
  const properties = (schema as { properties?: unknown } | null | undefined)?.properties;
  if (typeof properties !== 'object' || properties === null) return new Map();
  return new Map(
    Object.entries(properties).map(([name, property]) => {
      const type = (property as { type?: unknown } | null)?.type;
      return [name, typeof type === 'string' ? type : null];
    }),
  );
}
