/** Small changes of meaning in a source file: another comparison, a negated condition, a call left out, a number that is one more. */
import { parseSync } from '@swc/core';

export interface Mutant {
  readonly file: string;
  readonly line: number;
  /** The text of the line, without its indent. */
  readonly context: string;
  readonly from: string;
  readonly to: string;
  /** The whole text of the file with the change. */
  readonly text: string;
}

interface Node {
  readonly type?: string;
  readonly span?: { readonly start: number; readonly end: number };
  readonly [member: string]: unknown;
}

const operators: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
};

/** Every mutant of a file, in the order of the text. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const bytes = Buffer.from(source);
  const module = parseSync(source, { syntax: 'typescript', target: 'es2024' }) as unknown as Node;
  const body = module.body as readonly Node[];
  const first = body[0];
  if (!first?.span) return [];
  // Spans count from the texts parsed before; the first statement says from where.
  const base = first.span.start - startOf(bytes, String(first.type));
  const found: Mutant[] = [];

  const replace = (node: Node, change: (text: string) => string | undefined): void => {
    const [start, end] = [node.span!.start - base, node.span!.end - base];
    const from = bytes.subarray(start, end).toString();
    const to = change(from);
    if (to === undefined || to === from) return;
    const text = Buffer.concat([bytes.subarray(0, start), Buffer.from(to), bytes.subarray(end)]).toString();
    const line = bytes.subarray(0, start).toString().split('\n').length;
    const context = source.split('\n')[line - 1]!.trim();
    found.push({ file, line, context, from: oneLine(from), to: oneLine(to), text });
  };

  // A comparison for equality gets its opposite already as an operator.
  const negate = (test: Node): void => {
    if (test.operator !== '===' && test.operator !== '!==') replace(test, (text) => `!(${text})`);
  };

  const visit = (node: unknown): void => {
    if (Array.isArray(node)) {
      for (const each of node) visit(each);
      return;
    }
    if (node === null || typeof node !== 'object') return;
    const at = node as Node;
    if (at.type?.startsWith('Ts') || at.type === 'ImportDeclaration') return;
    if (at.type === 'BinaryExpression') mutateBinary(at, replace, bytes, base);
    if (at.type === 'BooleanLiteral') replace(at, (text) => (text === 'true' ? 'false' : 'true'));
    if (at.type === 'NumericLiteral') replace(at, (text) => `(${text} + 1)`);
    if (at.type === 'IfStatement' || at.type === 'ConditionalExpression') negate(at.test as Node);
    if (at.type === 'ExpressionStatement' && isCall(at.expression as Node)) replace(at, () => ';');
    for (const [member, value] of Object.entries(at)) if (member !== 'span') visit(value);
  };
  visit(body);
  return found;
}

function mutateBinary(
  node: Node,
  replace: (node: Node, change: (text: string) => string | undefined) => void,
  bytes: Buffer,
  base: number,
): void {
  const operator = String(node.operator);
  const other = operators[operator];
  if (other === undefined) return;
  const [left, right] = [node.left as Node, node.right as Node];
  const texts = [left, right].map(({ span }) => bytes.subarray(span!.start - base, span!.end - base).toString());
  // A sum of texts with another sign is no number: it would not compile to anything a person writes.
  if (operator === '+' && texts.some((text) => /^['"`]/.test(text))) return;
  replace(node, (text) => text.slice(0, texts[0]!.length) + text.slice(texts[0]!.length).replace(operator, other));
}

const isCall = ({ type, argument }: Node): boolean =>
  type === 'CallExpression' || (type === 'AwaitExpression' && isCall(argument as Node));

const startOf = (bytes: Buffer, type: string): number =>
  Math.max(
    0,
    bytes.indexOf(type === 'ImportDeclaration' ? 'import ' : type.startsWith('Export') ? 'export ' : 'const '),
  );

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 100);
