/** The list of pending requests: order, filters, and the wording of its rows and cards. */
import { listedItems, riskOrAll, sessionCounts } from '../../../console/approvals/filters.ts';
import { argumentOf, effectOf, type Item, nextOf, sourcesOf, togetherWith } from '../../../console/approvals/items.ts';
import { lastRead } from '../../../console/approvals/last-read.ts';

const item = (id: string, over: Record<string, unknown> = {}) =>
  ({
    envelope_id: id,
    session_id: id,
    tool: 'shell.run',
    target: '',
    parameters: {},
    justification: '',
    key: { id: 'k', name: 'ci' },
    actor: { agent: 'bot', session: id },
    ...over,
  }) as unknown as Item;
const idsOf = (items: readonly Item[]) => items.map(({ envelope_id }) => envelope_id).join(' ');
const all = { text: '', risk: '' } as const;

describe('[console.approvals] the list', () => {
  const items = [
    item('a', { session_id: 'one', summary: { text: 'Deletes pod x', risk: 'deletes' } }),
    item('b', { session_id: 'two', summary: { text: 'Reads a.txt', risk: 'reads' }, justification: 'For OPS-318' }),
    item('c', {
      session_id: 'one',
      parameters: { command: 'kubectl get pods' },
      summary: { text: 'x', risk: 'reads' },
    }),
    item('d', { session_id: 'three', actor: { agent: 'claude-code' } }),
  ];

  test('requests are grouped by session, starting with the session that has the oldest request', () => {
    expect(idsOf(listedItems(items, all))).toBe('a c b d');
    expect([...sessionCounts(items)]).toEqual([
      ['one', 2],
      ['two', 1],
      ['three', 1],
    ]);
  });

  test.each([
    [{ text: 'POD', risk: '' }, 'a c'],
    [{ text: 'ops-318', risk: '' }, 'b'],
    [{ text: 'claude', risk: '' }, 'd'],
    [{ text: 'two reads', risk: '' }, 'b'],
    [{ text: 'nothing like it', risk: '' }, ''],
    [{ text: '', risk: 'reads' }, 'c b'],
    [{ text: 'one', risk: 'deletes' }, 'a'],
  ] as const)('is filtered by words and risk: %j', (filter, ids) => {
    expect(idsOf(listedItems(items, filter)).split(' ').sort().join(' ')).toBe(ids.split(' ').sort().join(' '));
  });

  test('an unknown risk in the URL does not filter the list', () => {
    expect(['deletes', 'constructor', ''].map(riskOrAll)).toEqual(['deletes', '', '']);
  });

  test('a request without a summary is labeled with its tool', () => {
    expect(effectOf(items[3]!)).toBe('Calls shell.run');
    expect(effectOf(item('e', { target: 'x' }))).toBe('Calls shell.run on x');
    expect(effectOf(items[0]!)).toBe('Deletes pod x');
  });
});

describe('[console.card] values from other sources are marked at each use', () => {
  const lines = [
    'to comes from the result of mail.read (message 4), not from the request.',
    'A part of body comes from the result of mail.read; the whole value is in nothing this session has seen.',
    'edits[0].newText stands neither in the request nor in a result this session has seen.',
    'url contains an address from the result of fetch, not from the request.',
  ];
  test.each([
    ['to', [0]],
    ['body', [1]],
    ['edits', [2]],
    ['url', [3]],
    ['edit', []],
    ['t', []],
  ])('%s', (name, found) => {
    expect(sourcesOf(name, lines)).toEqual(found.map((at) => lines[at]));
  });
  test('no argument is found in a line with a different format', () =>
    expect(argumentOf('Nothing of this form')).toBeUndefined());
});

describe('[approval.card] what happens after an approval', () => {
  const held = { after_vote: 'held', held_until: '2026-01-01T00:01:00Z' };
  const now = Date.parse('2026-01-01T00:00:30Z');
  test.each([
    [held, 'The agent is waiting on its connection: the call runs immediately.'],
    [
      { ...held, caller_gone_at: 'x' },
      'The agent is no longer waiting: the call runs when it sends the identical call again.',
    ],
    [
      { ...held, held_until: '2026-01-01T00:00:00Z' },
      'The agent is no longer waiting: the call runs when it sends the identical call again.',
    ],
    [{ after_vote: 'retry' }, 'The call runs once, when the agent sends the identical call again.'],
    [{ after_vote: 'gateway' }, 'The gateway makes the call once, and keeps the result for the agent.'],
    [{ after_vote: 'caller' }, 'The agent gets the approval and makes the call itself.'],
    [{ after_vote: 'task' }, 'The agent follows an MCP task: the call runs when it asks for the result.'],
    [{}, undefined],
  ])('%j', (over, words) => expect(nextOf(item('a', over), now)).toBe(words));
});

describe('[console.card] the file content that a session last read', () => {
  const read = (id: string, parameters: object, over: object = {}) => ({
    kind: 'decision',
    envelope_id: id,
    timestamp: '',
    body: { tool: 'read_file', capability: 'read', upstream: 'files', parameters, ...over },
  });
  const result = (id: string, at: string, text: unknown, outcome = 'executed') => ({
    kind: 'result',
    envelope_id: id,
    timestamp: at,
    body: { outcome, result: { content: [{ type: 'text', text }] } },
  });
  const known = (...entries: object[]) =>
    lastRead(entries as unknown as Parameters<typeof lastRead>[0], item('w', { upstream: 'files' }), 'a.ts');
  const path = { path: 'a.ts' };

  test('finds the newest full text of this file from this server', () => {
    expect(
      known(read('1', path), result('1', '2026-01-01', 'old'), read('2', path), result('2', '2026-01-02', 'new')),
    ).toEqual({ text: 'new', at: '2026-01-02' });
  });
  test.each([
    ['another file', [read('1', { path: 'b.ts' }), result('1', 't', 'x')]],
    ['a part of the file', [read('1', { ...path, head: 10 }), result('1', 't', 'x')]],
    ['another server', [read('1', path, { upstream: 'other' }), result('1', 't', 'x')]],
    ['a write', [read('1', path, { capability: 'write' }), result('1', 't', 'x')]],
    ['a failure', [read('1', path), result('1', 't', 'x', 'failed')]],
    ['a text with redacted parts', [read('1', path), result('1', 't', 'k=[redacted:a:b]')]],
    ['no result', [read('1', path)]],
  ])('not %s', (_, entries) => expect(known(...entries)).toBeUndefined());
});

describe('[approval.together] calls that are decided together', () => {
  const me = { key_id: 'mine', person: 'alice' } as Parameters<typeof togetherWith>[2];
  const one = item('one', { together: 'x' });
  const listed = [
    one,
    item('same', { together: 'x' }),
    item('other', { together: 'y' }),
    item('alone'),
    item('own', { together: 'x', key: { id: 'k2', owner: 'alice' } }),
    item('by-me', { together: 'x', key: { id: 'mine' } }),
  ];

  test('identical calls are those that the person may vote on, with the open one first', () => {
    expect(idsOf(togetherWith(one, listed, me))).toBe('one same');
    expect(idsOf(togetherWith(listed[1]!, listed, me))).toBe('same one');
  });

  test('a call has no identical calls unless its rule allows them to be decided together', () => {
    expect(idsOf(togetherWith(item('alone'), [...listed, item('also-alone')], me))).toBe('alone');
  });
});
