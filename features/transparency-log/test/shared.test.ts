/** A transparency log shared by several gateways, in a bucket and in reports. */
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#adapters/system/clock.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import type { ChainPoint } from '#core/contracts/evidence.ts';
import { withLog } from '#core/evidence/report-log.ts';
import { openCheckpoint } from '#core/evidence/transparency/checkpoint-note.ts';
import { rootsOfConsistency } from '#core/evidence/transparency/proofs.ts';
import { checkLogProof } from '#core/evidence/transparency/session-proof.ts';
import { keptEvidence } from '../../../bin/local/kept-evidence.ts';
import { FakeBucket } from '../../../test/support/fake-bucket.ts';
import { testStore } from '../../../test/support/store.ts';
import { useStarted } from '../../../test/support/use-started.ts';
import { logBucket } from '../adapters/log-bucket.ts';
import { logObjectsTable } from '../adapters/log-objects-table.ts';
import { LogReader } from '../log-reader.ts';
import type { LogHeads, LogObjects } from '../ports.ts';
import { tileAt } from '../tiles.ts';
import { pointOf, testLog } from './started-log.ts';

/**
 * One log for several gateways with one store: concurrent writers that stop at any point, over a table and over a
 * bucket.
 */
describe('several gateways', () => {
  const kept = useStarted(() => testLog(), 'test');

  class Killed extends Error {}

  /** Simulates a process that ends at its n-th write, either before it is done or after it but before the response. */
  function process_(objects: LogObjects, at: number) {
    let writes = 0;
    const guarded = async <T>(write: () => Promise<T>): Promise<T> => {
      writes++;
      if (writes > at || (writes === at && at % 2 === 0)) throw new Killed();
      const result = await write();
      if (writes === at) throw new Killed();
      return result;
    };
    const heads: LogHeads = {
      ...kept.heads,
      replace: (...args) => guarded(() => kept.heads.replace(...args)),
      remember: (...args) => guarded(() => kept.heads.remember(...args)),
    };
    return kept.opened({ heads, objects: { ...objects, put: (...args) => guarded(() => objects.put(...args)) } });
  }

  const stores: Record<string, () => LogObjects> = {
    'in the table of the head': () => logObjectsTable({ store: kept.store }),
    'in a bucket that replaces nothing': () => logBucket({ bucket: 'archive', client: new FakeBucket(100).client }),
  };

  describe.each(Object.keys(stores))('[transparency.log] objects %s', (name) => {
    test('concurrent writers that are repeatedly killed neither lose nor duplicate a leaf', async () => {
      const objects = stores[name]!();
      const seen: string[] = [];
      let kills = 0;
      /** Runs one process after another on the batches. Unfinished batches are delivered again, as by a stream. */
      const writer = async (own: number, batches: readonly ChainPoint[][]) => {
        let life = own + 1;
        for (const batch of batches) {
          for (;;) {
            life = (life % 7) + 1;
            const log = process_(objects, life < 6 ? life : Number.POSITIVE_INFINITY);
            const done = await log.append(batch).then(
              () => true,
              (thrown: Error) => {
                if (!(thrown instanceof Killed) && (thrown as { code?: string }).code !== 'service_unavailable')
                  throw thrown;
                kills++;
                return false;
              },
            );
            seen.push((await kept.heads.head('default'))?.checkpoint ?? '');
            if (done) break;
          }
        }
      };
      const batches = (own: number) =>
        Array.from({ length: 5 }, (_b, batch) =>
          Array.from({ length: 16 }, (_p, at) => pointOf(`s-${own}-${batch}-${at}`, 0)).concat(
            // A session that all of them log: the furthest position wins.
            pointOf('common', own * 5 + batch),
          ),
        );
      await Promise.all([0, 1, 2, 3].map((own) => writer(own, batches(own))));

      expect(kills).toBeGreaterThan(20);
      const log = kept.opened({ objects });
      const leaves = await kept.leaves(log);
      const own = leaves.filter(({ session }) => session !== leaves.find(({ index }) => index > 0)?.session);
      expect(own).toHaveLength(4 * 5 * 16);
      expect(new Set(leaves.map(({ session, index }) => `${session} ${index}`)).size).toBe(leaves.length);
      const trust = { log: await kept.signer('default') };
      for (const session_id of ['s-0-0-0', 's-3-4-15', 'common'])
        expect(
          checkLogProof(await log.proof('default', session_id), { tenant: 'default', session_id }, trust),
        ).toMatchObject({
          size: leaves.length,
        });
      // Whatever any reader saw in the meantime, the log only grew.
      const last = openCheckpoint((await log.checkpoint('default'))!, trust.log);
      for (const note of new Set(seen.filter((each) => each !== ''))) {
        const earlier = openCheckpoint(note, trust.log);
        if (typeof earlier === 'string' || typeof last === 'string') throw new Error('a checkpoint is not of the log');
        const proof = (await log.consistency('default', earlier.size, last.size))!;
        expect(rootsOfConsistency(earlier.size, last.size, earlier.root, proof)).toEqual({
          earlier: earlier.root,
          later: last.root,
        });
      }
    });
  });

  describe('[transparency.log] gateways that share one store', () => {
    const folder = mkdtempSync(join(tmpdir(), 'shared-log-'));
    afterAll(() => rmSync(folder, { recursive: true, force: true }));

    test('derive the same key from the store’s signing key and keep one log; a different key is refused', async () => {
      const store = { store: testStore(), shared: true };
      const telemetry = logTelemetry({ clock: systemClock, write: () => {}, service: 't', deployment: 't' });
      const evidence = { entries: () => (async function* () {})() };
      const start = (name: string) =>
        keptEvidence({ stateFolder: join(folder, name), store, evidence, clock: systemClock, telemetry });
      const first = await start('a');
      // The files that an operator copies to every process that shares a store.
      mkdirSync(join(folder, 'b'));
      copyFileSync(join(folder, 'a/signing-key.pem'), join(folder, 'b/signing-key.pem'));
      const second = await start('b');
      await Promise.all([
        first.archiving.log!.append([pointOf('s-1', 0), pointOf('s-2', 0)]),
        second.archiving.log!.append([pointOf('s-2', 0), pointOf('s-3', 0)]),
      ]);
      const trust = { log: await first.transparency!.signer('default') };
      for (const session_id of ['s-1', 's-2', 's-3'])
        for (const { transparency } of [first, second]) {
          const proof = await transparency!.proof('default', session_id);
          expect(checkLogProof(proof, { tenant: 'default', session_id }, trust)).toMatchObject({ size: 3 });
        }
      mkdirSync(join(folder, 'c'));
      copyFileSync(join(folder, 'a/signing-key.pem'), join(folder, 'c/signing-key.pem'));
      const other = generateKeyPairSync('ed25519');
      writeFileSync(join(folder, 'c/log-key.pem'), other.privateKey.export({ format: 'pem', type: 'pkcs8' }));
      await expect(start('c')).rejects.toThrow('Copy log-key.pem');
      expect(existsSync(join(folder, 'c/checkpoints.jsonl'))).toBe(false); // a refused start leaves no file open
      await Promise.all([first, second].map(({ closeKept }) => closeKept()));
    });
  });
});

/** The transparency log in a bucket that accepts each object once, and readers that never write. */
describe('a bucket', () => {
  let bucket: FakeBucket;
  const kept = useStarted(() => testLog(), 'test');
  beforeEach(() => {
    bucket = new FakeBucket(100);
  });

  const objects = () => logBucket({ bucket: 'archive', client: bucket.client });
  const reader = () => new LogReader({ heads: kept.heads, objects: objects(), signer: kept.signer });
  const many = (from: number, count: number) => Array.from({ length: count }, (_, i) => pointOf(`s-${from + i}`, 0));

  /** Runs a writer that commits its second batch and stops before putting the batch's first object. */
  async function stopsAfterCommit(first: readonly ChainPoint[], second: readonly ChainPoint[]): Promise<void> {
    const own = objects();
    let stopped = false;
    const put: LogObjects['put'] = (...args) => (stopped ? Promise.reject(new Error('stopped')) : own.put(...args));
    const log = kept.opened({ objects: { ...own, put } });
    await log.append(first);
    stopped = true;
    await expect(log.append(second)).rejects.toThrow('stopped');
  }

  async function proved(log: LogReader, session_id: string, size: number) {
    const trust = { log: await kept.signer('default') };
    const proof = checkLogProof(await log.proof('default', session_id), { tenant: 'default', session_id }, trust);
    expect(proof).toMatchObject({ size });
  }

  test('[transparency.log] a log in a bucket that forbids deletion and replacement proves every session', async () => {
    const log = kept.opened({ objects: objects() });
    for (const [from, count] of [
      [0, 200],
      [200, 100],
      [300, 256],
    ] as const)
      await log.append(many(from, count));
    for (const n of [0, 199, 200, 255, 256, 511, 512, 555]) await proved(reader(), `s-${n}`, 556);
    expect(await reader().consistency('default', 200, 556)).toEqual(await log.consistency('default', 200, 556));
    expect([...bucket.objects.keys()].every((key) => key.startsWith('@log/default/'))).toBe(true);
  });

  test('[transparency.log] a reader serves a batch whose writer stopped before storing its objects, and writes nothing', async () => {
    await stopsAfterCommit(many(0, 250), many(250, 10));
    const before = bucket.objects.size;
    // The batch fills a tile, but neither its objects nor its sessions are written.
    for (const n of [0, 249, 250, 259]) await proved(reader(), `s-${n}`, 260);
    const shown = await Promise.all([0, 1].map((index) => reader().tile('default', tileAt('entries', index, 260)!)));
    const grown = await reader().consistency('default', 250, 260);
    expect(bucket.objects.size).toBe(before);

    const next = kept.opened({ objects: objects() });
    await next.append([pointOf('late', 0)]);
    expect(await next.tile('default', { level: 'entries', index: 0, width: 256 })).toEqual(shown[0]);
    expect(await next.consistency('default', 250, 260)).toEqual(grown);
    await proved(reader(), 's-255', 261);
  });

  test('[transparency.log] a reader does not vouch for a log whose objects are truncated', async () => {
    await kept.opened({ objects: objects() }).append(many(0, 20));
    await kept.opened({ objects: objects() }).append(many(20, 20));
    const [first = ''] = [...bucket.objects.keys()].sort();
    bucket.objects.delete(first);
    await expect(reader().proof('default', 's-3')).rejects.toThrow('The log cannot be relied on');
  });
});

/** The transparency log in reports: the leaf, the witnesses, and a chain that differs from the logged one. */
describe('reports', () => {
  const kept = useStarted(() => testLog(), 'test');

  const session = { tenant: 'default', session_id: 's-1' };
  const valid = { valid: true, total_entries: 3, not_checked: ['archive not checked'] };

  test('[evidence.report] a report names the leaf and does not check entries that are not logged yet', async () => {
    const log = kept.opened();
    const point = pointOf('s-1', 2);
    await log.append([pointOf('s-0', 0), point]);
    const proof = await log.proof('default', 's-1');
    const trust = { log: await kept.signer('default') };
    const said = withLog(valid, session, proof, point.hash, trust);
    expect(said).toMatchObject({ valid: true, log: { position: 1, size: 2, index: 2, witnesses: [] } });
    expect(said.not_checked).toEqual(['archive not checked']);
    const absent = withLog(valid, session, undefined, undefined, trust);
    expect(absent).toMatchObject({
      valid: true,
      not_checked: [...valid.not_checked, expect.stringContaining('log not checked')],
    });
  });

  test('[evidence.report] a chain that differs from the logged one, a shorter chain and a proof for another session are not valid', async () => {
    const log = kept.opened();
    const point = pointOf('s-1', 2);
    await log.append([point, pointOf('s-2', 0)]);
    const trust = { log: await kept.signer('default') };
    const proof = await log.proof('default', 's-1');
    const reason = (said: ReturnType<typeof withLog>) => [
      said.valid,
      said.broken_link?.index,
      said.broken_link?.reason,
    ];
    expect(reason(withLog(valid, session, proof, 'f'.repeat(64), trust))).toEqual([
      false,
      2,
      expect.stringContaining('rewritten'),
    ]);
    expect(reason(withLog(valid, session, proof, undefined, trust))).toEqual([
      false,
      2,
      expect.stringContaining('cut off'),
    ]);
    const other = await log.proof('default', 's-2');
    expect(reason(withLog(valid, session, other, point.hash, trust))).toEqual([
      false,
      3,
      expect.stringContaining('another session'),
    ]);
    const broken = { valid: false, total_entries: 1, broken_link: { index: 0, reason: 'altered' }, not_checked: [] };
    expect(withLog(broken, session, proof, point.hash, trust)).toEqual(broken);
  });
});
