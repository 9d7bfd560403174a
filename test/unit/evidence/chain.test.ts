import { createHash } from 'node:crypto';
import { evidenceEntrySchema } from '#core/contracts/evidence.ts';
import { advanceHead, entryHash, entryTextHash, sealEntry, seal as sealed } from '#core/evidence/chain.ts';
import { shapeDefect } from '#core/evidence/entry-shape.ts';
import { textOfEntry } from '#core/evidence/entry-text.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { draft, drafts, seal } from './sample.ts';

test('[evidence.chain] each entry links to the previous one, starting with an empty link', () => {
  const { entries } = seal(drafts);
  expect(entries.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
  expect(entries.map(({ previous_hash }) => previous_hash)).toEqual([
    '',
    ...entries.slice(0, -1).map(({ hash }) => hash),
  ]);
  for (const entry of entries) expect(evidenceEntrySchema.safeParse(entry).success).toBe(true);
});

test('[evidence.chain] the hash is SHA-256 over 0x00 and the canonical entry without its hash', () => {
  const [entry] = seal(drafts).entries;
  const { hash, ...rest } = entry!;
  const bytes = Buffer.concat([Buffer.of(0), Buffer.from(canonicalize(rest))]);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
  expect(entryHash(entry!)).toBe(hash);
});

test.each([
  [{}],
  [{ b: { d: 1, c: [{ z: 0, a: null }] }, a: 'é' }],
  [{ 10: 'ten', 9: 'nine', x: undefined }],
  [JSON.parse('{"__proto__":{"x":1},"hash":"the own member"}') as Record<string, unknown>],
])('[evidence.chain] the stored text of a sealed entry is its canonical text (%j)', (body) => {
  const { entry, text } = sealed(draft('allow', body, 1), undefined);
  expect(text).toBe(canonicalize(entry));
  expect(textOfEntry(entry)).toBe(text);
  expect(textOfEntry({ ...entry, index: 9 })).toBe(canonicalize({ ...entry, index: 9 }));
  expect(entryHash(entry)).toBe(entry.hash);
  expect(entryTextHash(text, entry.hash)).toBe(entry.hash);
});

test('[evidence.chain] the hash of an entry’s text equals the hash of its fields, even if the entry was altered', () => {
  const entry = sealEntry(draft('allow', { hash: 'x', n: 1 }, 1), undefined);
  for (const altered of [{ index: 9 }, { body: { hash: entry.hash, n: 1 } }, { tenant: `"hash":"${entry.hash}",` }]) {
    const forged = { ...entry, ...altered };
    expect(entryTextHash(textOfEntry(forged), forged.hash)).toBe(entryHash(forged));
    expect(entryHash(forged)).not.toBe(entry.hash);
  }
  expect(entryTextHash(textOfEntry(entry), 'another')).toBeUndefined();
  expect(entryTextHash(textOfEntry({ ...entry, later: { hash: entry.hash, n: 1 } } as never), entry.hash)).not.toBe(
    entry.hash,
  );
});

test('golden: a change to the entry format does not go unnoticed', () => {
  const { entries } = seal(drafts);
  expect(entries.map(({ hash }) => hash)).toMatchInlineSnapshot(`
[
  "716a2273a04dd1994fe60442668a7628d0a10ffd6fe18fad03e83c2f3c9bc26d",
  "dae61ce048e4987702d42f2ed6ec063a4186ae3dc7ea72274e793985115d3f7d",
  "db52d0d2015ae69aa5fd299465b3c328577fda3c020c5af2f590cecddfe9c65d",
  "8c5a5c4f4cdc07dc2745f2401dbcae27b5df19a87162090811864c1795eae0f4",
  "9781f54b8debdc98b831cb0a954048c57d8f78145d9832bef417bacd0fa03944",
]
`);
});

test('a sealed entry is plain JSON and shares nothing with its draft', () => {
  const parameters: Record<string, unknown> = { list: [1, undefined], gone: undefined };
  const entry = sealEntry(draft('allow', { parameters }, 1), undefined);
  parameters.list = 'changed later';
  expect(entry.body).toStrictEqual({ parameters: { list: [1, null] } });
  expect(JSON.parse(JSON.stringify(entry))).toStrictEqual(entry);
  expect(entryHash(entry)).toBe(entry.hash);
});

test('unknown members of a draft are not copied', () => {
  const entry = sealEntry({ ...draft('allow', {}, 1), hash: 'x', extra: 1 } as ReturnType<typeof draft>, undefined);
  expect(evidenceEntrySchema.safeParse(entry).success).toBe(true);
});

test('a member called __proto__ is kept in the entry', () => {
  const entry = sealEntry(draft('allow', { parameters: JSON.parse('{"__proto__":{"x":1}}') }, 1), undefined);
  expect(JSON.stringify(entry.body)).toBe('{"parameters":{"__proto__":{"x":1}}}');
});

test.each([[{ at: new Date(0) }], [{ n: Number.NaN }], [{ text: '\ud800' }]])('%j cannot be sealed', (body) => {
  expect(() => sealEntry(draft('allow', body, 1), undefined)).toThrow(TypeError);
});

test('the head counts entry kinds, collects policy versions and records the owner who opened the session', () => {
  const { entries, head } = seal(drafts, 'key-opener');
  expect(head).toEqual({
    tenant: 'default',
    session_id: 's-1',
    owner_key: 'key-opener',
    total_entries: 5,
    first_hash: entries[0]!.hash,
    last_hash: entries[4]!.hash,
    counts: { review: 1, approve: 1, allow: 1, result: 1, credential: 1 },
    policy_versions: [3, 4],
    opened_at: entries[0]!.timestamp,
    updated_at: entries[4]!.timestamp,
  });
  const later = sealEntry(draft('block', { policy_version: 1 }, 6), head);
  expect(advanceHead(head, later, 'somebody else')).toMatchObject({
    owner_key: 'key-opener',
    policy_versions: [1, 3, 4],
  });
});

test.each([['3'], [3.5], [null]])('policy_version %j is not collected', (policy_version) => {
  expect(seal([draft('allow', { policy_version }, 1)]).head.policy_versions).toEqual([]);
});

test('a session without an owner has a head without an owner', () => {
  const entry = sealEntry(drafts[0]!, undefined);
  expect(advanceHead(undefined, entry)).not.toHaveProperty('owner_key');
});

describe('the hand-written shape check agrees with the schema', () => {
  const good = seal(drafts).entries[1]!;
  const { actor: _actor, ...without } = good;
  test.each([
    ['an entry', good],
    ['version 2', { ...good, version: 2 }],
    ['index -1', { ...good, index: -1 }],
    ['index 1.5', { ...good, index: 1.5 }],
    ['an unknown kind', { ...good, kind: 'maybe' }],
    ['a numeric tenant', { ...good, tenant: 1 }],
    ['an upper-case hash', { ...good, hash: good.hash.toUpperCase() }],
    ['a hash with a line feed', { ...good, hash: `${good.hash}\n` }],
    ['an empty hash', { ...good, hash: '' }],
    ['an empty previous hash', { ...good, previous_hash: '' }],
    ['a body that is a list', { ...good, body: [] }],
    ['no body', { ...good, body: null }],
    ['no actor', without],
    ['an actor with more', { ...good, actor: { key_id: 'k', role: 'admin' } }],
    ['an actor without key', { ...good, actor: { agent: 'a' } }],
    ['an actor that is a list', { ...good, actor: [] }],
    ['a numeric person', { ...good, actor: { key_id: 'k', person: 1 } }],
    ['one more field', { ...good, extra: 1 }],
    ['a list', [good]],
    ['null', null],
    ['text', 'entry'],
  ])('%s', (_, value) => {
    expect(shapeDefect(value) === undefined).toBe(evidenceEntrySchema.safeParse(value).success);
  });
});
