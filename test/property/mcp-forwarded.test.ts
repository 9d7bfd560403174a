/** Random calls through the real gateway to a real server: the server receives the evaluated call, or none. */
import fc from 'fast-check';
import { canonicalize, digestOf } from '#core/kernel/canonical.ts';
import { runs } from '../support/extent.ts';
import { configure, entries, http, open, test_, useMcpEndpoint, vote } from '../support/mcp-endpoint.ts';
import { plainTool, type RecordingServer, startRecordingServer } from '../support/recording-mcp-server.ts';

useMcpEndpoint([{ protocol: 'mcp', tool: 'asked', decision: 'review' }]);

let upstream: RecordingServer;
beforeAll(async () => {
  upstream = await startRecordingServer([plainTool('run'), plainTool('asked')]);
});
afterAll(() => upstream.stop());
beforeEach(() => configure({ upstreams: [{ name: 'one', url: upstream.url }] }));

/** JSON text instead of values, because JSON text includes details that a parser would hide. */
const name = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => JSON.stringify(text)) },
  fc.constantFrom(
    ...['"__proto__"', '"\\u005f_proto__"', '"constructor"', '"prototype"', '"toString"', '"path"', '"command"'],
    ...['"\\u00e9"', '"e\\u0301"', '"\\ufb01"', '"\\u200b"', '""', '"name"', '"arguments"', '"_meta"', '"upstream"'],
  ),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('"\\ud83d\\ude42"', '"a\\/b"', '"..\\u002f.."', '"\\u0000"', '"\\ud800"', '"$(id)"', '"\u202e"'),
);
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '0.10',
    '-0',
    '1e3',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '1e21',
    '1e400',
    '5e-324',
    '0.12345678901234567890',
  ),
);
const { value } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    number,
    text,
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(name, tie('value')), { maxLength: 4 })
    .map((members) => `{${members.map(([key, each]) => `${key}:${each}`).join(',')}}`),
}));
const args = fc
  .array(fc.tuple(name, value), { maxLength: 4 })
  .map((members) => `{${members.map(([key, each]) => `${key}: ${each}`).join(', ')}}`);
const more = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc
    .tuple(fc.constantFrom('options', 'constructor', 'task', 'requestState', '_meta', 'name'), value)
    .map(([key, each]) => `,"${key}":${each}`),
  fc.tuple(name, value).map(([key, each]) => `,"_meta":{${key}:${each},"progressToken":1}`),
);

const bodyOf = (tool: string, given: string, extra: string): string =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${tool}","arguments":${given}${extra}}}`;

let sessions = 0;

async function holds(tool: 'run' | 'asked', given: string, extra: string): Promise<'sent' | 'refused'> {
  upstream.clear();
  const session = await open();
  const sent = { session, headers: { 'x-session-id': `property-${tool}-${++sessions}` } };
  const evidence = sent.headers['x-session-id'];
  let answer = (await http('POST', '/mcp', bodyOf(tool, given, extra), sent)).last;
  if (answer.error?.code === -32002) {
    expect(upstream.received()).toEqual([]);
    const { envelope_id } = answer.error.data;
    const row = (await test_.ports.approvals.find(envelope_id))!;
    await vote(envelope_id, 'approve');
    answer = (await http('POST', '/mcp', bodyOf(tool, given, extra), sent)).last;
    if (row.withheld.length === 0) expect(canonicalize(row.parameters)).toBe(canonicalize(JSON.parse(given)));
  }
  const received = upstream.received();
  if (answer.error) {
    expect([-32600, -32602, -32700, -32001]).toContain(answer.error.code);
    expect(received).toEqual([]);
    return 'refused';
  }
  expect(received).toHaveLength(1);
  const { params } = received[0]!.message as { params: Record<string, unknown> };
  const { name: own, arguments: parameters, _meta: meta, ...rest } = params;
  // As any JSON reader sees the client's text.
  expect(canonicalize(parameters)).toBe(canonicalize(JSON.parse(given)));
  expect([own, rest, Object.keys(meta ?? {}).filter((key) => key !== 'progressToken')]).toEqual([tool, {}, []]);
  const entry = (await entries(evidence)).findLast(({ kind }) => kind === 'allow')!;
  const { protocol, target, capability, definition, call_digest, withheld } = entry.body as Record<string, unknown>;
  if (withheld === undefined) expect(canonicalize(entry.body.parameters)).toBe(canonicalize(parameters));
  const covered = {
    tenant: 'default',
    key_id: entry.actor.key_id,
    session: evidence,
    protocol,
    tool,
    target,
    capability,
    definition,
  };
  if (withheld === undefined) expect(call_digest).toBe(digestOf({ ...covered, upstream: 'one', parameters }));
  return 'sent';
}

test.each([
  ['run', runs(250, 60)],
  ['asked', runs(120, 40)],
] as const)(
  '[mcp.forwarded-is-decided] %s: the server receives exactly what evidence and the digest cover',
  async (tool, numRuns) => {
    const seen = { sent: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(args, more, async (given, extra) => {
        seen[await holds(tool, given, extra)]++;
      }),
      { seed: 20261122, numRuns },
    );
    // The generator produces both calls that are sent and calls that are refused.
    expect([seen.sent > numRuns / 5, seen.refused > numRuns / 5]).toEqual([true, true]);
  },
);
