// The tree that parse.ts makes of a template and evaluate.ts runs.

/** Where a statement stands in the template's source, counted from 1. */
interface Placed {
  readonly line: number;
}

export type Node = Placed &
  (
    | { readonly type: 'Data'; readonly text: string }
    | { readonly type: 'Output'; readonly value: Expression }
    | { readonly type: 'Do'; readonly value: Expression }
    | {
        readonly type: 'If';
        readonly test: Expression;
        readonly body: readonly Node[];
        readonly otherwise: readonly Node[];
      }
    | ForNode
    | { readonly type: 'Set'; readonly target: Target; readonly value: Expression }
    | SetBlockNode
    | WithNode
    | MacroNode
    | CallBlockNode
    | { readonly type: 'FilterBlock'; readonly filters: readonly FilterCall[]; readonly body: readonly Node[] }
    /** `isScoped` false: the body sees the template's own names, not those of the loops and blocks around it. */
    | { readonly type: 'Block'; readonly isScoped: boolean; readonly body: readonly Node[] }
    | { readonly type: 'Break' }
    | { readonly type: 'Continue' }
  );

export interface ForNode {
  readonly type: 'For';
  readonly target: Target;
  readonly iterable: Expression;
  readonly test: Expression | null;
  readonly isRecursive: boolean;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[];
}

export interface SetBlockNode {
  readonly type: 'SetBlock';
  readonly target: Target;
  readonly filters: readonly FilterCall[];
  readonly body: readonly Node[];
}

export interface WithNode {
  readonly type: 'With';
  readonly names: readonly { readonly target: Target; readonly value: Expression }[];
  readonly body: readonly Node[];
}

export interface Parameter {
  readonly name: string;
  readonly otherwise: Expression | null;
}

/** Which of `varargs`, `kwargs` and `caller` a body mentions: what a macro is given beyond its parameters it must use. */
export type Extras = ReadonlySet<string>;

export interface MacroNode {
  readonly type: 'Macro';
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly takes: Extras;
  readonly body: readonly Node[];
}

export interface CallBlockNode {
  readonly type: 'CallBlock';
  readonly call: CallNode;
  readonly parameters: readonly Parameter[];
  readonly takes: Extras;
  readonly body: readonly Node[];
}

/** What can stand left of `=`: a name, several, or an attribute of a namespace. */
export type Target =
  | { readonly type: 'Name'; readonly name: string }
  | { readonly type: 'TupleTarget'; readonly parts: readonly Target[] }
  | { readonly type: 'NamespaceTarget'; readonly name: string; readonly attribute: string };

export interface Argument {
  readonly kind: 'positional' | 'named' | 'spread' | 'named-spread';
  /** '' unless named. */
  readonly name: string;
  readonly value: Expression;
}

export interface FilterCall {
  readonly name: string;
  readonly args: readonly Argument[];
}

export interface CallNode {
  readonly type: 'Call';
  readonly callee: Expression;
  readonly args: readonly Argument[];
}

export interface SliceNode {
  readonly type: 'Slice';
  readonly object: Expression;
  readonly start: Expression | null;
  readonly stop: Expression | null;
  readonly step: Expression | null;
}

export interface CompareNode {
  readonly type: 'Compare';
  readonly first: Expression;
  /** `a < b < c` holds where each neighbouring pair does. */
  readonly rest: readonly { readonly operator: string; readonly operand: Expression }[];
}

export type Expression =
  | { readonly type: 'Name'; readonly name: string }
  | { readonly type: 'Text'; readonly text: string }
  | { readonly type: 'Constant'; readonly value: bigint | number | boolean | null }
  | { readonly type: 'List'; readonly items: readonly Expression[] }
  | { readonly type: 'Tuple'; readonly items: readonly Expression[] }
  | { readonly type: 'Dict'; readonly entries: readonly { readonly key: Expression; readonly value: Expression }[] }
  | { readonly type: 'Not' | 'Negative' | 'Positive'; readonly operand: Expression }
  | { readonly type: 'And' | 'Or'; readonly left: Expression; readonly right: Expression }
  | {
      readonly type: 'Binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | CompareNode
  | {
      readonly type: 'Condition';
      readonly test: Expression;
      readonly value: Expression;
      readonly otherwise: Expression | null;
    }
  | { readonly type: 'Filter'; readonly operand: Expression; readonly filter: FilterCall }
  | {
      readonly type: 'Test';
      readonly operand: Expression;
      readonly name: string;
      readonly args: readonly Argument[];
      readonly isNegated: boolean;
    }
  | { readonly type: 'Attribute'; readonly object: Expression; readonly name: string }
  | { readonly type: 'Item'; readonly object: Expression; readonly key: Expression }
  | SliceNode
  | CallNode;
