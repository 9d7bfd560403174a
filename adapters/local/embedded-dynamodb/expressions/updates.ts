/** Update expressions: SET, REMOVE, ADD and DELETE, each at most once. */
import { Parser } from './parser.ts';
import type { Assigned, Parsed, Path, Update } from './tree.ts';

const sections = ['SET', 'REMOVE', 'ADD', 'DELETE'] as const;

export function parseUpdate(text: string, called: string): Parsed<Update> {
  const parser = new Parser(text, called);
  const set: Update['set'][number][] = [];
  const remove: Path[] = [];
  const changes = { ADD: [] as Update['add'][number][], DELETE: [] as Update['delete'][number][] };
  const seen = new Set<string>();
  while (parser.next.kind !== 'end') {
    const section = sections.find((name) => parser.took(name));
    if (!section) return parser.fail();
    if (seen.has(section))
      throw parser.fault(`The "${section}" section can only be used once in an update expression;`);
    seen.add(section);
    do {
      const path = parser.path();
      if (section === 'REMOVE') remove.push(path);
      else if (section === 'SET') {
        parser.need('=');
        set.push({ path, value: sum(parser) });
      } else changes[section].push({ path, placeholder: parser.placeholder() });
    } while (parser.took(','));
  }
  return parser.end({ set, remove, add: changes.ADD, delete: changes.DELETE });
}

function sum(parser: Parser): Assigned {
  const left = assigned(parser);
  for (const kind of ['+', '-'] as const) if (parser.took(kind)) return { kind, left, right: assigned(parser) };
  return left;
}

function assigned(parser: Parser): Assigned {
  if (parser.next.kind === 'value') return { kind: 'value', placeholder: parser.placeholder() };
  if (parser.took('(')) {
    const inner = sum(parser);
    parser.need(')');
    return inner;
  }
  if (parser.next.kind !== 'word' || parser.afterNext?.text !== '(') return { kind: 'path', path: parser.path() };
  const name = parser.take().text;
  parser.need('(');
  if (name === 'if_not_exists') {
    const path = parser.path();
    parser.need(',');
    const otherwise = assigned(parser);
    parser.need(')');
    return { kind: name, path, otherwise };
  }
  if (name !== 'list_append') throw parser.fault(`Invalid function name; function: ${name}`);
  const first = assigned(parser);
  parser.need(',');
  const second = assigned(parser);
  parser.need(')');
  return { kind: name, first, second };
}
