/** Output of the local run on a terminal. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { approvalLines } from '../../bin/local/approval-lines.ts';
import { parseFlags } from '../../bin/local/flags.ts';
import { clockTime, humanLine } from '../../bin/local/human-log.ts';

const at = '2026-01-01T00:00:00.000Z';
const entry = (over: object = {}): EvidenceEntry =>
  ({
    kind: 'review',
    envelope_id: 'e-1',
    timestamp: at,
    actor: { key_id: 'k', agent: 'writer' },
    body: { tool: 'scm.merge', target: 'acme/web' },
    ...over,
  }) as unknown as EvidenceEntry;

function terminal(bell = true) {
  const written: string[] = [];
  const timers: (() => void)[] = [];
  const committed = approvalLines({
    write: (text) => void written.push(text),
    bell,
    client: './agentctl',
    timeouts: {
      after: (_ms, work) => {
        timers.push(work);
        return () => {};
      },
    },
  });
  const rung = () => written.join('').split('\u0007').length - 1;
  return { committed, written, rung, windowEnds: () => timers.shift()?.() };
}

describe('[local.ready] a pending request', () => {
  test('prints a line with the call, requester and command, and rings the bell', () => {
    const { committed, written } = terminal();
    committed(entry());
    expect(written).toEqual([
      `\u0007${clockTime(at)}  waits for a person: scm.merge on acme/web, asked by writer\n          ./agentctl show e-1\n`,
    ]);
  });

  test('is printed only once, and other entries are not printed', () => {
    const { committed, written } = terminal();
    committed(entry());
    committed(entry());
    for (const kind of ['allow', 'block', 'approve', 'deny', 'result', 'vote'])
      committed(entry({ kind, envelope_id: kind }));
    expect(written).toHaveLength(1);
  });

  test('many requests in a short time print three lines and a count, and ring the bell twice', () => {
    const { committed, written, rung, windowEnds } = terminal();
    for (let i = 0; i < 40; i++) committed(entry({ envelope_id: `e-${i}` }));
    expect([written.length, rung()]).toEqual([3, 1]);
    windowEnds();
    expect(written.at(-1)).toBe('\u0007          and 37 more, see ./agentctl pending\n');
    committed(entry({ envelope_id: 'later' }));
    expect([written.length, rung()]).toEqual([5, 3]);
  });

  test('with the bell disabled only the lines are printed', () => {
    const { committed, written, rung } = terminal(false);
    committed(entry());
    expect([written.length, rung()]).toEqual([1, 0]);
  });

  test('text from callers cannot move the cursor, and is truncated', () => {
    const { committed, written } = terminal(false);
    committed(
      entry({ body: { tool: '\u001b[2J\u0007x', target: 'y'.repeat(5_000) }, actor: { key_id: 'k', agent: 'a\nb' } }),
    );
    expect(written[0]).toContain('\\u{1b}[2J\\u{7}x on yyy');
    expect(written[0]).toContain('asked by a b\n');
    expect(written[0]!.length).toBeLessThan(400);
  });

  test('for a call that is not an action is described as a call', () => {
    const { committed, written } = terminal(false);
    committed(entry({ body: {}, actor: { key_id: 'k' } }));
    expect(written[0]).toContain('waits for a person: a call\n');
  });
});

describe('[local.ready] a log line', () => {
  const line = (fields: object) => JSON.stringify({ ts: at, level: 'warn', msg: 'late', service: 's', ...fields });

  test('consists of the time, level, message and fields', () => {
    expect(humanLine(line({ count: 3, error: 'it is "gone"' }), false)).toBe(
      `${clockTime(at)} warn  late count=3 error="it is \\"gone\\""`,
    );
  });

  test('is coloured if colours are enabled', () => {
    expect(humanLine(line({}), true)).toBe(`\u001b[2m${clockTime(at)}\u001b[0m \u001b[33mwarn \u001b[0m late`);
  });

  test('escapes cursor movements, and truncates long values', () => {
    const text = humanLine(line({ error: `\u001b[2J${'z'.repeat(1_000)}` }), false);
    expect(text).toContain('error=\\u{1b}[2J');
    expect(text.length).toBeLessThan(400);
  });

  test.each(['not json', '[1]', '{"a":1}', 'null'])(
    'a line that is not a JSON log entry is left unchanged: %j',
    (text) => {
      expect(humanLine(text, true)).toBe(text);
    },
  );
});

test.each<[string[], Record<string, string>, boolean, boolean]>([
  [[], {}, true, false],
  [['--no-bell', '--json-log'], {}, false, true],
  [[], { GATEWAY_NO_BELL: '1', GATEWAY_JSON_LOG: '1' }, false, true],
])('[local.ready] %j and %j', (args, environment, bell, jsonLog) => {
  expect(parseFlags(args, environment, '/checkout')).toMatchObject({ bell, jsonLog });
});
