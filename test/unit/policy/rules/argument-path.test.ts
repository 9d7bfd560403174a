/** Paths into parameters: their syntax and the values they match. */
import { holdsAt, holdsInCall, parsePath } from '#core/policy/rules/argument-path.ts';

test.each([
  ['a.b', [{ key: 'a' }, { key: 'b' }], 'every'],
  ['l[*].n', [{ key: 'l' }, 'element', { key: 'n' }], 'every'],
  ['l[?][?]', [{ key: 'l' }, 'element', 'element'], 'some'],
])('[policy.arguments] %s is read', (source, steps, quantifier) => {
  expect(parsePath(source)).toEqual({ source, steps, quantifier });
});

test.each([
  ['**', 'all'],
  ['** (path-named)', 'path-named'],
  ['** (not-text)', 'not-text'],
])('[policy.arguments] %s matches some text anywhere in the parameters', (source, anywhere) => {
  expect(parsePath(source)).toEqual({ source, steps: [], quantifier: 'some', anywhere });
});

test.each(['', '.', 'a..b', 'a[', 'a[1]', '[*]', 'a*', 'a?', 'l[*].m[?]', '***', '** (other)'])(
  '[policy.arguments] %j is malformed, and the error names the allowed forms',
  (source) => {
    expect(() => parsePath(source)).toThrow(`The argument path "${source}" is malformed. Allowed: "a.b"`);
  },
);

const reached = (source: string, parameters: unknown): unknown[] => {
  const values: unknown[] = [];
  const path = parsePath(source);
  holdsAt(path, parameters, (value) => {
    values.push(value);
    return path.quantifier === 'every';
  });
  return values;
};

test.each<[string, unknown, unknown[]]>([
  ['a.b', { a: { b: 1 } }, [1]],
  ['a.b', { a: [{ b: 1 }] }, [undefined]],
  ['a.b', { a: null }, [undefined]],
  ['a.length', { a: 'text' }, [undefined]],
  ['toString', {}, [undefined]],
  ['l[*]', { l: [1, 2] }, [1, 2]],
  ['l[?]', { l: [1, 2] }, [1, 2]],
  ['l[*]', { l: [] }, [undefined]],
  ['l[?]', { l: 'a' }, [undefined]],
  ['l[*][*]', { l: [[1], [], 2] }, [1, undefined, undefined]],
])('[policy.arguments] %s on %j reaches %j', (source, parameters, values) => {
  expect(reached(source, parameters)).toEqual(values);
});

test('[policy.sent-with] a path for any text also matches text sent outside the parameters, and other paths do not', () => {
  const call = { parameters: { a: 'x' }, sent_with: { note: 'y', path: 'z' } };
  const finds = (path: string, text: string) => holdsInCall(parsePath(path), call, (value) => value === text);
  expect(['x', 'y', 'note', 'w'].map((text) => finds('**', text))).toEqual([true, true, true, false]);
  expect([finds('** (path-named)', 'z'), finds('** (path-named)', 'y')]).toEqual([true, false]);
  expect([finds('a', 'x'), finds('note', 'y')]).toEqual([true, false]);
  expect(holdsInCall(parsePath('**'), { parameters: {} }, () => true)).toBe(false);
});
