/**
 * External witnesses of a session: when each is queried, the grace period for new sessions, and unreachable witnesses.
 */
import type { LastCheckpoint, SessionHead } from '#core/evidence/ports.ts';
import { type WitnessPorts, witnessOf } from '#core/evidence/witness.ts';
import { isoTime } from '#core/kernel/ports.ts';

const now = Date.UTC(2026, 0, 1);
const head = (over: Partial<SessionHead> = {}): SessionHead =>
  ({ total_entries: 3, last_hash: 'h', updated_at: isoTime(now), ...over }) as SessionHead;
const checkpointAt = (index: number): LastCheckpoint => ({
  point: { tenant: 't', session_id: 's', index, hash: 'h' },
  created_at: isoTime(now),
  key_id: 'k',
});

interface Given {
  readonly head?: SessionHead | undefined;
  /** Responses of the log; the last one repeats for all later requests. */
  readonly checkpoints?: (LastCheckpoint | undefined | Error)[];
  readonly damage?: string;
  readonly runs?: { last: number }[] | Error;
  readonly complete?: boolean;
}

async function witnessed(given: Given) {
  const asked: string[] = [];
  const logged: unknown[] = [];
  const answers = [...(given.checkpoints ?? [])];
  const checkpoints = {
    last: async () => {
      asked.push('last');
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer;
    },
    damage: async () => given.damage,
  };
  const archived = {
    complete: given.complete ?? true,
    async *runs(_tenant: string, _session: string, from: number) {
      asked.push(`runs from ${from}`);
      if (given.runs instanceof Error) throw given.runs;
      yield* given.runs ?? [];
    },
    async *hashes() {
      yield { index: 0, hashes: ['h'] };
    },
  };
  const ports = {
    clock: { now: () => now },
    telemetry: { log: (...said: unknown[]) => void logged.push(said) },
    pause: async (ms: number) => void asked.push(`pause ${ms}`),
    evidence: {
      head: async () => {
        asked.push('head');
        return 'head' in given ? given.head : head();
      },
    },
    ...(given.checkpoints && { checkpoints }),
    ...(given.runs && { archived }),
  } as unknown as WitnessPorts;
  return { ...(await witnessOf(ports, 't', 's')), asked, logged };
}

test('a gateway without checkpoints or an archive reports that neither was checked', async () => {
  const { witness } = await witnessed({});
  expect(witness).toEqual({
    notChecked: ['checkpoints not checked: this gateway keeps none', 'archive not checked: this gateway reads none'],
    unread: [],
    archiveComplete: false,
    at: now,
  });
});

test('[evidence.checkpoint] the head is re-read after the checkpoint and the archive, so an honest chain is at least as long as either', async () => {
  const {
    witness,
    asked,
    head: found,
  } = await witnessed({ checkpoints: [checkpointAt(2)], runs: [{ last: 5 }, { last: 4 }] });
  expect(asked).toEqual(['head', 'last', 'runs from 3', 'head']);
  expect(found?.total_entries).toBe(3);
  expect(witness).toMatchObject({
    checkpoint: checkpointAt(2),
    archived: { end: 5 },
    archiveComplete: true,
    notChecked: [],
  });
  for await (const place of witness.archived!.places()) expect(place).toEqual({ index: 0, hashes: ['h'] });
});

test('an archive without copies ends before the first entry, and an archive with gaps is not complete', async () => {
  const { witness, asked } = await witnessed({ head: undefined, runs: [], complete: false });
  expect(witness).toMatchObject({ archived: { end: -1 }, archiveComplete: false });
  expect(asked).toContain('runs from 0');
});

describe('a session that has just grown', () => {
  const grown = (ms: number) => head({ updated_at: isoTime(now - ms) });
  const pauses = (asked: string[]) => asked.filter((step) => step === 'pause 100').length;

  test('is given time until a checkpoint covers its newest entry', async () => {
    const { witness, asked } = await witnessed({ checkpoints: [undefined, checkpointAt(1), checkpointAt(2)] });
    expect(witness.checkpoint?.point.index).toBe(2);
    expect(pauses(asked)).toBe(2);
  });

  test.each<[string, Given, number]>([
    ['twenty looks at most', { checkpoints: [checkpointAt(1)] }, 20],
    ['five seconds after it grew as well', { head: grown(5_000), checkpoints: [undefined] }, 20],
    ['none later', { head: grown(5_001), checkpoints: [undefined] }, 0],
    ['none without a head', { head: undefined, checkpoints: [undefined] }, 0],
    ['none where the checkpoint is ahead', { checkpoints: [checkpointAt(9)] }, 0],
  ])('%s', async (_what, given, times) => expect(pauses((await witnessed(given)).asked)).toBe(times));
});

describe('an unreachable source is reported in a readable message and logged', () => {
  test('a damaged log is still read', async () => {
    const { witness } = await witnessed({ checkpoints: [checkpointAt(2)], damage: 'a line is missing' });
    expect(witness.checkpoint).toEqual(checkpointAt(2));
    expect(witness.notChecked[0]).toBe('checkpoints not checked: a line is missing');
  });

  test('an unreadable log is reported as not checked', async () => {
    const { witness, logged } = await witnessed({ checkpoints: [new Error('no bucket')] });
    expect(witness).not.toHaveProperty('checkpoint');
    expect(witness.notChecked[0]).toBe('checkpoints not checked: the checkpoints could not be read');
    expect(logged).toEqual([['error', 'the checkpoints could not be read', { error: 'no bucket' }]]);
  });

  test('an archive that cannot be read, from the start or midway, is reported as not checked', async () => {
    const lost = await witnessed({ runs: new Error('no archive') });
    expect(lost.witness).not.toHaveProperty('archived');
    expect(lost.witness.notChecked.at(-1)).toBe('archive not checked: the archive could not be read');
    const { witness, logged } = await witnessed({ runs: [] });
    expect(witness.archived?.unreadable('cut')).toBe('archive not checked: the archive could not be read');
    expect(logged).toEqual([['error', 'the archive could not be read', { error: 'cut' }]]);
  });
});
