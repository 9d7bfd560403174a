/**
 * Checkpoints and archive: the same suite runs over the state folder and over an in-memory bucket (the cloud tier has
 * its own bucket).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { archiveBucket, archiveKey } from '#adapters/aws/archive-bucket.ts';
import { checkpointBucket, checkpointKey } from '#adapters/aws/checkpoint-bucket.ts';
import { checkpointFile } from '#adapters/local/checkpoint-file.ts';
import { folderArchive } from '#adapters/local/folder-archive.ts';
import type { ChainPoint, EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { sessionCheckpointDefect } from '#core/evidence/checkpoint.ts';
import { checkpointEntries } from '#core/evidence/checkpointer.ts';
import type { Contradiction } from '#core/evidence/contradiction.ts';
import type { ArchiveReader, CheckpointLog } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import type { Archive } from '#core/observatory/ports.ts';
import { archivedHashes } from '../support/archived-hashes.ts';
import { FakeBucket } from '../support/fake-bucket.ts';
import { draft, drafts, otherKey, seal, sealedSession, signer, trustedKey } from '../unit/evidence/sample.ts';

interface Kept {
  readonly checkpoints: CheckpointLog;
  readonly archive: Archive & ArchiveReader;
  close(): Promise<void>;
}

const clock = { now: () => Date.UTC(2026, 0, 2) };

async function inFolder(): Promise<Kept> {
  const folder = await mkdtemp(join(tmpdir(), 'kept-'));
  const path = join(folder, 'checkpoints.jsonl');
  const checkpoints = await checkpointFile({ path, signer, publicKeys: [trustedKey], clock });
  const close = async () => {
    await checkpoints.close();
    await rm(folder, { recursive: true });
  };
  return { checkpoints, archive: folderArchive(join(folder, 'archive')), close };
}

async function inBucket(): Promise<Kept> {
  const { client } = new FakeBucket(2);
  const checkpoints = checkpointBucket({ bucket: 'b', client, signer, clock });
  return { checkpoints, archive: archiveBucket({ bucket: 'b', client }), close: async () => {} };
}

const point = (session_id: string, index: number, tenant = 'a/b'): ChainPoint => ({
  tenant,
  session_id,
  index,
  hash: String(index).padStart(2, '0').repeat(32),
});

describe.each([
  ['the state folder', inFolder],
  ['the bucket', inBucket],
])('[evidence.checkpoint] %s', (_, open) => {
  let kept: Kept;
  beforeEach(async () => {
    kept = await open();
  });
  afterEach(() => kept.close());

  test('keeps the newest checkpoint for each session, with a proof', async () => {
    const { checkpoints } = kept;
    expect(await checkpoints.last('a/b', 's:1')).toBeUndefined();
    await checkpoints.append([point('s:1', 9), point('s:2', 0), point('s:1', 3, 'a')]);
    await checkpoints.append([point('s:1', 10)]);
    expect(await checkpoints.last('a/b', 's:1')).toEqual({
      point: point('s:1', 10),
      created_at: '2026-01-02T00:00:00.000Z',
      key_id: '1234abcd-12ab-34cd-56ef-1234567890ab',
    });
    expect(await checkpoints.last('a', 's:1')).toMatchObject({ point: { index: 3 } });
    for (const [tenant, id] of [
      ['a/b', 's:1'],
      ['a/b', 's:2'],
      ['a', 's:1'],
    ] as const) {
      const proof = await checkpoints.proof(tenant, id);
      expect(sessionCheckpointDefect(proof, trustedKey)).toBeUndefined();
      expect(sessionCheckpointDefect(proof, otherKey)).toMatch(/signature fails/);
    }
    expect(await checkpoints.damage()).toBeUndefined();
  });

  test("lists a tenant's sessions in pages", async () => {
    const { checkpoints } = kept;
    const ids = ['s:1', 's:2', 's:3', 's:4', 's:5'];
    await checkpoints.append([...ids.map((id) => point(id, 0)), point('other', 0, 'a')]);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await checkpoints.sessions('a/b', { limit: 2, ...(cursor !== undefined && { cursor }) });
      expect(page.items.length).toBeLessThanOrEqual(2);
      found.push(...page.items);
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(found.sort()).toEqual(ids);
  });

  test('[evidence.archive] reads copies back: each one once, up to the first gap or the first position with two different copies', async () => {
    const { archive } = kept;
    const { entries } = await sealedSession();
    const [a, b, c, d, e] = entries;
    expect((await archivedHashes(archive, 'default', 's-1')).size).toBe(0);
    for (const entry of [b!, a!, b!, e!]) await archive.keep([entry]);
    const read = async (from: number) => {
      const found: EvidenceEntry[] = [];
      for await (const entry of archive.entries('default', 's-1', from)) found.push(entry);
      return found;
    };
    expect([...(await archivedHashes(archive, 'default', 's-1'))].sort()).toEqual([
      [0, [a!.hash]],
      [1, [b!.hash]],
      [4, [e!.hash]],
    ]);
    expect(await read(0)).toEqual([a, b]);
    expect([await read(1), await read(2)]).toEqual([[b], []]);
    await archive.keep([c!]);
    await archive.keep([{ ...c!, hash: d!.hash }]);
    expect((await archivedHashes(archive, 'default', 's-1')).get(2)?.toSorted()).toEqual([c!.hash, d!.hash].sort());
    expect(await read(0)).toEqual([a, b]); // two copies of one position: neither is trusted
  });

  test('[evidence.checkpoint] signs chains that continue the last checkpoint, in any order of arrival, and refuses those that do not', async () => {
    const { checkpoints, archive } = kept;
    const lines: string[] = [];
    const telemetry = { count: () => {}, log: () => {} };
    const contradictions = { put: async ({ reason }: Contradiction) => lines.push(reason) > 0 };
    const project = async (entries: readonly EvidenceEntry[]) => {
      for (const entry of entries) await archive.keep([entry]);
      await checkpointEntries({ checkpoints, archive, log: undefined, clock, contradictions, telemetry }, entries);
      return (await checkpoints.last('default', 's-1'))?.point.index;
    };
    const more: EntryDraft[] = [...drafts, draft('allow', { n: 5 }, 6), draft('allow', { n: 6 }, 7)];
    const [a, b, c, d, e, f, g] = seal(more).entries;
    expect(await project([b!, a!])).toBe(1);
    expect(await project([a!, b!])).toBe(1);
    expect(await project([e!, d!])).toBe(1); // the third is in flight
    expect(await project([c!])).toBe(2);
    expect(await project([f!])).toBe(5);
    expect(lines).toEqual([]);

    const forged = seal(more.with(2, { ...more[2]!, body: { other: true } })).entries;
    expect(await project([forged[5]!])).toBe(5);
    expect(await project([forged[6]!])).toBe(5);
    expect(await project([{ ...g!, body: { other: true } }])).toBe(5);
    expect(lines).toEqual(Array(3).fill(expect.stringContaining('No checkpoint of session s-1 is signed at entry')));
  });
});

describe('[evidence.checkpoint] in the bucket', () => {
  test('a checkpoint stored under another name or signed with another key is not trusted', async () => {
    const bucket = new FakeBucket();
    const { client } = bucket;
    const log = checkpointBucket({ bucket: 'b', client, signer, clock });
    await log.append([point('s', 1)]);
    const [text] = bucket.objects.values();
    bucket.objects.set(checkpointKey(point('s', 2)), text!);
    await expect(log.last('a/b', 's')).rejects.toThrow('it is stored under a different name');
    const stranger = { ...signer, publicKey: async () => otherKey };
    await expect(checkpointBucket({ bucket: 'b', client, signer: stranger, clock }).last('a/b', 's')).rejects.toThrow(
      /signature fails/,
    );
    bucket.objects.set(checkpointKey(point('s', 2)), 'nothing');
    await expect(log.proof('a/b', 's')).rejects.toThrow('malformed');
  });

  test('the writer reads its cached state once, and redelivering a batch is not an error', async () => {
    const bucket = new FakeBucket();
    const log = checkpointBucket({ bucket: 'b', client: bucket.client, signer, clock, remembers: true });
    await log.append([point('s', 1), point('t', 1)]);
    await log.append([point('s', 1)]);
    expect((await log.last('a/b', 's'))?.point).toEqual(point('s', 1));
    expect(bucket.asked).toEqual(Array(3).fill('PutObjectCommand'));
    expect([...bucket.objects.keys()].every((key) => key.startsWith('@checkpoints/a%2Fb/'))).toBe(true);
    const { entries } = await sealedSession();
    expect(archiveKey([entries[0]!])).not.toMatch(/^@/);
    expect(canonicalize(JSON.parse([...bucket.objects.values()][0]!))).toBe([...bucket.objects.values()][0]);
  });
});
