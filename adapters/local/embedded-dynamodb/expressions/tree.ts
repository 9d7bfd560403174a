/** The tree of a parsed expression. Placeholders are unresolved: each request defines them. */

/** An attribute by its name or `#placeholder`, then members of maps and elements of lists. */
export type Path = readonly (string | number)[];

interface PathOperand {
  readonly kind: 'path';
  readonly path: Path;
}
interface ValueOperand {
  readonly kind: 'value';
  readonly placeholder: string;
}
interface SizeOperand {
  readonly kind: 'size';
  readonly of: Operand;
}
export type Operand = PathOperand | ValueOperand | SizeOperand;

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly of: Condition }
  | { readonly kind: 'compare'; readonly by: Comparator; readonly left: Operand; readonly right: Operand }
  | { readonly kind: 'between'; readonly operand: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'in'; readonly operand: Operand; readonly list: readonly Operand[] }
  | { readonly kind: 'exists' | 'not_exists'; readonly path: Path }
  | {
      readonly kind: 'attribute_type' | 'begins_with' | 'contains';
      readonly operand: Operand;
      readonly other: Operand;
    };

/** The right side of SET. */
export type Assigned =
  | PathOperand
  | ValueOperand
  | { readonly kind: 'if_not_exists'; readonly path: Path; readonly otherwise: Assigned }
  | { readonly kind: 'list_append'; readonly first: Assigned; readonly second: Assigned }
  | { readonly kind: '+' | '-'; readonly left: Assigned; readonly right: Assigned };

export interface Update {
  readonly set: readonly { readonly path: Path; readonly value: Assigned }[];
  readonly remove: readonly Path[];
  readonly add: readonly { readonly path: Path; readonly placeholder: string }[];
  readonly delete: readonly { readonly path: Path; readonly placeholder: string }[];
}

/** An expression with the paths and placeholders that it uses. */
export interface Parsed<T> {
  readonly tree: T;
  readonly paths: readonly Path[];
  readonly names: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}
