import { bareObject } from '#core/kernel/bare-object.ts';
import { canonicalize } from '#core/kernel/canonical.ts';

test('a bare object inherits nothing and accepts any member name', () => {
  const object = bareObject<string>();
  expect('constructor' in object || 'toString' in object).toBe(false);
  const members: [string, string][] = [
    ['__proto__', 'text'],
    ['constructor', 'another'],
  ];
  for (const [name, value] of members) object[name] = value;
  expect(Object.entries(object)).toEqual(members);
  expect(canonicalize(object)).toBe('{"__proto__":"text","constructor":"another"}');
  expect(JSON.stringify(bareObject())).toBe('{}');
});
