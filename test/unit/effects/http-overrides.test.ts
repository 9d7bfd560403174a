/** Members that override the method, host or path of an HTTP call. */

import * as z from 'zod';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { anything, object, readCases, rows, text } from '../../support/yaml.ts';
import { only, read } from './http-reading.ts';

const cases = readCases(
  'test/unit/effects/http-overrides.yaml',
  z.strictObject({
    steering: rows(object, text),
    mutations: rows(object),
    unchanged: rows(object),
    unknown: rows(text, anything),
    deletes: rows(object),
    unclear: rows(object),
  }),
);

describe('[effects.http] parameters', () => {
  const target = 'https://good.example/v1';
  const of = (parameters: Record<string, unknown>, protocol = 'http') =>
    read({ protocol, tool: protocol === 'http' ? 'http.request' : 'fetch', target, parameters });

  test.each(cases.unknown)('parameter %s is unknown, so the request is unclear', (name, value) => {
    expect(of({ [name]: value }).unclear).toContain(JSON.stringify(name));
  });

  test.each(cases.steering)(
    'in other protocols %j may change the method or target of the request',
    (parameters, name) => {
      expect(of(parameters, 'mcp').unclear).toContain(JSON.stringify(name));
    },
  );

  test.each([
    [{ headers: { accept: 'text/html' }, timeout_ms: 500, max_length: 5000, prompt: 'what does it cost?' }],
    [{ method: 'POST', json: { host: 'db', port: 1, options: { proxy: 'none' } } }],
    [{ method: 'POST', body: { query: '{ viewer { login } }', variables: { host: 'x' } } }],
    [{ query: 'query { viewer { login } }' }],
  ])('%j is clear', (parameters) => {
    expect(of(parameters).unclear).toBeUndefined();
    expect(of({ ...parameters, onlyMainContent: true, tag: 'x' }, 'mcp').unclear).toBeUndefined();
  });

  test('query parameters become part of the address', () => {
    expect(only({ target, parameters: { params: { page: 2, tag: ['a', 'b c'] } } }).target).toBe(
      'https://good.example/v1?page=2&tag=a&tag=b+c',
    );
    expect(only({ target: `${target}?x=1#part`, parameters: { query: 'y=2' } }).target).toBe(
      'https://good.example/v1?x=1&y=2',
    );
    expect(read({ target, parameters: { params: { a: { b: 1 } } } }).unclear).toContain('query');
  });
});
describe('[effects.http] parameters that act as method, host or path', () => {
  const target = 'https://good.example/v1';
  const of = (parameters: Record<string, unknown>, more: Partial<ToolCall> = {}) =>
    read({ tool: 'http.get', target, parameters, ...more });
  const toolsOf = (parameters: Record<string, unknown>) => of(parameters).parts.map(({ tool }) => tool);

  test.each(cases.deletes)('%j deletes', (parameters) => {
    expect(toolsOf(parameters)).toEqual(['http.get', 'http.delete']);
  });

  test('a query parameter in the address can set the method', () => {
    for (const query of ['_method=DELETE', 'a=1&_METHOD=delete', 'X-HTTP-Method-Override=DELETE'])
      expect(of({}, { target: `${target}?${query}` }).parts.map(({ tool }) => tool)).toEqual([
        'http.get',
        'http.delete',
      ]);
  });

  test.each(cases.mutations)('the mutation %j is a write sent with GET', (parameters) => {
    expect(of(parameters).parts.map(({ capability }) => capability)).toEqual(['read', 'write']);
  });

  test('a mutation in the address is a write sent with GET', () => {
    for (const query of ['query=mutation{deleteUsers}', 'query=mutation%7BdeleteUsers%7D&variables=%7B%7D'])
      expect(of({}, { target: `${target}?${query}` }).parts.map(({ tool }) => tool)).toEqual(['http.get', 'http.post']);
  });

  test.each(cases.unclear)('%j is unclear', (parameters) => {
    expect(of(parameters).unclear).toBeDefined();
  });

  test.each(cases.unchanged)('%j does not change the request', (parameters) => {
    expect(toolsOf(parameters)).toEqual(['http.get']);
    expect(of(parameters).unclear).toBeUndefined();
  });

  test('a fetch tool in another protocol is recognised regardless of the case of its parameters', () => {
    const call = {
      protocol: 'mcp',
      tool: 'fetch',
      target: '',
      parameters: { URL: 'https://good.example/', Method: 'PUT' },
    };
    expect(of({}, call).parts.map(({ tool }) => tool)).toEqual(['http.put']);
  });
});
