/** The key of the log is rotated: one log under two keys for a while, for witnesses and for holders of bundles. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { logKeysOf, logSignersOf, retireLogKey, rotateLogKey } from '#adapters/local/log-keys.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { openCheckpoint } from '#core/evidence/transparency/checkpoint-note.ts';
import { type NoteKey, readNote, readVerifierKey, verifierKey } from '#core/evidence/transparency/note.ts';
import { checkLogProof } from '#core/evidence/transparency/session-proof.ts';
import { LogDamage } from '#core/evidence/transparency/stored-tiles.ts';
import { pointOf, testLog } from '../support/transparency.ts';
import { useStarted } from '../support/use-started.ts';
import { Watcher } from './watcher.ts';

let folder: string;
const kept = useStarted(() => testLog(), 'test');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-keys-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
});

const signers = async () => logSignersOf(await logKeysOf(folder));
const log = async () => kept.opened({ signer: await signers() });
const keyNow = async (): Promise<NoteKey> => readVerifierKey(verifierKey(await (await signers())('default')))!;
const session = { tenant: 'default', session_id: 's-1' };
const checked = (proof: LogProof | undefined, trusted: NoteKey | readonly NoteKey[]) =>
  checkLogProof(proof, session, { log: trusted });
const signatures = async () => readNote((await (await log()).checkpoint('default'))!)!.signatures.length;

describe('[transparency.log] the log continues under a new key', () => {
  test('under both for a while, then under the new one; each bundle verifies under a key of its time', async () => {
    await (await log()).append([pointOf('s-1', 0)]);
    const old = await keyNow();
    const before = await (await log()).proof('default', 's-1');
    expect(before).not.toHaveProperty('keys');

    await rotateLogKey(folder);
    const next = await keyNow();
    expect([next.name, next.id.equals(old.id)]).toEqual([old.name, false]);
    // The head is of the time before.
    expect(checked(await (await log()).proof('default', 's-1'), old)).toMatchObject({ size: 1 });
    await (await log()).append([pointOf('s-2', 0)]);
    expect(await signatures()).toBe(2);
    const during = await (await log()).proof('default', 's-1');
    for (const trusted of [old, next, [next, old]]) expect(checked(during, trusted)).toMatchObject({ size: 2 });
    expect(during!.keys).toEqual([verifierKey(next), verifierKey(old)]);

    await retireLogKey(folder);
    await (await log()).append([pointOf('s-3', 0)]);
    expect(await signatures()).toBe(1);
    const after = await (await log()).proof('default', 's-1');
    expect(checked(after, next)).toMatchObject({ size: 3 });
    expect(checked(after, [next, old])).toMatchObject({ size: 3 });
    expect(checked(after, old)).toMatch(`names further keys of the log, ${verifierKey(next)}: compare`);
    expect(checked(before, old)).toMatchObject({ size: 1 });
    expect(checked(before, next)).toMatch('is not signed by the key');
    expect(readFileSync(join(folder, 'log-keys.json'), 'utf8')).not.toContain('PRIVATE');
    expect(existsSync(join(folder, 'log-key-previous.pem'))).toBe(false);
  });

  test('again and again: the name is that of the first key', async () => {
    await (await log()).append([pointOf('s-1', 0)]);
    const keys = [await keyNow()];
    for (let n = 1; n <= 3; n++) {
      await rotateLogKey(folder);
      await (await log()).append([pointOf('s-1', n)]);
      await retireLogKey(folder);
      keys.unshift(await keyNow());
    }
    await (await log()).append([pointOf('s-1', 4)]);
    expect(new Set(keys.map(({ name }) => name)).size).toBe(1);
    const proof = await (await log()).proof('default', 's-1');
    expect(proof!.keys).toEqual(keys.map(verifierKey));
    expect(checked(proof, keys[0]!)).toMatchObject({ leaf: { index: 4 } });
  });

  test('a witness with both keys continues from its last checkpoint, and one with the old key alone stops', async () => {
    await (await log()).append([pointOf('s-1', 0)]);
    const old = await keyNow();
    const [both, alone] = [new Watcher(old), new Watcher(old)];
    for (const witness of [both, alone]) expect(await witness.look(await log(), 0)).toBeUndefined();
    await rotateLogKey(folder);
    await (await log()).append([pointOf('s-1', 1)]);
    for (const witness of [both, alone]) expect(await witness.look(await log(), 1_000)).toBeUndefined();
    both.trust([await keyNow(), old]);
    await retireLogKey(folder);
    await (await log()).append([pointOf('s-1', 2)]);
    expect(await both.look(await log(), 2_000)).toBeUndefined();
    expect(await alone.look(await log(), 2_000)).toMatch('is not signed by the key');
  });

  test.each([
    ['while two keys sign', async () => void (await rotateLogKey(folder)), rotateLogKey, '--retire-log-key'],
    ['where one key signs', async () => void (await keyNow()), retireLogKey, 'none to retire'],
  ])('is refused %s', async (_when, before, act, reason) => {
    await before();
    await expect(act(folder)).rejects.toThrow(reason);
  });

  test('a rotation that stopped at any step leaves the log unchanged', async () => {
    await (await log()).append([pointOf('s-1', 0)]);
    const old = await keyNow();
    const pem = readFileSync(join(folder, 'log-key.pem'));
    await rotateLogKey(folder);
    // The last step did not happen: the list and the copy are there, the key is the one before.
    writeFileSync(join(folder, 'log-key.pem'), pem);
    chmodSync(join(folder, 'log-key.pem'), 0o600);
    expect(verifierKey(await keyNow())).toBe(verifierKey(old));
    await (await log()).append([pointOf('s-2', 0)]);
    expect(await signatures()).toBe(1);
    await rotateLogKey(folder);
    await (await log()).append([pointOf('s-3', 0)]);
    expect(checked(await (await log()).proof('default', 's-1'), [await keyNow(), old])).toMatchObject({ size: 3 });
  });
});

describe('[transparency.log] is not a way to forge', () => {
  test('a key that does not follow appends nothing, and no verifier trusts it', async () => {
    await (await log()).append([pointOf('s-1', 0)]);
    const old = await keyNow();
    rmSync(join(folder, 'log-key.pem'));
    await expect((await log()).append([pointOf('s-2', 0)])).rejects.toThrow(LogDamage);
    // The operator names the log after its first key and lists the new one as trusted.
    const stranger = await (await signers())('default');
    const forged = { ...stranger, name: old.name };
    const text = `${old.name}\n1\n${Buffer.alloc(32).toString('base64')}\n`;
    const { signNote } = await import('#core/evidence/transparency/note.ts');
    expect(openCheckpoint(await signNote(text, forged), old)).toMatch('is not signed by the key');
  });

  test('an invalid signature in the name of a trusted key invalidates the note, despite other signatures', async () => {
    await (await log()).append([pointOf('s-1', 0)]);
    const old = await keyNow();
    await rotateLogKey(folder);
    await (await log()).append([pointOf('s-2', 0)]);
    const note = (await (await log()).checkpoint('default'))!;
    const lines = note.trimEnd().split('\n');
    const last = Buffer.from(lines.at(-1)!.split(' ')[2]!, 'base64');
    last[10]! ^= 1;
    const spoiled = [...lines.slice(0, -1), `— ${old.name} ${last.toString('base64')}`, ''].join('\n');
    const trusted = [await keyNow(), old];
    expect(openCheckpoint(note, trusted)).toMatchObject({ size: 2 });
    expect(openCheckpoint(spoiled, trusted)).toMatch('is not signed by one of the 2 trusted keys');
  });
});
