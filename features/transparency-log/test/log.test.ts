/** The transparency log: tiles, proofs, writers and key rotation. */
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockState } from '#adapters/local/state-lock.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { LogDamage } from '#core/evidence/chain-log.ts';
import { openCheckpoint } from '#core/evidence/transparency/checkpoint-note.ts';
import { type NoteKey, noteSigner, readNote, readVerifierKey, verifierKey } from '#core/evidence/transparency/note.ts';
import { rootsOfConsistency } from '#core/evidence/transparency/proofs.ts';
import { checkLogProof } from '#core/evidence/transparency/session-proof.ts';
import { leafHash } from '#core/evidence/transparency/tree.ts';
import { runMain } from '../../../test/support/run-main.ts';
import { useStarted } from '../../../test/support/use-started.ts';
import { logKeysOf, logSignersOf, retireLogKey, rotateLogKey } from '../adapters/log-keys.ts';
import type { TransparencyLog } from '../log.ts';
import type { LogHeads, LogObjects } from '../ports.ts';
import { hashesOfTile, tileAt } from '../tiles.ts';
import { pointOf, type TestLog, testLog } from './started-log.ts';
import { Watcher } from './watcher.ts';

/** The log over the store and the folder: tiles, proofs, concurrent writers, and writers that may stop at any point. */
describe('tiles and writers', () => {
  let kept: TestLog;
  beforeEach(async () => {
    kept = await testLog();
  });
  afterEach(() => kept.stop());

  const many = (from: number, count: number) => Array.from({ length: count }, (_, i) => pointOf(`s-${from + i}`, 0));

  async function headOf(log: TransparencyLog) {
    const head = openCheckpoint((await log.checkpoint('default'))!, await kept.signer('default'));
    if (typeof head === 'string') throw new Error(head);
    return head;
  }

  test('[transparency.log] sessions are appended once for each position they reach, and each tenant has its own log', async () => {
    const log = kept.opened();
    await log.append([pointOf('s-1', 0), pointOf('s-2', 3), pointOf('s-1', 0, 'other')]);
    await log.append([pointOf('s-1', 0), pointOf('s-2', 2)]);
    await log.append([pointOf('s-1', 1), pointOf('s-1', 4), pointOf('s-2', 3)]);
    expect((await kept.leaves(log)).map(({ index }) => index)).toEqual([0, 3, 4]);
    expect((await kept.leaves(log, 'other')).map(({ tenant }) => tenant)).toEqual(['other']);
    expect(await log.checkpoint('nobody')).toBeUndefined();
  });

  test('[transparency.log] a head that was reset to an earlier state recovers the leaves from its objects and continues', async () => {
    await kept.opened().append(many(0, 3));
    const before = kept.store.scan('observations');
    const log = kept.opened();
    // Crosses the ends of two tiles, in batches of different sizes.
    for (const count of [1, 251, 300, 4]) {
      kept.time.ms += 1000;
      await log.append(many((await headOf(log)).size, count));
    }
    const published = await headOf(log);
    for (const { series, at } of kept.store.scan('observations'))
      await kept.store.remove('observations', { series: String(series), at: String(at) });
    for (const row of before) await kept.store.put('observations', row);

    const restored = kept.opened();
    expect(await restored.recover('default')).toBe(556);
    expect(await restored.recover('default')).toBe(0);
    expect(await headOf(restored)).toMatchObject({ size: published.size, root: published.root });
    await restored.append([pointOf('s-558', 0), pointOf('s-558', 1)]);
    expect(await kept.leaves(restored)).toHaveLength(560);
    expect((await restored.proof('default', 's-400'))?.leaf).toMatchObject({ index: 0 });
    expect(await kept.opened().recover('nobody')).toBe(0);
  });

  test('[store.sweep] a damaged or failing log does not block the logs of other tenants', async () => {
    await kept.opened().append([pointOf('s-1', 0)]);
    const head = (await kept.heads.head('default'))!;
    await kept.heads.replace('default', { ...head, version: head.version + 1, checkpoint: 'damaged' });
    const log = kept.opened();
    await expect(log.append([pointOf('s-2', 0), pointOf('s-1', 0, 'other')])).rejects.toThrow(LogDamage);
    expect(await kept.leaves(log, 'other')).toHaveLength(1);

    const signer = async (tenant: string) =>
      tenant === 'away' ? Promise.reject(new Error('no key')) : kept.signer(tenant);
    const other = kept.opened({ signer });
    const points = [pointOf('s-3', 0), pointOf('s-1', 0, 'away'), pointOf('s-2', 0, 'other')];
    await expect(other.append(points)).rejects.toThrow('no key');
    expect(await kept.leaves(other, 'other')).toHaveLength(2);
  });

  test('[transparency.tree] sessions and log growth are proved across tiles of all sizes', async () => {
    const log = kept.opened();
    const heads = [];
    for (const count of [1, 1, 253, 1, 1, 300, 200]) {
      await log.append(many(heads.at(-1)?.size ?? 0, count));
      heads.push(await headOf(log));
    }
    expect(heads.map(({ size }) => size)).toEqual([1, 2, 255, 256, 257, 557, 757]);
    expect(await kept.leaves(kept.opened())).toHaveLength(757);
    const last = heads.at(-1)!;
    for (const earlier of heads) {
      const proof = (await log.consistency('default', earlier.size, last.size))!;
      const roots = rootsOfConsistency(earlier.size, last.size, earlier.root, proof);
      expect(roots).toEqual({ earlier: earlier.root, later: last.root });
    }
    expect(await log.consistency('default', 0, 3)).toBeUndefined();
    expect(await log.consistency('default', 3, 758)).toBeUndefined();
    for (const n of [0, 254, 255, 256, 511, 512, 756]) {
      const proof = await log.proof('default', `s-${n}`);
      const session = { tenant: 'default', session_id: `s-${n}` };
      expect(checkLogProof(proof, session, { log: await kept.signer('default') })).toMatchObject({
        position: n,
        size: 757,
      });
      const other = { ...session, session_id: 's-1' };
      expect(checkLogProof(proof, other, {})).toBe('the log proof is for another session');
      const [first, ...rest] = proof!.path;
      expect(checkLogProof({ ...proof, path: [...rest, first] }, session, {})).toMatch(/does not lead to the root/);
    }
    expect(await log.proof('default', 'unknown')).toBeUndefined();
    const tile = (await log.tile('default', tileAt(1, 0, 757)!))!;
    expect(hashesOfTile(tile)).toHaveLength(2);
    expect(await log.tile('default', { level: 0, index: 3, width: 1 })).toBeUndefined();
    expect(await log.tile('default', { level: 0, index: 2, width: 246 })).toBeUndefined();
  });

  class Killed extends Error {}

  /** Builds ports that stop at the n-th write, either before it is done or after it but before the response. */
  function stopping(at: number, done: 'before' | 'after') {
    const count = { writes: 0 };
    const guarded = async <T>(write: () => Promise<T>): Promise<T> => {
      count.writes++;
      if (count.writes > at || (count.writes === at && done === 'before')) throw new Killed();
      const result = await write();
      if (count.writes === at) throw new Killed();
      return result;
    };
    const { heads, objects } = kept;
    const parts: { heads: LogHeads; objects: LogObjects } = {
      heads: {
        ...heads,
        replace: (...args) => guarded(() => heads.replace(...args)),
        remember: (...args) => guarded(() => heads.remember(...args)),
      },
      objects: {
        ...objects,
        put: (...args) => guarded(() => objects.put(...args)),
        drop: (...args) => guarded(() => objects.drop!(...args)),
      },
    };
    return { log: kept.opened(parts), count };
  }

  test('[transparency.log] a writer that stops at any write neither loses nor duplicates leaves', async () => {
    // The second batch fills a tile, starts the next, and repeats a session.
    const first = many(0, 250);
    const second = [...many(250, 10), pointOf('s-3', 1)];
    await kept.opened().append(first);
    const whole = stopping(Number.POSITIVE_INFINITY, 'before');
    await whole.log.append(second);
    const steps = whole.count.writes;
    expect(steps).toBeGreaterThan(8);
    for (const done of ['before', 'after'] as const) {
      for (let at = 1; at <= steps; at++) {
        await kept.stop();
        kept = await testLog();
        await kept.opened().append(first);
        const { log, count } = stopping(at, done);
        const stopped = await log.append(second).then(
          () => false,
          (thrown) => thrown instanceof Killed,
        );
        expect({ stopped, writes: count.writes >= at }).toEqual({ stopped: true, writes: true });
        // The stream delivers the same entries again, perhaps after other entries.
        const next = kept.opened();
        await next.append([pointOf('late', 0)]);
        await next.append(second);
        const leaves = await kept.leaves(next);
        expect(leaves).toHaveLength(262);
        expect(new Set(leaves.map(({ session, index }) => `${session} ${index}`)).size).toBe(262);
        const proof = await next.proof('default', 's-3');
        expect(checkLogProof(proof, { tenant: 'default', session_id: 's-3' }, {})).toMatchObject({
          leaf: { index: 1 },
        });
      }
    }
  });

  test('[transparency.log] no leaf is appended to a head that the log did not sign or whose frontier was changed', async () => {
    const log = kept.opened();
    await log.append(many(0, 3));
    const head = (await kept.heads.head('default'))!;
    const roots = [leafHash(Buffer.from('x')), ...head.roots.slice(1)];
    await kept.heads.replace('default', { ...head, version: head.version + 1, roots, newest: [] });
    await expect(log.append(many(3, 1))).rejects.toThrow(LogDamage);
    const stranger = noteSigner('stranger', generateKeyPairSync('ed25519').privateKey);
    expect(openCheckpoint(head.checkpoint, stranger)).toMatch(/belongs to the log .*, but the key belongs to stranger/);
  });
});

/** Rotation of the log's key: for a while one log has two keys, for both witnesses and bundle holders. */
describe('rotation', () => {
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
    test('under both keys for a while, then under the new one; each bundle verifies with a key valid at its time', async () => {
      await (await log()).append([pointOf('s-1', 0)]);
      const old = await keyNow();
      const before = await (await log()).proof('default', 's-1');
      expect(before).not.toHaveProperty('keys');

      await rotateLogKey(folder);
      const next = await keyNow();
      expect([next.name, next.id.equals(old.id)]).toEqual([old.name, false]);
      // The head dates from before the rotation.
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
      expect(checked(after, old)).toMatch(`names additional keys of the log, ${verifierKey(next)}: compare`);
      expect(checked(before, old)).toMatchObject({ size: 1 });
      expect(checked(before, next)).toMatch('is not signed by the key');
      expect(readFileSync(join(folder, 'log-keys.json'), 'utf8')).not.toContain('PRIVATE');
      expect(existsSync(join(folder, 'log-key-previous.pem'))).toBe(false);
    });

    test('repeatedly, and keeps the name of the first key', async () => {
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

    test('a witness with both keys continues from its last checkpoint; a witness with only the old key stops', async () => {
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

    test('a rotation interrupted at any step leaves the log unchanged', async () => {
      await (await log()).append([pointOf('s-1', 0)]);
      const old = await keyNow();
      const pem = readFileSync(join(folder, 'log-key.pem'));
      await rotateLogKey(folder);
      // The last step is missing: the list and the copy exist, but the key is still the old one.
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

  test('[transparency.log] a truncated or overwritten key file is reported', async () => {
    const path = join(folder, 'log-key.pem');
    for (const text of ['x{', '']) {
      writeFileSync(path, text);
      await expect(logKeysOf(folder)).rejects.toThrow(path);
      expect(readFileSync(path, 'utf8')).toBe(text);
    }
  });

  test("[transparency.log] --rotate-log-key and --retire-log-key change a folder's keys only if no gateway is using it", async () => {
    const lock = lockState(folder);
    await expect(runMain(folder, '--rotate-log-key')).rejects.toThrow(/in use/);
    lock.release();
    expect(await runMain(folder, '--rotate-log-key')).toMatch(
      /^After the next start, key [0-9a-f]{16} signs the transparency log, together with [0-9a-f]{16} until/,
    );
    expect(await runMain(folder, '--retire-log-key')).toContain('is removed and no longer signs');
  });

  describe('[transparency.log] log key forgery is not possible', () => {
    test('a key that is not a valid successor cannot append anything, and no verifier trusts it', async () => {
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

    test('an invalid signature in the name of a trusted key invalidates the note, even if other signatures are valid', async () => {
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
});
