/** Arguments checked against their tool's schema. */

import { schemaViolations } from '#core/guard/schema.ts';
import type { JsonObject } from '#core/kernel/json.ts';

const schema: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    lines: { type: 'integer' },
    mode: { enum: ['text', 'bytes'] },
    tags: { type: 'array', items: { type: 'string' } },
    range: { type: 'object', properties: { from: { type: 'number' } }, required: ['from'] },
    either: { type: ['string', 'null'] },
  },
  required: ['path'],
  additionalProperties: false,
};

test.each<[string, JsonObject, string, string]>([
  ['a missing parameter', {}, 'arguments.path', 'is required'],
  ['a wrong type', { path: 7 }, 'arguments.path', 'must be string'],
  ['a fraction for an integer', { path: 'a', lines: 1.5 }, 'arguments.lines', 'must be integer'],
  ['another choice', { path: 'a', mode: 'hex' }, 'arguments.mode', 'must be one of the 2 values'],
  [
    'an unknown parameter',
    { path: 'a', note: 'x' },
    'arguments.note',
    'is not a parameter; the tool takes path, lines',
  ],
  ['an item', { path: 'a', tags: ['x', 1] }, 'arguments.tags[1]', 'must be string'],
  ['a member below', { path: 'a', range: {} }, 'arguments.range.from', 'is required'],
  ['an inherited name', { path: 'a', toString: 1 }, 'arguments.toString', 'is not a parameter'],
])('[guard.arguments] %s violates the schema', (_what, args, where, problem) => {
  expect(schemaViolations(schema, args)).toEqual([{ where, problem: expect.stringContaining(problem) }]);
});

test.each<[string, unknown, JsonObject]>([
  ['everything', schema, { path: 'a', lines: 2, mode: 'text', tags: [], range: { from: 0.5 }, either: null }],
  ['further members where they are allowed', { type: 'object', properties: {} }, { more: 1 }],
  ['a whole number written as a fraction', schema, { path: 'a', lines: 2.0 }],
  ['names by pattern', { additionalProperties: false, patternProperties: { '^x-': {} } }, { 'x-a': 1 }],
  ['what stands beside a reference', { properties: { a: { $ref: '#/$defs/a', type: 'string' } } }, { a: 1 }],
  ['compositions, which are not read', { properties: { a: { anyOf: [{ type: 'string' }] } } }, { a: 1 }],
  ['no schema', undefined, { a: 1 }],
  ['a type that JSON Schema does not know', { properties: { a: { type: 'file' } } }, { a: 1 }],
])('[guard.arguments] %s fits', (_what, given, args) => {
  expect(schemaViolations(given, args)).toEqual([]);
});

test('[guard.arguments] hostile schemas are neither executed nor quoted', () => {
  const loop: JsonObject = { properties: {} };
  (loop.properties as JsonObject).a = loop;
  const deep = { a: {} } as { a: JsonObject };
  for (let at: JsonObject = deep.a, n = 0; n < 200; n++) at = at.a = {};
  expect(schemaViolations(loop, deep)).toEqual([
    { where: expect.any(String), problem: 'is too deep or too large to be compared' },
  ]);
  const many = { tags: Array.from({ length: 20_001 }, () => 'a'), path: 'a' };
  expect(schemaViolations(schema, many)[0]).toMatchObject({ problem: 'is too deep or too large to be compared' });
  expect(
    schemaViolations({ properties: { a: { type: 'string', pattern: '(a+)+$' } } }, { a: `${'a'.repeat(50)}!` }),
  ).toEqual([]);
  expect(schemaViolations(schema, { path: 'secret-value', mode: 'secret-value' })[0]!.problem).not.toContain(
    'secret-value',
  );
});
