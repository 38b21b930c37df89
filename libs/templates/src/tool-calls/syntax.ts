// What the call syntaxes have in common: a syntax makes a reader, and the reader tells of calls as their text comes.

/** An offered tool's parameters: name -> the schema's explicit type, or null. */
export type ParameterTypes = ReadonlyMap<string, string | null>;
export type OfferedTools = ReadonlyMap<string, ParameterTypes>;

/** What a reader found, in the order of the text. `at`: characters of the block read by then. */
export type CallEvent =
  /** A call begins; its name is whole. */
  | { readonly type: 'name'; readonly name: string; readonly at: number }
  /**
   * The next piece of the call's arguments, JSON text. The pieces before `end` are no whole JSON value: who has seen them
   * cannot take an unfinished call for a finished one.
   */
  | { readonly type: 'arguments'; readonly text: string; readonly at: number }
  /** The call is whole, and so are its arguments: a JSON object. */
  | { readonly type: 'end'; readonly at: number }
  /** What came since the last call is none; reading goes on. */
  | { readonly type: 'failed'; readonly at: number }
  /** Markup between calls. */
  | { readonly type: 'skip'; readonly at: number };

export interface CallReader {
  /** `broken`: what came since the last call is none, nor is what follows. `over`: text follows the last call. */
  readonly state: 'open' | 'over' | 'broken';
  /** The text read last stands inside an argument: a closer or opener there is the argument's text. */
  readonly isInsideText: boolean;
  /** Takes the block's next text, opener and closer left out. */
  push(text: string, isMarker: boolean): CallEvent[];
  /** The block ends: by its closer or another opener, or with the reply (`isCut`: at the limit). */
  close(isCut: boolean): CallEvent[];
}

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
  /** `tools`: for the types of arguments. */
  createReader(tools: OfferedTools): CallReader;
}

export const offersNothing: OfferedTools = new Map();

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
