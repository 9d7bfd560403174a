/**
 * Requests designed to stall a gateway, each bounded and with its expected response. `npm run bench -- --hostile`
 * measures the latency of /health while they run; `test/e2e/hostile.test.ts` checks their responses.
 */
import { gzipSync } from 'node:zlib';
import { administration } from './administration.ts';
import { hostileKeys } from './configuration.ts';
import {
  chat,
  chatBody,
  git,
  type HostileForm,
  heavy,
  key,
  lookedAt,
  MB,
  mcp,
  rpc,
  shell,
  sql,
  textForm,
  times,
} from './forms.ts';
import { post, raw, say } from './send.ts';
import { servers } from './servers.ts';

export type { HostileForm } from './forms.ts';

/** Requests without a valid key. */
const strangers: readonly HostileForm[] = [
  {
    name: 'WebSocket without a key, 9.9 MB of []',
    answers: [1009],
    send: ({ gateway }) => say({ url: gateway, messages: [`[${times('[],', 9.9 * MB)}[]]`] }),
  },
  {
    name: 'WebSocket without a key, 2,000 messages',
    answers: [4429],
    send: ({ gateway }) => say({ url: gateway, messages: Array(2_000).fill(times('{"a":[', 3_000)), until: 1e9 }),
  },
  {
    name: 'chat without a key, 9 MB',
    answers: [401],
    send: ({ gateway }) => post({ url: `${gateway}/v1/chat/completions`, body: times('[],', 9 * MB) }),
  },
  {
    name: 'MCP with a wrong key, 9 MB',
    answers: [401, 429],
    send: ({ mcp: url }) => post({ url: `${url}/mcp`, key: 'wrong', body: times('[],', 9 * MB) }),
  },
  {
    name: 'a body in chunks that never ends, no key',
    answers: [401],
    send: ({ admin }) =>
      raw(
        admin,
        'POST /admin/v1/test-action HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n',
        5_000,
        (write) => {
          for (let n = 0; n < 700 && write(`2000\r\n${'x'.repeat(8_192)}\r\n`) !== false; n++);
        },
      ),
  },
  {
    name: 'two thousand headers',
    answers: [413],
    send: ({ admin }) =>
      raw(
        admin,
        `GET /health HTTP/1.1\r\nHost: localhost\r\n${Array.from({ length: 2_000 }, (_, n) => `X-${n}: y\r\n`).join('')}\r\n`,
        3_000,
      ),
  },
  {
    name: 'headers that never end, 200 connections',
    answers: [0],
    concurrency: 200,
    send: ({ gateway }) => raw(gateway, 'GET /health HTTP/1.1\r\nHost: loc', 1_500),
  },
  {
    name: 'two hundred wrong keys',
    answers: [401, 429],
    concurrency: 200,
    send: ({ admin }) =>
      post({ url: `${admin}/admin/v1/whoami`, method: 'GET', key: `guess-${Math.random()}`, body: '' }),
  },
];

/** Requests with a key that fail before their content is inspected. */
const shapes: readonly HostileForm[] = [
  {
    name: 'bodies that drip, 100 connections',
    answers: [0],
    concurrency: 100,
    send: ({ gateway }) =>
      raw(
        gateway,
        `POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{`,
        1_500,
      ),
  },
  chat('9 MB of []', () => `{"model":"mock","messages":[${times('[],', 9 * MB)}[]]}`, [400, 413], /values/),
  chat(
    '9 MB of members',
    () => `{${Array.from({ length: 700_000 }, (_, n) => `"k${n}":0`).join(',')}}`,
    [400, 413],
    /values/,
  ),
  chat('a million brackets', () => times('[', MB), [400]),
  chat('9 MB of escapes', () => chatBody(times('"', 4.5 * MB)), [200, 413, 503]),
  chat('9 MB of numbers', () => `{"model":"mock","seed":[${times('1e5,', 9 * MB)}1]}`, [400, 413], /values/),
  chat(
    '9 MB of blanks',
    () => `{"model":"mock",${times(' \n', 9 * MB)}"messages":[{"role":"user","content":"hi"}]}`,
    [200],
  ),
  chat(
    '100,000 messages',
    () => `{"model":"mock","messages":[${Array(100_000).fill('{"role":"user","content":"hi"}').join(',')}]}`,
    [400, 413],
    /values/,
  ),
  {
    name: 'gzip: 10 MB in 10 kB',
    answers: [400, 415],
    send: ({ gateway }) =>
      post({
        url: `${gateway}/v1/chat/completions`,
        key,
        headers: { 'content-encoding': 'gzip' },
        body: gzipSync(chatBody(times('a', 10 * MB))),
      }),
  },
  {
    name: 'WebSocket with a key, 9 MB of []',
    answers: [1000],
    says: /values|larger/,
    send: ({ gateway }) => say({ url: gateway, key, messages: [`[${times('[],', 9 * MB)}[]]`] }),
  },
  heavy({
    name: 'WebSocket with a key, 5,000 messages',
    answers: [1000],
    send: ({ gateway }) =>
      say({ url: gateway, key, messages: Array(5_000).fill('{"type":"dance","id":"1"}'), until: 5_000 }),
  }),
];

/** Text for the content filters. */
const texts: readonly HostileForm[] = [
  heavy(textForm('1.2 MB of 4 4 4', () => times('4 ', 1.2 * MB))),
  heavy(textForm('4 MB of 4111 1111', () => times('4111 1111 ', 4 * MB))),
  textForm('8 MB of words', () => times('the quick brown fox ', 8 * MB)),
  // The text grows eighteenfold when it is read.
  textForm('1 MB of U+FDFA', () => times('\ufdfa', MB / 3)),
  textForm('2 MB of marks', () => times(`a${'\u0301'.repeat(200)}`, MB)),
  textForm('3 MB of a@a.', () => times('a@a.', 3 * MB)),
  textForm('3 MB of +1 (', () => times('+1 (2) 3-', 3 * MB)),
  textForm('3 MB of DE89', () => times('DE89 ', 3 * MB)),
  textForm('3 MB of 1.1.1.', () => times('1.1.1.:1::', 3 * MB)),
  textForm('3 MB of aaaabb', () => times('aaaabbab', 3 * MB)),
  textForm('3 MB of sk-', () => times('sk-AKIA password: ', 3 * MB)),
  textForm('2 MB of full-width letters', () => times('ｉｇｎｏｒｅ　', 0.7 * MB)),
  heavy(
    chat(
      'tools with 2 MB of schema',
      () =>
        chatBody('hi', {
          tools: [
            {
              type: 'function',
              function: { name: 'f', parameters: { type: 'object', description: times('4 ', 2 * MB) } },
            },
          ],
        }),
      [200, 413, 503],
    ),
  ),
  chat(
    '20,000 parts',
    () => chatBody(Array.from({ length: 20_000 }, () => ({ type: 'text', text: '4 4 4 4' }))),
    [200, 400, 413, 503],
  ),
];

/** HostileForm upstream responses. */
const replies: readonly HostileForm[] = [
  heavy(chat('a provider streams 40,000 events', () => chatBody('hi', { model: 'bad-flood', stream: true }), [200])),
  heavy(chat('a provider streams 800 kB at once', () => chatBody('hi', { model: 'bad-delta', stream: true }), [200])),
  chat(
    'a provider streams two million comments',
    () => chatBody('hi', { model: 'bad-comments', stream: true }),
    [200, 502],
  ),
  heavy(
    chat('a provider responds with 1 MB of 4 4 4', () => chatBody('hi', { model: 'bad-digits' }), [...lookedAt, 502]),
  ),
  chat('a provider responds with 6 MB of []', () => chatBody('hi', { model: 'bad-arrays' }), [502]),
];

/** Calls that need a policy decision. */
const calls: readonly HostileForm[] = [
  shell('a hundred brace words', () => ({ command: `ls ${times('{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} ', 3_600)}` })),
  shell('20,000 arguments', () => ({ argv: ['ls', ...Array(20_000).fill('x')] })),
  shell('250 kB of commands', () => ({ command: times('ls a;', 250_000) })),
  shell('250 kB of substitutions', () => ({ command: `${times('$(echo ', 100_000)}${times(')', 14_286)}` })),
  shell('250 kB of one word', () => ({ command: `ls ${times('a*?[b]', 250_000)}` })),
  shell('250 kB of quotes', () => ({ command: times(`'"'"`, 250_000) })),
  shell('250 kB of one quoted word', () => ({ command: `echo '${times('secret1 key ', 250_000)}'` })),
  shell('250 kB of assignments', () => ({ command: times('A_KEY=$x ', 250_000) })),
  shell('250 kB of base64', () => ({ command: `echo ${times('QUJDREVGR0hJSktM ', 250_000)}` })),
  sql('30,000 brackets', () => `select ${times('(', 30_000)}1${times(')', 30_000)}`),
  sql('250 kB of UNION', () => times('select 1 union ', 250_000).concat('select 1')),
  sql('250 kB of IN', () => `select 1 where 1 in (${times('1,', 250_000)}1)`),
  sql('250 kB of joins', () => `select 1 from a ${times('join b on 1=1 ', 250_000)}`),
  sql('250 kB of statements', () => times('select f(a) from t;', 250_000)),
  git(
    '50,000 strings against 200 rules',
    () => ({ parameters: { list: Array.from({ length: 50_000 }, () => 'ab') } }),
    [400, 413],
  ),
  git(
    '8,000 strings against 200 rules',
    () => ({ parameters: { list: Array.from({ length: 8_000 }, (_, n) => `secret${n}ke`) } }),
    [200, 400, 413],
  ),
  git('one 240 kB string against 200 rules', () => ({ parameters: { text: times('secret1k', 240_000) } })),
  git('4 kB of a/b/ against 200 rules', () => ({ target: times('a/b/c/d/', 4_090) })),
  git('60 levels', () => ({
    parameters: JSON.parse(`${times('{"a":', 300)}${'"secret1key"'}${'}'.repeat(60)}`) as object,
  })),
  git('a parameter whose name has 240 kB of capitals', () => ({ parameters: { [times('A', 240_000)]: 'x' } })),
  git('a parameter whose name has 240 kB of words', () => ({ parameters: { [times('aB_', 240_000)]: 'x' } })),
  mcp(
    'an argument whose name has 240 kB of capitals',
    () => rpc('tools/call', { name: 'notes.read_1', arguments: { [times('A', 240_000)]: 'few' } }),
    [200],
  ),
  git('250 kB of ../', () => ({ parameters: { path: times('../%2e%2e/', 240_000) } })),
  git('240 kB of accents against 200 rules', () => ({ parameters: { text: times('é\\u0301', 100_000) } })),
  git('80 kB of U+FDFA', () => ({ parameters: { text: times('\ufdfa', 80_000) } })),
  git('7,000 secrets', () => ({
    dry_run: false,
    parameters: { list: Array.from({ length: 7_000 }, (_, n) => `password=hunter${n}`) },
  })),
  git('7,000 names', () => ({
    parameters: Object.fromEntries(Array.from({ length: 7_000 }, (_, n) => [`name-${n}`, n])),
  })),
  {
    name: 'a hundred heavy calls simulated',
    answers: [200, 413, 429, 503],
    send: ({ admin }) =>
      post({
        url: `${admin}/admin/v1/simulate`,
        key,
        body: JSON.stringify({
          calls: Array.from({ length: 100 }, () => ({
            protocol: 'shell',
            tool: 'shell.exec',
            target: 'x',
            capability: 'execute',
            parameters: { command: times('ls -la src;', 2_300) },
          })),
        }),
      }),
  },
  mcp(
    'a batch of 10,000 messages',
    () =>
      `[${Array.from({ length: 10_000 }, (_, id) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })).join(',')}]`,
    [200, 400, 413],
  ),
  mcp(
    '9 MB of arguments',
    () => rpc('tools/call', { name: 'notes.read_1', arguments: { text: times('x', 9 * MB) } }),
    [200, 400, 413],
  ),
  {
    name: 'a configuration that multiplies itself',
    answers: [400],
    send: ({ admin }) =>
      post({
        url: `${admin}/admin/v1/config`,
        method: 'PUT',
        key: hostileKeys.human,
        headers: { 'content-type': 'application/yaml' },
        body: `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((name, n) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[n]}`).join(',')}]`).join('\n')}`,
      }),
  },
];

export const hostileRequests: readonly HostileForm[] = [
  ...strangers,
  ...shapes,
  ...texts,
  ...replies,
  ...calls,
  ...servers,
  ...administration,
];
