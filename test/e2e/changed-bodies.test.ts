/**
 * Bodies that agents send, with any one member replaced by another value: a response or a typed error, never an
 * internal error.
 */
import fc from 'fast-check';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ask, e2eConfiguration, type Fields } from './client.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ config: e2eConfiguration });
});
afterAll(() => gateway?.stop());

const call = { name: 'f', arguments: '{}' };
const action = { protocol: 'shell', tool: 'shell.run', target: 'ls', capability: 'execute', dry_run: true };
const parameters = { command: 'ls -la', argv: ['ls'], env: { A: 'b' }, cwd: 'src', path: 'a', host: 'h', query: 'q' };
const bodies: Readonly<Record<string, Fields>> = {
  '/v1/chat/completions': {
    model: 'mock',
    max_tokens: 5,
    temperature: 0,
    n: 1,
    stop: ['x'],
    response_format: { type: 'text' },
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: call }] },
      { role: 'tool', tool_call_id: 'c', content: 'done' },
    ],
    tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
  },
  '/v1/messages': {
    model: 'mock',
    max_tokens: 5,
    system: [{ type: 'text', text: 's' }],
    metadata: { user_id: 'u' },
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'x' }] }] },
    ],
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
  },
  '/v1/responses': {
    model: 'mock',
    instructions: 'i',
    text: { format: { type: 'text' } },
    reasoning: { effort: 'low' },
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
      { type: 'function_call', ...call },
    ],
    tools: [{ type: 'function', name: 'f', parameters: {} }],
  },
  '/v1/embeddings': { model: 'mock', input: ['a', 'b'], dimensions: 4, encoding_format: 'float' },
  '/admin/v1/test-action': { ...action, parameters, actor: { agent: 'a', session: 'changed' }, justification: 'j' },
  '/admin/v1/simulate': {
    ...action,
    protocol: 'sql',
    tool: 'sql.query',
    parameters: { sql: 'select 1', database: 'd' },
  },
  '/admin/v1/graphql': { query: '{ whoami { role } }', variables: { a: 1 }, operationName: null },
};

/** Returns the path of every value, including lists and objects. */
const placesOf = (value: unknown): (string | number)[][] => [
  [],
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => placesOf(inner).map((rest) => [name, ...rest]))
    : []),
];

function changed(value: unknown, [name, ...rest]: readonly (string | number)[], into: unknown): unknown {
  if (name === undefined) return into;
  const inner = changed((value as Fields)[name], rest, into);
  return Array.isArray(value) ? value.with(Number(name), inner) : { ...(value as Fields), [name]: inner };
}

const oddValues: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, 2 ** 53, '', 'x', '\u0000', '\u202e', 'a'.repeat(3000), '__proto__', '../..'],
  ...[
    [],
    {},
    [[]],
    [null],
    { toString: 1 },
    { toString: 1, valueOf: 1 },
    { constructor: { prototype: 1 } },
    { length: -1 },
  ],
];

test.each(Object.keys(bodies))('[error.plain-words] [json.exact-numbers] %s', async (path) => {
  const body = bodies[path]!;
  const base = path.startsWith('/admin') ? gateway.ready.admin_url : gateway.ready.gateway_url;
  const change = fc.record({ place: fc.constantFrom(...placesOf(body)), into: fc.constantFrom(...oddValues) });
  // Every JavaScript object has members with these names, so a table lookup for one of them must find nothing.
  for (const place of placesOf(body))
    for (const into of ['__proto__', 'constructor', JSON.parse('{"__proto__":1,"constructor":1,"toString":"x"}')]) {
      const { status, text } = await ask(base, 'POST', path, { key: 'e2e-agent', body: changed(body, place, into) });
      expect([place, into, status < 500, text]).toEqual([place, into, true, text]);
    }
  await fc.assert(
    fc.asyncProperty(change, async ({ place, into }) => {
      const { status, text } = await ask(base, 'POST', path, { key: 'e2e-agent', body: changed(body, place, into) });
      expect([status < 500, text]).toEqual([true, text]);
    }),
    { numRuns: 60, examples: [[{ place: ['model'], into: { toString: 1 } }]] },
  );
});
