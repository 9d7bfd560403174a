/**
 * An operator with full access to the store, the objects and the gateway's keys, but not to the witness's key. A
 * witness, or a third party who verifies a bundle, detects each attack without any gateway key.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { bundleFormat, type EntryDraft, type EvidenceEntry } from '#core/contracts/evidence.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { signedManifest } from '#core/evidence/sign.ts';
import { cosign, openCheckpoint, type TreeHead } from '#core/evidence/transparency/checkpoint-note.ts';
import { continued } from '#core/evidence/transparency/continued.ts';
import { noteKeyTypes, noteSigner, signNote } from '#core/evidence/transparency/note.ts';
import { verifyBundle } from '#core/evidence/verify.ts';
import { drafts, memoryManifests, type Sealed, seal, signer, trustedKey } from '../../../test/unit/evidence/sample.ts';
import { logSignersOf } from '../adapters/log-keys.ts';
import { type TestLog, testLog } from './started-log.ts';
import { Watcher } from './watcher.ts';

const hour = 3_600_000;
/** A time shortly after the sample entries. */
const start = Date.UTC(2026, 0, 2, 3, 5);
const session = { tenant: 'default', session_id: 's-1' };

let kept: TestLog;
let witness: Watcher;
beforeEach(async () => {
  kept = await testLog();
  kept.time.ms = start;
  witness = new Watcher(await kept.signer('default'));
});
const others: TestLog[] = [];
afterEach(async () => {
  for (const each of [kept, ...others.splice(0)]) await each.stop();
});

const log = () => kept.opened();
const named = (id: string, from: readonly EntryDraft[] = drafts, tenant = 'default') =>
  seal(from.map((draft) => ({ ...draft, session_id: id, tenant })));
const shifted = (ms: number): EntryDraft[] =>
  drafts.map((draft) => ({ ...draft, timestamp: new Date(Date.parse(draft.timestamp) + ms).toISOString() }));

/** Appends the current point of a chain to the gateway's log. */
async function appended({ entries }: Pick<Sealed, 'entries'>, into = log()): Promise<void> {
  const { tenant, session_id, index, hash } = entries.at(-1)!;
  await into.append([{ tenant, session_id, index, hash }]);
}

const proofOf = async (id = 's-1', from = log()): Promise<LogProof> => (await from.proof('default', id))!;

/** Builds the bundle that the operator hands out: any entries, signed with the gateway's key. */
async function bundleOf({ entries, head }: Sealed, log_proof: LogProof | undefined): Promise<string> {
  const manifest = await signedManifest(head, entries, signer, memoryManifests());
  return JSON.stringify({
    format: bundleFormat,
    manifest,
    entries,
    public_key: trustedKey,
    ...(log_proof && { log_proof }),
  });
}

async function found(sealed: Sealed, proof: LogProof | undefined): Promise<string | undefined> {
  const verification = await witness.verify(await bundleOf(sealed, proof), trustedKey);
  return verification.valid ? undefined : verification.broken_link?.reason;
}

/** Logs a session together with others and has the witness cosign the log. */
async function witnessed(own: Sealed = named('s-1')): Promise<Sealed> {
  await appended(named('before'));
  await appended(own);
  await appended(named('behind'));
  expect(await witness.look(log(), start)).toBeUndefined();
  return own;
}

/** Creates a second log, as an operator could, with the gateway's own key. */
async function otherLog(...sessions: readonly Sealed[]): Promise<TestLog> {
  const other = await testLog();
  others.push(other);
  for (const each of sessions) {
    const { tenant, session_id, index, hash } = each.entries.at(-1)!;
    await forgedLog(other).append([{ tenant, session_id, index, hash }]);
  }
  return other;
}
const forgedLog = (other: TestLog) => kept.opened({ heads: other.heads, objects: other.objects });

const rewritten = (at: number): Sealed =>
  named(
    's-1',
    drafts.map((draft, i) => (i === at ? { ...draft, actor: { ...draft.actor, agent: 'another' } } : draft)),
  );

test('[transparency.witness] an honest log is cosigned as it grows, and its bundles verify', async () => {
  const own = await witnessed();
  const verification = await witness.verify(await bundleOf(own, await proofOf()), trustedKey);
  expect(verification).toMatchObject({
    valid: true,
    log: { position: 1, index: 4, witnesses: [{ witness: 'auditor' }] },
  });
  kept.time.ms += hour;
  const later = named('s-1', [...drafts, { ...drafts[4]!, timestamp: new Date(kept.time.ms).toISOString() }]);
  await appended(later);
  expect(await witness.look(log(), kept.time.ms)).toBeUndefined();
  expect(await found(later, await proofOf())).toBeUndefined();
});

describe('[transparency.witness] is found:', () => {
  test('1 an entry rewritten, with the chain and the manifest re-signed', async () => {
    await witnessed();
    expect(await found(rewritten(2), await proofOf())).toMatch(
      /not the one in the log: it or one before it was rewritten/,
    );
  });

  test('2 an entry rewritten and the log rebuilt over it', async () => {
    await witnessed();
    const other = await otherLog(named('before'), rewritten(2), named('behind'));
    expect(await found(rewritten(2), await proofOf('s-1', forgedLog(other)))).toMatch(/auditor has not cosigned/);
    expect(await witness.look(forgedLog(other), start + hour)).toMatch(/forked: it has a different root/);
  });

  test('3 the log rebuilt, and longer than before', async () => {
    await witnessed();
    const more = ['a', 'b', 'c'].map((id) => named(id));
    const other = await otherLog(named('before'), rewritten(2), named('behind'), ...more);
    expect(await witness.look(forgedLog(other), start + hour)).toMatch(
      /forked or rewritten: its 6 leaves do not begin/,
    );
  });

  test('4 an entry rewritten and the session logged a second time at the same position', async () => {
    await witnessed();
    const head = (await kept.heads.head('default'))!;
    // The operator controls the session index, so the log takes the session as a new one.
    const heads = { ...kept.heads, sessions: async () => [] };
    const { hash } = rewritten(2).entries.at(-1)!;
    await kept.opened({ heads }).append([{ ...session, index: 4, hash }]);
    expect((await kept.heads.head('default'))!.size).toBe(head.size + 1);
    expect(await witness.look(log(), start + hour)).toMatch(/goes back to entry 4/);
  });

  test('5 an entry rewritten under a later leaf of the same session', async () => {
    await witnessed();
    const forged = named('s-1', [...rewritten(2).entries.map(draftOf), draftOf(named('s-1').entries[4]!)]);
    await appended(forged);
    expect(await witness.look(log(), start)).toBeUndefined();
    expect(await found(forged, await proofOf())).toMatch(/that a witness read: it or one before it was rewritten/);
  });

  test('6 the end of a session truncated', async () => {
    const own = await witnessed();
    const cut = seal(own.entries.slice(0, 3).map(draftOf));
    expect(await found(cut, await proofOf())).toMatch(/end is cut off: 3 entries are here, the log names 5/);
  });

  test('7 the end of a session truncated, shown with its earlier proof', async () => {
    const short = named('s-1', drafts.slice(0, 3));
    await witnessed(short);
    const before = await proofOf();
    expect(await found(short, before)).toBeUndefined();
    await appended(named('s-1'));
    expect(await witness.look(log(), start)).toBeUndefined();
    expect(await found(short, before)).toMatch(/a witness read a leaf that covers 5/);
  });

  test('8 the log rolled back', async () => {
    await witnessed();
    const other = await otherLog(named('before'));
    expect(await witness.look(forgedLog(other), start + hour)).toMatch(/shrank: it has 1 leaves, but it had 3/);
  });

  test('9 a session left out of the log', async () => {
    await witnessed();
    expect(await found(named('unlogged'), undefined)).toMatch(/carries no proof that the session is in the log/);
  });

  test('11 a session created today with timestamps from yesterday', async () => {
    await witnessed();
    expect(await witness.look(log(), start + hour)).toBeUndefined();
    kept.time.ms = start + 24 * hour;
    const invented = named('invented');
    await appended(invented);
    expect(await witness.look(log(), kept.time.ms)).toBeUndefined();
    expect(await found(invented, await proofOf('invented'))).toMatch(
      /back-dated: at .* the log had 3 leaves and not this one/,
    );
  });

  test('12 a session from yesterday with a leaf that claims to be from yesterday too', async () => {
    await witnessed();
    expect(await witness.look(log(), start + hour)).toBeUndefined();
    const invented = named('invented');
    await appended(invented); // by a clock that was set back
    expect(await witness.look(log(), start + 24 * hour)).toBeUndefined();
    expect(await found(invented, await proofOf('invented'))).toMatch(/back-dated: at/);
  });

  test('13 entries timestamped earlier than entries already logged', async () => {
    kept.time.ms = start + 2 * hour;
    const own = named('s-1', shifted(2 * hour));
    await appended(own);
    expect(await witness.look(log(), kept.time.ms)).toBeUndefined();
    const added = named('s-1', [...own.entries.map(draftOf), drafts[4]!]);
    expect(await found(added, await proofOf())).toMatch(/back-dated: those before it were logged at/);
  });

  test('14 a leaf timestamped later than when the witness saw it', async () => {
    kept.time.ms = start + 5 * hour;
    const own = named('s-1');
    await appended(own);
    expect(await witness.look(log(), start)).toBeUndefined();
    expect(await found(own, await proofOf())).toMatch(/auditor saw the leaf at/);
  });

  test('15 the proof for another session, and for another tenant', async () => {
    await witnessed();
    expect(await found(rewritten(2), await proofOf('before'))).toBe('the log proof is for another session');
    const far = named('s-1', drafts, 'elsewhere');
    await appended(far);
    const proof = (await log().proof('elsewhere', 's-1'))!;
    expect(await found(named('s-1'), proof)).toBe('the log proof is for another session');
    expect(await found(far, proof)).toMatch(/belongs to the log .*elsewhere/);
    expect(await witness.look(log(), start, 'elsewhere')).toMatch(/belongs to the log .*elsewhere/);
  });

  test('16 a cosignature made with another key under the witness’s name', async () => {
    const own = named('s-1');
    await appended(own);
    const proof = await proofOf();
    const impostor = noteSigner('auditor', generateKeyPairSync('ed25519').privateKey, noteKeyTypes.cosignature);
    const { text } = openCheckpoint(proof.checkpoint, undefined) as { text: string };
    const note = `${proof.checkpoint}${cosign(text, start / 1000, impostor)}\n`;
    const forged = { ...proof, cosigned: [{ checkpoint: note, path: proof.path }] };
    expect(await found(own, forged)).toMatch(/auditor has not cosigned/);
    // Nor with the witness key's id.
    const stolen = `${proof.checkpoint}${cosign(text, start / 1000, { ...impostor, id: witness.signer.id })}\n`;
    expect(await found(own, { ...proof, cosigned: [{ checkpoint: stolen, path: proof.path }] })).toMatch(
      /has not cosigned/,
    );
  });

  test('17 the cosignature of an earlier checkpoint placed below a later one', async () => {
    await witnessed();
    const [earlier] = await kept.heads.cosignatures('default');
    const line = earlier!.note.trimEnd().split('\n').at(-1)!;
    const invented = named('invented');
    await appended(invented);
    const proof = await proofOf('invented');
    const replayed = { checkpoint: `${proof.checkpoint}${line}\n`, path: proof.path };
    expect(await found(invented, { ...proof, cosigned: [replayed] })).toMatch(/auditor has not cosigned/);
    const old = { checkpoint: earlier!.note, path: proof.path };
    expect(await found(invented, { ...proof, cosigned: [old] })).toMatch(/cosigned checkpoint fails/);
  });

  test('18 a log of the same sessions with a new key', async () => {
    const own = named('s-1');
    const fresh = logSignersOf({ current: generateKeyPairSync('ed25519').privateKey, former: [] });
    const other = kept.opened({ signer: fresh });
    await appended(own, other);
    expect(await found(own, await proofOf('s-1', other))).toMatch(/the checkpoint belongs to the log/);
    expect(await witness.look(other, start)).toMatch(/the checkpoint belongs to the log/);
  });

  test('19 two histories for two witnesses', async () => {
    const second = new Watcher(await kept.signer('default'));
    await appended(named('s-1'));
    const other = await otherLog(rewritten(2));
    expect(await witness.look(log(), start)).toBeUndefined();
    expect(await second.look(forgedLog(other), start)).toBeUndefined();
    // Neither witness accepts the history shown to the other, and no bundle has both.
    expect(await second.look(log(), start)).toMatch(/forked/);
    expect(await witness.look(forgedLog(other), start)).toMatch(/forked/);
    expect(await found(rewritten(2), await proofOf('s-1', forgedLog(other)))).toMatch(/auditor has not cosigned/);
  });

  test('20 leaves shown to the witness that differ from those in the tree', async () => {
    await appended(named('s-1'));
    const other = await otherLog(rewritten(2));
    const objects = { ...kept.objects, get: other.objects.get, list: other.objects.list };
    await appended(named('s-1'));
    expect(await witness.look(kept.opened({ objects }), start)).toMatch(/leaves do not match the checkpoint/);
  });

  test('22 a different history under a retired log key, for a witness that trusts both keys', async () => {
    const old = kept.key;
    const fresh = generateKeyPairSync('ed25519').privateKey;
    await witnessed();
    const rotated = logSignersOf({ current: fresh, former: [createPublicKey(old)], previous: old });
    const goesOn = kept.opened({ signer: rotated });
    await appended(named('later'), goesOn);
    witness.trust([await kept.signer('default'), await rotated('default')]);
    expect(await witness.look(goesOn, start + hour)).toBeUndefined();
    const other = await otherLog(named('before'), rewritten(2), named('behind'), named('later'), named('x'));
    expect(await witness.look(forgedLog(other), start + 2 * hour)).toMatch(
      /forked or rewritten|is not signed by one of/,
    );
    const verification = await witness.verify(
      await bundleOf(rewritten(2), await proofOf('s-1', forgedLog(other))),
      trustedKey,
    );
    expect(verification.valid).toBe(false);
  });

  test('23 a checkpoint from another tenant, one of an empty log, and one whose size is written differently', async () => {
    await witnessed();
    await appended(named('s-1', drafts, 'elsewhere'));
    const key = await kept.signer('default');
    const signed = (text: string) => signNote(text, key);
    const foreign = (await log().checkpoint('elsewhere'))!;
    expect(await witness.look(log(), start, 'default', foreign)).toMatch(/belongs to the log .*elsewhere/);
    const { origin, root } = openCheckpoint((await log().checkpoint('default'))!, key) as TreeHead;
    const encoded = root.toString('base64');
    const empty = await signed(`${origin}\n0\n${encoded}\n`);
    expect(await witness.look(log(), start, 'default', empty)).toMatch(/shrank: it has 0 leaves/);
    for (const size of ['03', '+3', '3.0', '3e0', ' 3', '-3', '9007199254740993'])
      expect(await witness.look(log(), start, 'default', await signed(`${origin}\n${size}\n${encoded}\n`))).toMatch(
        /does not name an origin, a size and a root hash/,
      );
  });

  test('24 a checkpoint of the same size with a different root, signed for one bundle holder', async () => {
    await witnessed();
    const other = await otherLog(named('before'), rewritten(2), named('behind'));
    const proof = await proofOf('s-1', forgedLog(other));
    const [seen] = await kept.heads.cosignatures('default');
    // With the cosignature over the honest checkpoint of that size below it or next to it.
    const line = seen!.note.trimEnd().split('\n').at(-1)!;
    for (const checkpoint of [`${proof.checkpoint}${line}\n`, seen!.note])
      expect(await found(rewritten(2), { ...proof, cosigned: [{ checkpoint, path: proof.path }] })).toMatch(
        /auditor has not cosigned|cosigned checkpoint fails/,
      );
  });

  test('25 entries of denied calls dropped before the session is logged, so the hash returned to the caller is missing', async () => {
    const whole = named('s-1');
    const answered = whole.entries[3]!.hash;
    const dropped = named(
      's-1',
      drafts.filter((_, at) => at !== 3),
    );
    await witnessed(dropped);
    // The log contains the shorter history, and its bundle verifies. The call's response is the evidence against the
    // operator.
    const bundle = await bundleOf(dropped, await proofOf());
    expect(await witness.verify(bundle, trustedKey)).toMatchObject({ valid: true });
    expect(dropped.entries.some(({ hash }) => hash === answered)).toBe(false);
    // The witness detects if it is put back later.
    await appended(whole);
    expect(await witness.look(log(), start)).toBeUndefined();
    expect(await found(whole, await proofOf())).toMatch(/that a witness read: it or one before it was rewritten/);
  });

  test('26 a leaf for entries that do not exist yet, to be filled in later', async () => {
    const short = named('s-1', drafts.slice(0, 3));
    await appended(short);
    await log().append([{ ...session, index: 9, hash: 'f'.repeat(64) }]);
    expect(await witness.look(log(), start)).toBeUndefined();
    expect(await found(short, await proofOf())).toMatch(/end is cut off: 3 entries are here, the log names 10/);
    const filled = named(
      's-1',
      Array.from({ length: 10 }, (_, at) => drafts[at % drafts.length]!),
    );
    expect(await found(filled, await proofOf())).toMatch(/not the one in the log/);
  });

  test('27 a consistency proof that is longer, shorter or empty', async () => {
    await witnessed();
    await appended(named('more'));
    const honest = log();
    const given = (await honest.consistency('default', 3, 4))!;
    const look = (proof: readonly Buffer[]) => continued(checkpoint, key, { size: 3, root: seenRoot }, proof);
    const [checkpoint, key] = [(await honest.checkpoint('default'))!, await kept.signer('default')];
    const seenRoot = (openCheckpoint((await kept.heads.cosignatures('default'))[0]!.note, key) as TreeHead).root;
    expect(typeof look(given)).toBe('object');
    for (const proof of [[], given.slice(1), [...given, given[0]!], [given[0]!, ...given], given.toReversed()])
      if (proof.length !== given.length || !proof.every((node, at) => node.equals(given[at]!)))
        expect(look(proof)).toMatch(/forked or rewritten/);
  });

  test('28 an earlier leaf shown under a new checkpoint, with later leaves rewritten', async () => {
    const short = named('s-1', drafts.slice(0, 3));
    await witnessed(short);
    const place = (await proofOf()).position;
    await appended(named('s-1'));
    expect(await witness.look(log(), start + hour)).toBeUndefined();
    // The operator controls the session index, so it can name the earlier leaf again.
    const sessions = async () => [{ session: (await proofOf()).leaf.session, index: 2, position: place }];
    await appended(named('more'));
    expect(await witness.look(log(), start + 2 * hour)).toBeUndefined();
    const chosen = await proofOf('s-1', kept.opened({ heads: { ...kept.heads, sessions } }));
    expect(chosen.leaf.index).toBe(2);
    const stranger = (bundle: string) =>
      verifyBundle(bundle, trustedKey, undefined, undefined, { log: witness.log, witnesses: [witness.signer] });
    const later = await stranger(await bundleOf(rewritten(4), chosen));
    expect(later.broken_link).toMatchObject({
      index: 3,
      reason: expect.stringMatching(/is not in the log that auditor saw/),
    });
    expect((await stranger(await bundleOf(named('s-1'), await proofOf()))).valid).toBe(true);
  });

  test('29 an entry dated later than the time at which it was logged', async () => {
    const later = new Date(start + 30 * 24 * hour).toISOString();
    const own = named(
      's-1',
      drafts.map((draft, i) => (i === 4 ? { ...draft, timestamp: later } : draft)),
    );
    await witnessed(own);
    expect(await found(own, await proofOf())).toMatch(/entry is post-dated: it was in the log at 2026-01-02/);
  });

  test('30 the log acting as its own witness under another party’s name', async () => {
    const own = await witnessed();
    const auditor = noteSigner('auditor', kept.key, noteKeyTypes.cosignature);
    const note = (await proofOf()).checkpoint;
    const { text } = openCheckpoint(note, undefined) as { text: string };
    const { path } = await proofOf();
    const proof = {
      ...(await proofOf()),
      cosigned: [{ checkpoint: `${note}${cosign(text, start / 1000, auditor)}\n`, path }],
    };
    const { broken_link } = await verifyBundle(await bundleOf(own, proof), trustedKey, undefined, undefined, {
      log: witness.log,
      witnesses: [auditor],
    });
    expect(broken_link?.reason).toMatch(/auditor has the same key as the log .*: they are not separate parties/);
  });

  test('31 one witness under two names', async () => {
    const own = await witnessed();
    const { privateKey } = generateKeyPairSync('ed25519');
    const two = ['first', 'second'].map((name) => noteSigner(name, privateKey, noteKeyTypes.cosignature));
    const { checkpoint, path, ...rest } = await proofOf();
    const { text } = openCheckpoint(checkpoint, undefined) as { text: string };
    const lines = two.map((each) => `${cosign(text, start / 1000, each)}\n`).join('');
    const proof = { ...rest, checkpoint, path, cosigned: [{ checkpoint: `${checkpoint}${lines}`, path }] };
    const verify = async (witnesses: typeof two) =>
      verifyBundle(await bundleOf(own, proof), trustedKey, undefined, undefined, { log: witness.log, witnesses });
    expect((await verify(two)).broken_link?.reason).toMatch(/second has the same key as the witness first/);
    expect((await verify([two[0]!])).valid).toBe(true);
  });

  test('32 a bundle with two histories: its members appear twice, and readers use one or the other', async () => {
    const whole = await bundleOf(await witnessed(), await proofOf());
    const other = JSON.stringify(rewritten(2).entries);
    const twice = [
      whole.replace('"entries":', `"entries":${other},"entries":`),
      whole.replace('"actor":', '"actor":{"key_id":"another"},"actor":'),
    ];
    for (const bundle of twice)
      expect((await witness.verify(bundle, trustedKey)).broken_link?.reason).toMatch(/twice in one object/);
  });
});

const draftOf = ({ version: _v, index: _i, previous_hash: _p, hash: _h, ...draft }: EvidenceEntry): EntryDraft => draft;
