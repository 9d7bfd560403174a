/** A chain compared with the transparency log and its witnesses. */
import { generateKeyPairSync } from 'node:crypto';
import { checkInLog, type LoggedEntry } from '#core/evidence/in-log.ts';
import { checkpointText, cosign, logSigner, signTreeHead } from '#core/evidence/transparency/checkpoint-note.ts';
import { leafBytes, leafOf, sessionDigest } from '#core/evidence/transparency/leaf.ts';
import { noteKeyTypes, noteSigner } from '#core/evidence/transparency/note.ts';
import type { LogTrust } from '#core/evidence/transparency/session-proof.ts';
import { leafHash, nodeHash } from '#core/evidence/transparency/tree.ts';
import { isoTime } from '#core/kernel/ports.ts';

const start = Date.UTC(2026, 0, 1);
const minutes = (count: number) => isoTime(start + count * 60_000);
const hash = (index: number) => String(index).repeat(64);
const chain = (count: number, timestamp = minutes(0)): LoggedEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    tenant: 't',
    session_id: 's',
    index,
    hash: hash(index),
    timestamp,
  }));

const key = () => generateKeyPairSync('ed25519').privateKey;
const log = noteSigner('log', key());
const witness = noteSigner('witness', key(), noteKeyTypes.cosignature);

/** Returns a proof that the leaf of entry 1 is the second of three, logged after twenty minutes. */
async function proof({ index = 1, at = minutes(20), cosignedAt = minutes(20) } = {}) {
  const leaf = leafOf({ tenant: 't', session_id: 's', index, hash: hash(index) }, at);
  const others = ['a', 'b'].map((text) => leafHash(Buffer.from(text))) as [Buffer, Buffer];
  const root = nodeHash(nodeHash(others[0], leafHash(leafBytes(leaf))), others[1]);
  const head = { origin: 'log', size: 3, root };
  const checkpoint = await signTreeHead(head, logSigner(log));
  const path = others.map((each) => each.toString('base64'));
  const line = cosign(checkpointText(head), Date.parse(cosignedAt) / 1000, witness);
  return { leaf, position: 1, checkpoint, path, cosigned: [{ checkpoint: `${checkpoint}${line}\n`, path }] };
}
const trust: LogTrust = { log, witnesses: [witness] };
const reason = async (entries: LoggedEntry[], over: LogTrust = {}, how: Parameters<typeof proof>[0] = {}) =>
  checkInLog(entries, await proof(how), { ...trust, ...over }).broken_link;

test('a chain without a proof is not valid if a log or witness key was provided', () => {
  expect(checkInLog(chain(2), undefined, {})).toEqual({});
  for (const needed of [{ log }, { witnesses: [witness] }])
    expect(checkInLog(chain(2), undefined, needed)).toEqual({
      broken_link: { index: 2, reason: 'the bundle carries no proof that the session is in the log' },
    });
});

test('a logged chain is reported with its position in the log and its witnesses', async () => {
  expect(checkInLog(chain(2), await proof(), trust)).toEqual({
    log: {
      origin: 'log',
      size: 3,
      position: 1,
      index: 1,
      at: minutes(20),
      witnesses: [{ witness: 'witness', at: minutes(20), size: 3 }],
    },
  });
});

test('a malformed proof breaks the chain at its end', async () => {
  expect(checkInLog(chain(2), 'none', trust).broken_link).toMatchObject({
    index: 2,
    reason: expect.stringContaining('the log proof is malformed'),
  });
  const other = chain(2).map((entry) => ({ ...entry, session_id: 'other' }));
  expect(await reason(other)).toEqual({ index: 2, reason: 'the log proof is for another session' });
});

const third = (at: number) => [...chain(2), { ...chain(3)[2]!, timestamp: minutes(at) }];
const looked = (...sizes: [size: number, minute: number][]) => ({
  history: sizes.map(([size, minute]) => ({ size, at: minutes(minute) })),
});
const unasked = noteSigner('other', key(), noteKeyTypes.cosignature);

test.each<[string, LoggedEntry[], LogTrust, Parameters<typeof proof>[0], [number, string] | undefined]>([
  ['a cut-off end', chain(1), {}, {}, [1, 'the end is cut off: 1 entries are here, the log names 2']],
  [
    'a rewritten entry',
    chain(2).map((entry) => ({ ...entry, hash: hash(9) })),
    {},
    {},
    [1, 'the entry is not the one in the log: it or one before it was rewritten'],
  ],
  ['a later entry ten minutes older than the leaf', third(10), {}, {}, undefined],
  ['an older one', third(9), {}, {}, [2, `the entry is back-dated: those before it were logged at ${minutes(20)}`]],
  ['a witness ten minutes before the leaf', chain(2), {}, { cosignedAt: minutes(10) }, undefined],
  [
    'a witness that saw the leaf before its time',
    chain(2),
    {},
    { cosignedAt: minutes(9) },
    [1, `the log names the time ${minutes(20)}, but witness saw the leaf at ${minutes(9)}`],
  ],
  ['a log that had the leaf when a witness looked', chain(2), looked([2, 60]), {}, undefined],
  ['a witness that looked ten minutes after the entry', chain(2), looked([1, 10]), {}, undefined],
  [
    'a witness that looked later and did not find it',
    chain(2),
    looked([0, 11], [1, 12], [2, 13]),
    {},
    [1, `the entry is back-dated: at ${minutes(12)} the log had 1 leaves and not this one`],
  ],
  [
    'a witness that has not cosigned',
    chain(2),
    { witnesses: [witness, unasked] },
    {},
    [2, 'the witness other has not cosigned a log that holds the session'],
  ],
])('[transparency.bundle] %s', async (_what, entries, over, how, broken) => {
  expect(await reason(entries, over, how)).toEqual(
    broken && {
      index: broken[0],
      reason: broken[1],
      ...(broken[1].startsWith('the end is cut off: ') && { missing: 'end' }),
    },
  );
});

test('the session’s leaves that a witness read are compared with the chain', async () => {
  const asked: string[] = [];
  const sessions =
    (...read: { index: number; hash: string }[]) =>
    (session: string) => {
      asked.push(session);
      return read;
    };
  const own = { index: 1, hash: hash(1) };
  expect(await reason(chain(2), { sessions: sessions({ index: 0, hash: hash(0) }, own) })).toBeUndefined();
  expect(await reason(chain(2), { sessions: () => undefined })).toBeUndefined();
  expect(await reason(chain(2), { sessions: sessions(own, { index: 2, hash: hash(2) }) })).toEqual({
    index: 2,
    reason: 'the end is cut off, or the bundle is older: 2 entries are here, but a witness read a leaf that covers 3',
  });
  expect(await reason(chain(2), { sessions: sessions({ index: 0, hash: hash(5) }) })).toEqual({
    index: 0,
    reason: 'the entry is not the one in the log that a witness read: it or one before it was rewritten',
  });
  expect(new Set(asked)).toEqual(new Set([sessionDigest('t', 's')]));
});
