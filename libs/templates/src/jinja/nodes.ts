// The parse tree that @huggingface/jinja's parser makes, as evaluate.ts reads it.

export interface Program {
  readonly type: 'Program';
  readonly body: readonly Node[];
}

export type Node = Statement | Expression;

export type Statement =
  | {
      readonly type: 'If';
      readonly test: Expression;
      readonly body: readonly Node[];
      readonly alternate: readonly Node[];
    }
  | ForNode
  | {
      readonly type: 'Set';
      readonly assignee: Expression;
      readonly value: Expression | null;
      readonly body: readonly Node[];
    }
  | {
      readonly type: 'Macro';
      readonly name: Identifier;
      readonly args: readonly Parameter[];
      readonly body: readonly Node[];
    }
  | {
      readonly type: 'CallStatement';
      readonly call: CallNode;
      readonly callerArgs: readonly Parameter[] | null;
      readonly body: readonly Node[];
    }
  | { readonly type: 'FilterStatement'; readonly filter: Identifier | CallNode; readonly body: readonly Node[] }
  | { readonly type: 'Break' }
  | { readonly type: 'Continue' }
  | { readonly type: 'Comment' };

export interface ForNode {
  readonly type: 'For';
  readonly loopvar: Identifier | TupleNode;
  readonly iterable: Expression;
  readonly body: readonly Node[];
  readonly defaultBlock: readonly Node[];
}

export interface Identifier {
  readonly type: 'Identifier';
  readonly value: string;
}

export interface TupleNode {
  readonly type: 'TupleLiteral';
  readonly value: readonly Expression[];
}

export interface KeywordNode {
  readonly type: 'KeywordArgumentExpression';
  readonly key: Identifier;
  readonly value: Expression;
}

export type Parameter = Identifier | KeywordNode;

export interface CallNode {
  readonly type: 'CallExpression';
  readonly callee: Expression;
  readonly args: readonly Expression[];
}

export interface MemberNode {
  readonly type: 'MemberExpression';
  readonly object: Expression;
  readonly property: Expression;
  readonly computed: boolean;
}

export interface SliceNode {
  readonly type: 'SliceExpression';
  readonly start?: Expression;
  readonly stop?: Expression;
  readonly step?: Expression;
}

export interface BinaryNode {
  readonly type: 'BinaryExpression';
  readonly operator: { readonly value: string };
  readonly left: Expression;
  readonly right: Expression;
}

export type Expression =
  | Identifier
  | TupleNode
  | KeywordNode
  | CallNode
  | MemberNode
  | SliceNode
  | BinaryNode
  | { readonly type: 'IntegerLiteral' | 'FloatLiteral'; readonly value: number }
  | { readonly type: 'StringLiteral'; readonly value: string }
  | { readonly type: 'ArrayLiteral'; readonly value: readonly Expression[] }
  | { readonly type: 'ObjectLiteral'; readonly value: ReadonlyMap<Expression, Expression> }
  | { readonly type: 'FilterExpression'; readonly operand: Expression; readonly filter: Identifier | CallNode }
  | {
      readonly type: 'TestExpression';
      readonly operand: Expression;
      readonly negate: boolean;
      readonly test: Identifier;
    }
  | { readonly type: 'UnaryExpression'; readonly operator: { readonly value: string }; readonly argument: Expression }
  | { readonly type: 'SelectExpression'; readonly lhs: Expression; readonly test: Expression }
  | {
      readonly type: 'Ternary';
      readonly condition: Expression;
      readonly trueExpr: Expression;
      readonly falseExpr: Expression;
    }
  | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression'; readonly argument: Expression };
