import { createHash } from 'node:crypto';
import { sessionBundleSchema, sessionManifestSchema } from '#core/contracts/evidence.ts';
import { bundleChunks, firstEntries } from '#core/evidence/bundle.ts';
import { verifyLive } from '#core/evidence/live.ts';
import { manifestBytes, manifestOf } from '#core/evidence/session-manifest.ts';
import { BrokenChain, signedManifest } from '#core/evidence/sign.ts';
import { signatureDefect } from '#core/evidence/signature.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import {
  copy,
  draft,
  drafts,
  memoryManifests,
  otherKey,
  seal,
  sealedSession,
  signer,
  textOf,
  trustedKey,
} from './sample.ts';

async function* stream<T>(items: readonly T[]): AsyncIterable<T> {
  yield* items;
}

test('[evidence.manifest] the manifest summarises the session', async () => {
  const { manifest, entries } = await sealedSession();
  expect(sessionManifestSchema.parse(manifest)).toEqual(manifest);
  expect(manifest).toMatchObject({
    session_id: 's-1',
    tenant: 'default',
    total_entries: 5,
    first_hash: entries[0]!.hash,
    last_hash: entries[4]!.hash,
    counts: { review: 1, approve: 1, allow: 1, result: 1, credential: 1 },
    policy_versions: [3, 4],
    created_at: entries[4]!.timestamp,
    signature: { alg: 'ECDSA_P256_SHA256', key_id: '1234abcd-12ab-34cd-56ef-1234567890ab' },
  });
});

test('[evidence.secrets-redacted] each credential is listed once, with only its id, type and scope', async () => {
  const value = { credential: { id: 'c-2', type: 't', scope: 's', secret: 'never' } };
  const { manifest } = await sealedSession([...drafts, draft('result', value, 6), draft('allow', value, 7)]);
  expect(manifest.credentials).toEqual([
    { id: 'cred-1', type: 'scm_app_jwt', scope: 'pull_requests:write,contents:read' },
    { id: 'c-2', type: 't', scope: 's' },
  ]);
});

test('golden: the manifest format cannot change unnoticed', () => {
  const { head } = seal(drafts);
  expect(manifestOf(head, []).session_manifest_hash).toMatchInlineSnapshot(
    `"a0d5bc3464e86cc94f765222af39f25810496f76caeed8b5898721bf5a9c043e"`,
  );
});

test('[evidence.manifest] the hash and the signature cover 0x01 and the canonical manifest', async () => {
  const { manifest } = await sealedSession();
  const { session_manifest_hash, signature, ...rest } = manifest;
  const bytes = Buffer.concat([Buffer.of(1), Buffer.from(canonicalize(rest))]);
  expect(Buffer.from(manifestBytes(manifest))).toEqual(bytes);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(session_manifest_hash);
  expect(signatureDefect(manifest, trustedKey)).toBeUndefined();
  expect(signatureDefect(manifest, otherKey)).toMatch(/does not match these bytes and this public key/);
  const spelled = { ...manifest, signature: { ...signature, value: `${signature.value}\n` } };
  expect(signatureDefect(spelled, trustedKey)).toMatch(/canonical base64/);
  expect(signatureDefect(manifest, 'no key')).toMatch(/not a P-256 key/);
});

describe('signing', () => {
  test('[evidence.manifest] happens only once for the same session and last hash', async () => {
    const { head, entries } = seal(drafts);
    const store = memoryManifests();
    let signatures = 0;
    const counting = { ...signer, sign: (message: Uint8Array) => signer.sign(message).finally(() => signatures++) };
    const first = await signedManifest(head, entries, counting, store);
    expect(await signedManifest(head, entries, counting, store)).toBe(first);
    expect(signatures).toBe(1);
    expect(store.kept.size).toBe(1);
  });

  test('concurrent readers get the manifest that was stored', async () => {
    const { head, entries } = seal(drafts);
    const store = memoryManifests();
    const [a, b] = await Promise.all([
      signedManifest(head, entries, signer, store),
      signedManifest(head, entries, signer, store),
    ]);
    expect(a).toBe(b);
  });

  test('covers the head, not later entries', async () => {
    const { head } = seal(drafts.slice(0, 3));
    const manifest = await signedManifest(head, seal(drafts).entries, signer, memoryManifests());
    expect(manifest.total_entries).toBe(3);
  });

  test('is refused for a chain that does not end at its head', async () => {
    const { head, entries } = seal(drafts);
    const altered = copy(entries);
    altered[2]!.body.target = 'acme/other';
    for (const broken of [altered, entries.slice(0, 3), []]) {
      const store = memoryManifests();
      await expect(signedManifest(head, broken, signer, store)).rejects.toThrow(BrokenChain);
      expect(store.kept.size).toBe(0);
    }
  });
});

describe('live verification', () => {
  const live = (session: ReturnType<typeof seal>, entries = session.entries) =>
    verifyLive({ head: session.head, entries: () => stream(entries), signer, sessionManifests: memoryManifests() });

  test('[evidence.verify.live] a missing last entry is reported as a result, not as an error', async () => {
    const session = seal(drafts);
    const { verification, manifest } = await live(session, session.entries.slice(0, 4));
    expect(verification).toMatchObject({ valid: false, broken_link: { index: 4 } });
    expect(manifest).not.toHaveProperty('signature');
  });

  test('a store error is passed on to the caller', async () => {
    const { head } = seal(drafts);
    const failing = (): AsyncIterable<never> => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('throttled')) }),
    });
    const session = { head, entries: failing, signer, sessionManifests: memoryManifests() };
    await expect(verifyLive(session)).rejects.toThrow('throttled');
  });
});

describe('export', () => {
  test('[evidence.export] the bundle is one JSON document with format, manifest, entries and key', async () => {
    const { manifest, entries } = await sealedSession();
    const bundle = JSON.parse(await textOf(bundleChunks(manifest, stream(entries), trustedKey)));
    expect(Object.keys(bundle)).toEqual(['format', 'manifest', 'entries', 'public_key']);
    expect(sessionBundleSchema.parse(bundle)).toEqual({ ...bundle, manifest, entries, public_key: trustedKey });
  });

  test('[evidence.large-sessions] the bundle is streamed while entries are still being read', async () => {
    const long = Array.from({ length: 600 }, (_, n) => draft('allow', { note: 'x'.repeat(200), n }, n));
    const { manifest, entries } = await sealedSession(long);
    let read = 0;
    const counted = async function* () {
      for (const entry of entries) {
        read++;
        yield entry;
      }
    };
    const sizes: number[] = [];
    const readAt: number[] = [];
    for await (const chunk of bundleChunks(manifest, counted(), trustedKey)) {
      sizes.push(chunk.length);
      readAt.push(read);
    }
    expect(sizes.length).toBeGreaterThan(2);
    expect(readAt[0]).toBeLessThan(600);
    expect(Math.max(...sizes)).toBeLessThan(70_000);
  });

  test('entries added after the manifest are omitted, and the source is closed', async () => {
    let closed = false;
    const endless = async function* () {
      try {
        for (let n = 0; ; n++) yield n;
      } finally {
        closed = true;
      }
    };
    const taken: number[] = [];
    for await (const n of firstEntries(endless(), 3)) taken.push(n);
    expect(taken).toEqual([0, 1, 2]);
    expect(closed).toBe(true);
  });
});
