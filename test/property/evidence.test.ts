/** Properties of the chain: verification finds every change at its position. */
import fc from 'fast-check';
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { bundleFormat } from '#core/contracts/evidence.ts';
import { verifyBundle, verifyChain } from '#core/evidence/verify.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { parseStrict } from '#core/kernel/json.ts';
import { redact } from '#core/text/secrets/redact.ts';
import { secretRanges } from '#core/text/secrets/secret-formats.ts';
import { copy, draft, seal, sealedSession, trustedKey } from '../unit/evidence/sample.ts';

const body = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), {
  maxKeys: 4,
});
const kind = fc.constantFrom<EntryDraft['kind']>('allow', 'review', 'approve', 'result', 'chat');
const sessionOf = (minLength: number) =>
  fc.array(fc.tuple(kind, body), { minLength, maxLength: 6 }).map((list) => list.map(([k, b], n) => draft(k, b, n)));

const runs = { numRuns: 60 };

test('[evidence.chain] sealed entries can be verified in any session', async () => {
  await fc.assert(
    fc.asyncProperty(sessionOf(1), async (drafts) => {
      const { entries, manifest, head } = await sealedSession(drafts);
      const verification = await verifyChain(copy(entries), { manifest, head, trustedPublicKey: trustedKey });
      expect(verification).toMatchObject({ valid: true, total_entries: drafts.length, not_checked: [] });
    }),
    runs,
  );
});

test('[evidence.tampering] any changed character in a bundle is detected, unless it changes no signed content', async () => {
  const { entries, manifest } = await sealedSession();
  const document = { format: bundleFormat, manifest, entries, public_key: trustedKey };
  const text = JSON.stringify(document);
  const signed = canonicalize({ ...document, public_key: '', manifest: { ...manifest, signature: '' } });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(text.length - 1),
      fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 1 }),
      async (at, char) => {
        const altered = text.slice(0, at) + char + text.slice(at + 1);
        const { valid } = await verifyBundle(altered, trustedKey);
        if (!valid) return;
        const { public_key: _key, ...rest } = parseStrict(altered, {
          nesting: 80,
          numbers: 'double',
        }) as unknown as typeof document;
        const { signature, ...bare } = rest.manifest;
        expect(canonicalize({ ...rest, public_key: '', manifest: { ...bare, signature: '' } })).toBe(signed);
        expect(signature.value).toBe(manifest.signature.value);
      },
    ),
    { numRuns: 400 },
  );
});

/** Returns the path of every value in a document. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => places(item, [...path, key]))];
}

test('[evidence.tampering] any changed field of an entry is detected at its index', async () => {
  const { entries, manifest } = await sealedSession();
  await fc.assert(
    fc.asyncProperty(
      fc.nat(entries.length - 1),
      fc.nat(),
      fc.jsonValue({ maxDepth: 1 }),
      async (index, pick, other) => {
        const altered = copy(entries);
        const all = places(altered[index]).filter((path) => path.length > 0);
        const path = all[pick % all.length]!;
        let holder = altered[index] as unknown as Record<string | number, unknown>;
        for (const key of path.slice(0, -1)) holder = holder[key] as typeof holder;
        const last = path.at(-1)!;
        fc.pre(canonicalize(holder[last]) !== canonicalize(other));
        holder[last] = other;
        const { valid, broken_link } = await verifyChain(altered, { manifest, trustedPublicKey: trustedKey });
        expect([valid, broken_link?.index]).toEqual([false, index]);
      },
    ),
    { numRuns: 300 },
  );
});

test('[evidence.tampering] any removed entry is detected at its position', async () => {
  await fc.assert(
    fc.asyncProperty(sessionOf(2), fc.nat(), fc.nat(), async (drafts, from, count) => {
      const { entries, manifest } = await sealedSession(drafts);
      const start = from % entries.length;
      const removed = 1 + (count % (entries.length - start));
      const cut = entries.toSpliced(start, removed);
      const { valid, broken_link } = await verifyChain(cut, { manifest, trustedPublicKey: trustedKey });
      expect([valid, broken_link?.index]).toEqual([false, start]);
    }),
    runs,
  );
});

test('[evidence.tampering] any swap or repetition is detected at its first position', async () => {
  await fc.assert(
    fc.asyncProperty(sessionOf(2), fc.nat(), fc.nat(), async (drafts, a, b) => {
      const { entries, manifest } = await sealedSession(drafts);
      const [low, high] = [a % entries.length, b % entries.length].sort((x, y) => x - y) as [number, number];
      const changed =
        low === high
          ? entries.toSpliced(low + 1, 0, entries[low]!)
          : entries.with(low, entries[high]!).with(high, entries[low]!);
      const { valid, broken_link } = await verifyChain(changed, { manifest, trustedPublicKey: trustedKey });
      expect([valid, broken_link?.index]).toEqual([false, low === high ? low + 1 : low]);
    }),
    runs,
  );
});

test("[evidence.tampering] another session's or tenant's entry is found wherever it is put", async () => {
  await fc.assert(
    fc.asyncProperty(sessionOf(2), fc.nat(), fc.boolean(), async (drafts, at, tenant) => {
      const { entries, manifest } = await sealedSession(drafts);
      const index = at % entries.length;
      const move = (each: EntryDraft): EntryDraft => ({
        ...each,
        ...(tenant ? { tenant: 'acme' } : { session_id: 's-2' }),
      });
      const foreign = seal(drafts.map(move)).entries;
      const { broken_link } = await verifyChain(entries.with(index, foreign[index]!), { manifest });
      expect(broken_link).toEqual({ index, reason: expect.stringMatching(/another (tenant|session)/) });
    }),
    runs,
  );
});

test('verification returns a result for any input', async () => {
  await fc.assert(
    fc.asyncProperty(fc.anything(), fc.array(fc.anything()), async (bundle, entries) => {
      expect((await verifyBundle(bundle)).valid).toBe(false);
      const odd = { format: bundleFormat, manifest: bundle, entries, public_key: trustedKey };
      expect((await verifyBundle(odd, trustedKey)).valid).toBe(false);
      expect((await verifyChain(entries as EvidenceEntry[])).valid).toBe(false);
    }),
    { numRuns: 200 },
  );
});

test('[evidence.secrets-redacted] no secret survives redaction, however deeply nested or surrounded by text', () => {
  const alphabet = fc.constantFrom(...'ABCDEFGHJKLMNPQRSTUVWXYZ23456789');
  const random = (length: number) => fc.string({ unit: alphabet, minLength: length, maxLength: length });
  const token = fc.oneof(
    random(16).map((text) => `AKIA${text}`),
    random(36).map((text) => `ghp_${text}`),
    random(24).map((text) => `xoxb-${text}`),
    fc.tuple(random(20), random(20), random(20)).map(([a, b, c]) => `eyJ${a}.${b}.${c}`),
    random(40).map((text) => `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`),
  );
  const holder = fc.constantFrom('password', 'Api-Key', 'clientSecret', 'note', 'list', '__proto__');
  const around = fc.string({ unit: fc.constantFrom(...' .,:;\'"(){}\n='), maxLength: 5 });
  let count = 0;
  const randomHex = (bytes: number) => (++count).toString(16).padStart(bytes * 2, '0');
  fc.assert(
    fc.property(
      token,
      fc.array(holder, { maxLength: 4 }),
      around,
      around,
      fc.jsonValue(),
      (secret, path, before, after, other) => {
        let value: unknown = `${before}${secret}${after}`;
        for (const key of path) value = key === 'list' ? [other, value] : Object.fromEntries([[key, value]]);
        const { value: clean, withheld, salts } = redact({ value }, { sensitivePaths: [], randomHex });
        const core = secret.replace(/^-+BEGIN PRIVATE KEY-+\n|\n-+END PRIVATE KEY-+$/g, '');
        expect(JSON.stringify([clean, withheld])).not.toContain(core);
        expect(withheld.length).toBeGreaterThan(0);
        for (const { salt } of salts) expect(salt).toHaveLength(32);
      },
    ),
    { numRuns: 300 },
  );
});

test('redaction leaves text without secrets unchanged', () => {
  const plain = fc.jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom('a', 'b', ' ', '/', '.', '7') });
  fc.assert(
    fc.property(plain, (value) => {
      const randomHex = () => '00';
      expect(redact(value, { sensitivePaths: [], randomHex })).toEqual({ value, salts: [], withheld: [] });
    }),
    { numRuns: 200 },
  );
});

test('text skipped as harmless contains no secrets', () => {
  const piece = fc.constantFrom(
    ...'eyJ . - / _ = : a f0 Z9 sk- sk-live xoxb- AKIA ghp_ token Bearer'.split(' '),
    ' ',
    '\n',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('');
      // After a line break, the same text is scanned in full.
      const whole = secretRanges(`\n${text}`).map(([start, end]) => [start - 1, end - 1]);
      expect(secretRanges(text)).toEqual(whole);
    }),
    { numRuns: 3000 },
  );
});
