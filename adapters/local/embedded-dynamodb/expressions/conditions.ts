/** Parses conditions: of writes, of filters, and of keys, which have a narrower form. */
import { Parser } from './parser.ts';
import type { Comparator, Condition, Operand, Parsed } from './tree.ts';

const comparators = new Set(['=', '<>', '<', '<=', '>', '>=']);

export function parseCondition(text: string, called: string): Parsed<Condition> {
  const parser = new Parser(text, called);
  return parser.end(either(parser));
}

function either(parser: Parser): Condition {
  let left = both(parser);
  while (parser.took('OR')) left = { kind: 'or', left, right: both(parser) };
  return left;
}

function both(parser: Parser): Condition {
  let left = negation(parser);
  while (parser.took('AND')) left = { kind: 'and', left, right: negation(parser) };
  return left;
}

const negation = (parser: Parser): Condition =>
  parser.took('NOT') ? { kind: 'not', of: negation(parser) } : single(parser);

function single(parser: Parser): Condition {
  if (parser.took('(')) {
    const inner = either(parser);
    parser.need(')');
    if (inner === parser.enclosed) throw parser.fault('The expression has redundant parentheses;');
    parser.enclosed = inner;
    return inner;
  }
  const called = parser.next.kind === 'word' && parser.afterNext?.text === '(';
  if (called && parser.next.text !== 'size') return test(parser);
  const operand = parser.operand();
  if (parser.took('BETWEEN')) {
    const low = parser.operand();
    parser.need('AND');
    return { kind: 'between', operand, low, high: parser.operand() };
  }
  if (parser.took('IN')) return { kind: 'in', operand, list: operands(parser) };
  if (!comparators.has(parser.next.text)) parser.fail();
  const by = parser.take().text as Comparator;
  const right = parser.operand();
  if (operand.kind === 'path' && JSON.stringify(operand) === JSON.stringify(right))
    throw parser.fault(
      `The first operand must be distinct from the remaining operands for this operator or function; operator: ${by}, first operand: [${operand.path.join(', ')}]`,
    );
  return { kind: 'compare', by, left: operand, right };
}

function operands(parser: Parser): Operand[] {
  parser.need('(');
  const list = [parser.operand()];
  while (parser.took(',')) list.push(parser.operand());
  parser.need(')');
  return list;
}

/** Parses a function with a boolean result. */
function test(parser: Parser): Condition {
  const name = parser.take().text;
  switch (name) {
    case 'attribute_exists':
    case 'attribute_not_exists': {
      const [operand] = exactly(parser, name, 1);
      if (operand!.kind !== 'path')
        throw parser.fault(`Operator or function requires a document path; operator or function: ${name}`);
      return { kind: name === 'attribute_exists' ? 'exists' : 'not_exists', path: operand!.path };
    }
    case 'attribute_type':
    case 'begins_with':
    case 'contains': {
      const [operand, other] = exactly(parser, name, 2);
      return { kind: name, operand: operand!, other: other! };
    }
    default:
      throw parser.fault(`Invalid function name; function: ${name}`);
  }
}

function exactly(parser: Parser, name: string, count: number): Operand[] {
  const found = operands(parser);
  if (found.length !== count)
    throw parser.fault(
      `Incorrect number of operands for operator or function; operator or function: ${name}, number of operands: ${found.length}`,
    );
  return found;
}
