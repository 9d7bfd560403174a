import { createHash, createPublicKey } from 'node:crypto';
import type { EvidenceEntry, SessionManifest } from '#core/contracts/evidence.ts';
import { bundleFormat } from '#core/contracts/evidence.ts';
import { sealEntry } from '#core/evidence/chain.ts';
import { manifestHash } from '#core/evidence/session-manifest.ts';
import { type EntryLine, verifyBundle, verifyChain } from '#core/evidence/verify.ts';
import { copy, draft, drafts, otherKey, seal, sealedSession, trustedKey } from './sample.ts';

const noCheckpoint = 'checkpoints not checked: the bundle carries none';
const whole = sealedSession();
const bundleOf = async (change: (entries: EvidenceEntry[]) => EvidenceEntry[] = (entries) => entries) => {
  const { entries, manifest } = await whole;
  return { format: bundleFormat, manifest: copy(manifest), entries: change(copy(entries)), public_key: trustedKey };
};

/** Seals the same drafts again with one change, like a forger with write access but without the key. */
const forged = (index: number, change: Partial<(typeof drafts)[number]>) =>
  seal(drafts.map((each, n) => (n === index ? { ...each, ...change } : each))).entries;

test('[evidence.verify.offline] a complete bundle is valid with only the public key', async () => {
  const { manifest } = await whole;
  expect(await verifyBundle(await bundleOf(), trustedKey)).toEqual({
    valid: true,
    total_entries: 5,
    session_manifest_hash: manifest.session_manifest_hash,
    not_checked: [noCheckpoint],
  });
  expect(await verifyBundle(JSON.stringify(await bundleOf()), trustedKey)).toMatchObject({ valid: true });
  expect(await verifyBundle(Buffer.from(JSON.stringify(await bundleOf())), trustedKey)).toMatchObject({ valid: true });
});

describe('[evidence.verify.offline] the origin of a bundle', () => {
  test('without a trusted key the origin is reported as not checked', async () => {
    expect(await verifyBundle(await bundleOf())).toMatchObject({
      valid: true,
      not_checked: [noCheckpoint, 'origin not checked'],
    });
  });

  test('a bundle is rejected if the trusted key is a different one, whatever key the bundle contains', async () => {
    const verification = await verifyBundle(await bundleOf(), otherKey);
    expect(verification).toMatchObject({ valid: false, broken_link: { index: 5 }, not_checked: [noCheckpoint] });
    expect(verification.broken_link?.reason).toMatch(/signature/);
  });

  test('a signature that does not match the key in the bundle is still detected', async () => {
    const bundle = { ...(await bundleOf()), public_key: otherKey };
    expect(await verifyBundle(bundle)).toMatchObject({
      valid: false,
      not_checked: [noCheckpoint, 'origin not checked'],
    });
    const trusted = await verifyBundle(bundle, trustedKey);
    expect(trusted).toMatchObject({ valid: false, broken_link: { index: 5 } });
    expect(trusted.broken_link?.reason).toMatch(/public_key of the bundle/);
  });

  test('[evidence.verify.offline] the key in the bundle and the key id in the signature must match the signing key', async () => {
    const bundle = await bundleOf();
    expect(await verifyBundle({ ...bundle, public_key: `${bundle.public_key}\n` }, trustedKey)).toMatchObject({
      valid: true,
    });
    expect(await verifyBundle({ ...bundle, public_key: 'x' }, trustedKey)).toMatchObject({ valid: false });
    const named = (key_id: string) => ({
      ...bundle,
      manifest: { ...bundle.manifest, signature: { ...bundle.manifest.signature, key_id } },
    });
    const own = createHash('sha256')
      .update(createPublicKey(trustedKey).export({ type: 'spki', format: 'der' }))
      .digest('hex')
      .slice(0, 16);
    for (const key_id of [
      own,
      '1234abcd-12ab-34cd-56ef-1234567890ab',
      'mrk-1234abcd12ab34cd56ef1234567890ab',
      'arn:aws:kms:eu-central-1:1:key/x',
    ])
      expect(await verifyBundle(named(key_id), trustedKey)).toMatchObject({ valid: true });
    for (const key_id of ['0123456789abcdef', `${own.slice(0, 15)}g`, `${own}x`, `${own} `, '', 'other-key']) {
      const { valid, broken_link } = await verifyBundle(named(key_id), trustedKey);
      expect([valid, broken_link?.reason]).toEqual([false, expect.stringMatching(/key_id/)]);
    }
  });

  test('an invalid trusted key is reported', async () => {
    expect((await verifyBundle(await bundleOf(), 'ssh-ed25519 AAAA')).broken_link?.reason).toMatch(/not a P-256 key/);
  });
});

const foreign = (change: Partial<(typeof drafts)[number]>) =>
  seal(drafts.map((each) => ({ ...each, ...change }))).entries;

describe('[evidence.tampering] findings include their position', () => {
  test.each<[string, (entries: EvidenceEntry[]) => EvidenceEntry[], number, RegExp]>([
    ['a dropped tail', (e) => e.slice(0, 3), 3, /cut off: 3 entries .* names 5/],
    ['a dropped head', (e) => e.slice(2), 0, /entry 0 is missing/],
    ['two swapped', (e) => [e[0]!, e[2]!, e[1]!, e[3]!, e[4]!], 1, /entry 1 is missing/],
    ['one removed', (e) => e.toSpliced(2, 1), 2, /entry 2 is missing/],
    ['one twice', (e) => e.toSpliced(2, 0, e[1]!), 2, /entry 1 is repeated/],
    ['the last twice', (e) => [...e, e[4]!], 5, /repeated/],
    ['an empty list', () => [], 0, /cut off: 0 entries/],
    ['an entry of another session', (e) => e.with(2, foreign({ session_id: 's-2' })[2]!), 2, /another session/],
    ['an entry of another tenant', (e) => e.with(2, foreign({ tenant: 'acme' })[2]!), 2, /another tenant/],
    ['a forged result', (e) => e.with(3, forged(3, { body: { outcome: 'failed' } })[3]!), 4, /does not link/],
    ['a forged last entry', (e) => e.with(4, forged(4, { body: {} })[4]!), 4, /last entry is not the one/],
    ['a forged chain', () => forged(0, { body: {} }), 0, /first entry is not the one/],
    ['a forged entry and all after it', () => forged(2, { body: {} }), 4, /last entry is not the one/],
    [
      'one entry more than signed',
      (e) => [...e, sealEntry(draft('allow', {}, 6), seal(drafts).head)],
      5,
      /beyond the end/,
    ],
    [
      'an added field',
      (e) => e.with(1, { ...e[1]!, note: 1 } as EvidenceEntry),
      1,
      /field that entries do not have: "note"/,
    ],
    ['a field inside the body', (e) => e.with(3, { ...e[3]!, body: { outcome: 'failed' } }), 3, /altered/],
    ['the actor', (e) => e.with(0, { ...e[0]!, actor: { key_id: 'key-2' } }), 0, /altered/],
    ['the hash', (e) => e.with(0, { ...e[0]!, hash: 'a'.repeat(64) }), 0, /altered/],
    ['the link', (e) => e.with(2, { ...e[2]!, previous_hash: 'a'.repeat(64) }), 2, /does not link/],
    [
      'something that cannot be hashed',
      (e) => e.with(1, { ...e[1]!, body: { text: '\ud800' } }),
      1,
      /cannot be hashed/,
    ],
    ['something that is no entry', (e) => e.with(1, null as unknown as EvidenceEntry), 1, /not an entry/],
  ])('%s', async (_, change, index, reason) => {
    for (const key of [trustedKey, undefined]) {
      const verification = await verifyBundle(await bundleOf(change), key);
      expect(verification.valid).toBe(false);
      expect(verification.broken_link).toEqual({
        index,
        reason: expect.stringMatching(reason),
        ...(reason.source.startsWith('cut off') && { missing: 'end' }),
      });
      expect(verification.total_entries).toBe(change(copy((await whole).entries)).length);
    }
  });
});

describe('manifests that do not match their bundle', () => {
  type Change = Partial<Record<keyof SessionManifest, unknown>>;
  test.each<[string, Change]>([
    ['counts', { counts: { allow: 5 } }],
    ['policy_versions', { policy_versions: [3] }],
    ['credentials', { credentials: [] }],
    ['created_at', { created_at: '2026-01-02T03:04:06.678Z' }],
  ])(
    'a change to %s is detected by the hash and, after rehashing, by the signature and the entries',
    async (field, change) => {
      const { entries, manifest } = await whole;
      const bundle = { ...(await bundleOf()), manifest: { ...manifest, ...change } };
      const { broken_link } = await verifyBundle(bundle);
      expect(broken_link).toEqual({ index: 5, reason: expect.stringMatching(/manifest was altered/) });
      const altered = { ...manifest, ...change };
      altered.session_manifest_hash = manifestHash(altered);
      const signed = await verifyChain(entries, { manifest: altered, trustedPublicKey: trustedKey });
      expect(signed.broken_link).toEqual({ index: 5, reason: expect.stringMatching(/signature/) });
      const unsigned = await verifyChain(entries, { manifest: altered });
      expect(unsigned.broken_link).toEqual({ index: 5, reason: `the manifest disagrees with the entries on ${field}` });
    },
  );

  test.each([
    ['an extra field', { extra: 1 }],
    ['no gateway signature', { signature: undefined }],
    ['a negative total', { total_entries: -1 }],
  ])('%s: malformed', async (_, change) => {
    const bundle = await bundleOf();
    const verification = await verifyBundle({ ...bundle, manifest: { ...bundle.manifest, ...change } }, trustedKey);
    expect(verification.broken_link).toEqual({ index: 5, reason: expect.stringMatching(/malformed/) });
    expect(verification.not_checked).toEqual([noCheckpoint, 'origin not checked']);
  });

  test('a broken entry is reported before the manifest', async () => {
    const bundle = await bundleOf((entries) => entries.toSpliced(1, 1));
    const verification = await verifyBundle({ ...bundle, manifest: { ...bundle.manifest, tenant: 'x' } }, trustedKey);
    expect(verification.broken_link?.index).toBe(1);
  });
});

describe('hostile bundles return a result and never throw', () => {
  const deep = '[{"a":'.repeat(50_000);
  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['a number', 7],
    ['a list', []],
    ['an empty object', {}],
    ['text that is no JSON', '{"format":'],
    ['deep nesting', deep],
    ['bytes that are no UTF-8', Uint8Array.of(0xff, 0xfe)],
    ['no entries and an empty manifest', { format: bundleFormat, manifest: {}, entries: [], public_key: '' }],
  ])('%s', async (_, bundle) => {
    const verification = await verifyBundle(bundle);
    expect(verification).toMatchObject({ valid: false, broken_link: { index: 0 } });
    expect(verification.not_checked).toContain('origin not checked');
  });

  test('a duplicate key in the text is detected, although parsing would hide it', async () => {
    const text = JSON.stringify(await bundleOf()).replace('"outcome":', '"outcome":"failed","outcome":');
    expect(text).toContain('"failed"');
    expect((await verifyBundle(text, trustedKey)).broken_link?.reason).toMatch(/twice/);
  });

  test('an object nested so deeply that hashing overflows the stack', async () => {
    let body: Record<string, unknown> = {};
    for (let level = 0; level < 100_000; level++) body = { body };
    const bundle = await bundleOf((entries) => entries.with(1, { ...entries[1]!, body }));
    expect((await verifyBundle(bundle)).broken_link).toEqual({
      index: 1,
      reason: expect.stringMatching(/cannot be hashed/),
    });
  });
});

describe('chains without a manifest', () => {
  test('a stored head reveals a truncated end; without head and manifest, completeness is reported as not checked', async () => {
    const { entries, head } = seal(drafts);
    expect(await verifyChain(entries, { head })).toMatchObject({ valid: true, not_checked: ['origin not checked'] });
    expect(await verifyChain(entries.slice(0, 2), { head })).toMatchObject({ valid: false, broken_link: { index: 2 } });
    const open = await verifyChain(entries.slice(0, 2));
    expect(open.valid).toBe(true);
    expect(open.not_checked).toEqual(['origin not checked', expect.stringMatching(/^completeness not checked/)]);
    expect(await verifyChain([])).toMatchObject({ valid: false, broken_link: { index: 0 } });
  });

  test('the manifest hash is computed from the entries', async () => {
    const { entries, head, manifest } = await whole;
    expect((await verifyChain(entries, { head })).session_manifest_hash).toBe(manifest.session_manifest_hash);
  });

  test.each([
    ['counts', { counts: {} }, 5],
    ['policy_versions', { policy_versions: [] }, 5],
    ['updated_at', { updated_at: '' }, 5],
  ])('a head with different %s is reported as a mismatch', async (field, change, index) => {
    const { entries, head } = seal(drafts);
    const reason = `the stored head disagrees with the entries on ${field}`;
    expect((await verifyChain(entries, { head: { ...head, ...change } })).broken_link).toEqual({ index, reason });
  });
});

test('[evidence.tampering] entries are listed up to the first broken one, in terminal-safe text', async () => {
  const lines: EntryLine[] = [];
  const { entries } = seal(drafts);
  const hostile = { ...entries[2]!, timestamp: '\u001b[2J\u202e', envelope_id: 7 };
  await verifyChain(entries.with(2, hostile as unknown as EvidenceEntry), { onEntry: (line) => lines.push(line) });
  expect(lines.map(({ index, ok }) => [index, ok])).toEqual([
    [0, true],
    [1, true],
    [2, false],
  ]);
  expect(lines[2]).toMatchObject({ timestamp: '\\u{1b}[2J\\u{202e}', envelope_id: '', reason: expect.any(String) });
});

test.each<[string, object, string]>([
  ['no entries', { entries: undefined }, 'the bundle contains no list of entries'],
  ['entries that are an object', { entries: {} }, 'the bundle contains no list of entries'],
  ['no key', { public_key: undefined }, 'the bundle contains no public_key'],
  ['no manifest', { manifest: undefined }, 'the bundle contains no manifest'],
  ['a manifest that is null', { manifest: null }, 'the bundle contains no manifest'],
  ['a manifest that is a text', { manifest: 'm' }, 'the bundle contains no manifest'],
  ['successions that are no list', { successions: {} }, 'the bundle contains no list of successions'],
  ['a member of its own', { note: 1 }, 'the bundle contains a field that bundles do not have: "note"'],
  ['another format', { format: 'x' }, `the bundle's format is not ${bundleFormat}`],
])(
  '[evidence.verify.offline] a bundle with %s is reported as invalid, with the reason',
  async (_what, over, reason) => {
    const verification = await verifyBundle({ ...(await bundleOf()), ...over }, trustedKey);
    expect([verification.valid, verification.broken_link?.reason]).toEqual([false, reason]);
  },
);
