/** The transparency log: the cost of appending, proving and verifying, and the writes of a batch. */

import { generateKeyPairSync, sign } from 'node:crypto';
import { toItem } from '#adapters/aws/dynamodb/items.ts';
import { bundleFormat, type EvidenceEntry, type SessionBundle } from '#core/contracts/evidence.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { signedManifest } from '#core/evidence/sign.ts';
import { leafBytes, leafOf } from '#core/evidence/transparency/leaf.ts';
import { type NoteKey, readVerifierKey, verifierKey } from '#core/evidence/transparency/note.ts';
import { rootOfInclusion } from '#core/evidence/transparency/proofs.ts';
import { Frontier, leafHash, nodeHash } from '#core/evidence/transparency/tree.ts';
import { verifyBundle } from '#core/evidence/verify.ts';
import type { FeatureBench } from '../../../bench/of-features.ts';
import { unitsOf } from '../../../bench/store-rates.ts';
import { recordedStore, testStore } from '../../../test/support/store.ts';
import { logTable } from '../adapters/log-table.ts';
import { inclusionProof, type NodeId } from '../proofs.ts';
import { pointOf, testLog } from '../test/started-log.ts';

const leaves = 100_000;

export const parts: FeatureBench['parts'] = { 'transparency log': benchTransparency };

async function benchTransparency(): Promise<Record<string, number>> {
  const { tree, nodes, cpuMs } = grown();
  const read = async (ids: readonly NodeId[]) => ids.map(({ level, index }) => nodes.get(level * 2 ** 32 + index)!);
  return {
    'append 100,000 leaves: CPU ms': cpuMs,
    ...(await proofs(tree, read)),
    ...(await measureWrites()),
    ...(await measureVerification()),
  };
}

function grown() {
  const bytes = Array.from({ length: leaves }, (_, i) =>
    leafBytes(leafOf(pointOf(`s-${i}`, 0), '2026-01-01T00:00:00.000Z')),
  );
  const [tree, nodes] = [new Frontier(), new Map<number, Buffer>()];
  const before = process.cpuUsage();
  for (const leaf of bytes) {
    tree.append(leafHash(leaf), (level, index, hash) => void nodes.set(level * 2 ** 32 + index, hash));
  }
  const { user, system } = process.cpuUsage(before);
  return { tree, nodes, cpuMs: (user + system) / 1_000 };
}

async function proofs(tree: Frontier, read: (ids: readonly NodeId[]) => Promise<Buffer[]>) {
  const [root, rounds] = [tree.root(), 2_000];
  const made: { at: number; path: Buffer[] }[] = [];
  const begun = process.cpuUsage();
  for (let i = 0; i < rounds; i++) {
    const at = (i * 7_919) % leaves;
    made.push({ at, path: await inclusionProof(at, leaves, read) });
  }
  const making = process.cpuUsage(begun);
  const from = process.cpuUsage();
  for (const { at, path } of made) {
    const leaf = leafHash(leafBytes(leafOf(pointOf(`s-${at}`, 0), '2026-01-01T00:00:00.000Z')));
    if (!rootOfInclusion(leaf, at, leaves, path, nodeHash)?.equals(root)) throw new Error('a proof is not valid');
  }
  const checking = process.cpuUsage(from);
  const ms = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000 / rounds;
  return { 'make a proof of 100,000 leaves: CPU ms': ms(making), 'check it: CPU ms': ms(checking) };
}

/** Returns write units by item size, as DynamoDB counts them: one for each started 1,024 bytes. */
async function measureWrites(): Promise<Record<string, number>> {
  const rows = testStore();
  let units = 0;
  const { store } = recordedStore(rows, ({ method, args }, go) => {
    if (method === 'put') units += unitsOf(toItem(args[1] as object), false);
    return go();
  });
  const heads = logTable({ store });
  const kept = await testLog();
  const log = kept.opened({ heads });
  const figures: Record<string, number> = {};
  // The frontier of a log with a thousand or more leaves has nearly its maximum size.
  await log.append(Array.from({ length: 1_023 }, (_, i) => pointOf(`old-${i}`, 0)));
  for (const count of [1, 10, 100]) {
    units = 0;
    await log.append(Array.from({ length: count }, (_, i) => pointOf(`s-${count}-${i}`, 0)));
    figures[`write units a session, ${count} in a batch`] = units / count;
  }
  await kept.stop();
  rows.close();
  return figures;
}

/** Verifies bundles with few, some and many entries. The proof always costs the same, so its share decreases. */
async function measureVerification(): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const count of [10, 50, 500]) Object.assign(figures, await verifiedOf(count));
  return figures;
}

async function verifiedOf(count: number): Promise<Record<string, number>> {
  const kept = await testLog();
  const log = kept.opened();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const entries: EvidenceEntry[] = [];
  let head: SessionHead | undefined;
  for (let i = 0; i < count; i++) {
    const draft = { tenant: 'default', session_id: 's', timestamp: '2026-01-01T00:00:00.000Z', kind: 'chat' as const };
    const entry = sealEntry(
      { ...draft, envelope_id: `e-${i}`, actor: { key_id: 'k' }, body: { model: 'mock', n: i } },
      head,
    );
    entries.push(entry);
    head = advanceHead(head, entry, 'k');
  }
  await log.append(Array.from({ length: 500 }, (_, i) => pointOf(`s-${i}`, 0)));
  await log.append([{ tenant: 'default', session_id: 's', index: count - 1, hash: entries.at(-1)!.hash }]);
  const signer = {
    keyId: 'bench',
    sign: async (bytes: Uint8Array) => sign('sha256', bytes, privateKey).toString('base64'),
    publicKey: async () => pem,
  };
  const store = { get: async () => undefined, put: async <T>(manifest: T) => manifest };
  const manifest = await signedManifest(head!, entries, signer, store as never);
  const plain: SessionBundle = { format: bundleFormat, manifest, entries, public_key: pem };
  const proved = { ...plain, log_proof: await log.proof('default', 's') };
  const key = await kept.signer('default');
  const given = verifierKey(key);
  const [without, withProof] = [JSON.stringify(plain), JSON.stringify(proved)];
  const times = { without: [] as number[], known: [] as number[], first: [] as number[] };
  const timed = async (into: number[], round: number, text: string, trusted?: NoteKey) => {
    const before = process.cpuUsage();
    const { valid } = await verifyBundle(text, pem, undefined, undefined, trusted ? { log: trusted } : {});
    const { user, system } = process.cpuUsage(before);
    if (!valid) throw new Error('the bundle is not valid');
    if (round >= 20) into.push((user + system) / 1_000);
  };
  // The variants alternate and the middle half is averaged, so that other load on the machine affects all of them
  // equally.
  for (let round = 0; round < 420; round++) {
    await timed(times.without, round, without);
    await timed(times.known, round, withProof, key);
    // A newly parsed key has no verified checkpoint cached.
    await timed(times.first, round, withProof, readVerifierKey(given));
  }
  await kept.stop();
  const [base, known, first] = [times.without, times.known, times.first].map(middle) as [number, number, number];
  return {
    [`verify a bundle of ${count} entries: CPU ms`]: base,
    [`the same for ${count} entries with its log proof, ratio`]: known / base,
    [`the same for ${count} entries, the first under its checkpoint, ratio`]: first / base,
  };
}

function middle(times: readonly number[]): number {
  const sorted = times.toSorted((a, b) => a - b).slice(times.length / 4, (times.length * 3) / 4);
  return sorted.reduce((sum, each) => sum + each, 0) / sorted.length;
}
