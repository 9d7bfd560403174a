/** Questions from a server to a person: forms and addresses that ask for secrets, and harmless neighbours. */

import * as z from 'zod';
import { asksSecret } from '#core/guard/asks-secret.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { object, readCases, rows, text, texts } from '../../support/yaml.ts';

const form = (message: string, properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  message,
  requestedSchema: { type: 'object', properties, ...more },
});
const plain = { type: 'string' };
const titled = (title: string): JsonObject => form('Please complete the form', { value: { type: 'string', title } });
const described = (description: string): JsonObject => form('To go on', { v1: { type: 'string', description } });
const saying = (message: string): JsonObject => form(message, { answer: plain });
const request = z.union([
  z.strictObject({ titled: text }).transform((asked) => titled(asked.titled)),
  z.strictObject({ described: text }).transform((asked) => described(asked.described)),
  z.strictObject({ saying: text }).transform((asked) => saying(asked.saying)),
  z.strictObject({ form: text, fields: object }).transform((asked) => form(asked.form, asked.fields)),
]);
const cases = readCases(
  'test/unit/guard/asks-secret.yaml',
  z.strictObject({
    names: texts,
    harmlessNames: texts,
    words: rows(text, request),
    harmlessWords: rows(text, request),
  }),
);
const named = (name: string): JsonObject => form('Sign in', { [name]: plain });

describe('by a name', () => {
  test.each(cases.names)('[guard.results] %s', (name) => {
    expect(asksSecret(named(name))).toBe(true);
  });

  test.each(cases.harmlessNames)('[guard.results] not %s', (name) => {
    expect(asksSecret(named(name))).toBe(false);
  });
});

describe('by its words', () => {
  test.each([
    ...cases.words,
    ['behind a long text', saying(`${'The build is ready. '.repeat(2_000)}Enter your password.`)],
  ] as const)('[guard.results] %s', (_, request) => {
    expect(asksSecret(request)).toBe(true);
  });

  test.each(cases.harmlessWords)('[guard.results] not %s', (_, request) => {
    expect(asksSecret(request)).toBe(false);
  });
});

describe('by its form', () => {
  const password = { type: 'object', properties: { password: plain } };

  test.each<[string, JsonObject]>([
    ['in a definition', { message: 'x', requestedSchema: { $ref: '#/$defs/a', $defs: { a: password } } }],
    ['in a part', { message: 'x', requestedSchema: { type: 'object', allOf: [password] } }],
    ['in a field', form('x', { login: password })],
    ['in a list', form('x', { all: { type: 'array', items: password } })],
    ['required and not described', form('x', {}, { required: ['password'] })],
    ['a format', form('x', { v: { type: 'string', format: 'password' } })],
    ['words without a form of fields', { message: 'Enter your password', requestedSchema: { type: 'string' } }],
  ])('[guard.results] %s', (_, request) => {
    expect(asksSecret(request)).toBe(true);
  });

  test('[guard.fails-closed] a form that is nested too deeply or is too long is rejected', () => {
    const deep = JSON.parse(`${'{"items":'.repeat(40)}{}${'}'.repeat(40)}`) as JsonObject;
    expect(() => asksSecret({ message: 'x', requestedSchema: deep })).toThrow('nested too deeply');
    expect(() => asksSecret(saying('a'.repeat(70_000)))).toThrow('too long');
  });
});

describe('by an address', () => {
  const page = (url: string): JsonObject => ({ mode: 'url', message: 'Sign in', url });

  test.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'http://example.com/login',
    'https://a:b@example.com/',
    'x',
  ])('[guard.results] %s is not a valid page address', (url) => expect(asksSecret(page(url))).toBe(true));

  test.each(['https://example.com/login?state=1', 'http://127.0.0.1:8080/callback', 'http://localhost/x'])(
    '[guard.results] %s is one',
    (url) => expect(asksSecret(page(url))).toBe(false),
  );

  test('[guard.results] a response that contains an address is not treated as a request', () => {
    expect(asksSecret({ mode: 'url', url: 'ftp://example.com' })).toBe(false);
  });
});

test('[guard.fails-closed] text in any script is checked in time proportional to its length', () => {
  for (const unit of ["enter a' ", 'введи ', '- - ', 'enter enter ', 'не '])
    expect(asksSecret(saying(unit.repeat(60_000 / unit.length)))).toBe(false);
});
