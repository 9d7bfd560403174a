/** The local archive stores every session that a caller may name, and every character that a call may contain. */
import { appendFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { fileNameOf } from '#adapters/local/file-names.ts';
import { folderArchive } from '#adapters/local/folder-archive.ts';
import { isSession } from '#core/contracts/envelope.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { entryHash } from '#core/evidence/chain.ts';
import { textOfEntry } from '#core/evidence/entry-text.ts';
import { byteLines } from '#core/kernel/byte-lines.ts';
import { archivedHashes } from '../support/archived-hashes.ts';
import { codePoint } from '../support/code-point.ts';
import { sampleEntry } from '../unit/observatory/sample.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'archive-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-'];
const sessions = fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: 128 }).filter(isSession);

/** Builds the chain of a session whose calls contain this text. */
function chainOf(session_id: string, texts: readonly string[], tenant = 'default'): EvidenceEntry[] {
  const entries: EvidenceEntry[] = [];
  for (const [index, text] of texts.entries()) {
    const body = { ...sampleEntry(index).body, parameters: { text } };
    const entry = { ...sampleEntry(index, { tenant, session_id, body }), previous_hash: entries.at(-1)?.hash ?? '' };
    entries.push({ ...entry, hash: entryHash(entry) });
  }
  return entries;
}

async function readBack(archive: ReturnType<typeof folderArchive>, session: string, tenant = 'default') {
  const found: EvidenceEntry[] = [];
  for await (const entry of archive.entries(tenant, session, 0)) found.push(entry);
  return found;
}

test('[evidence.archive] the file name for any session is valid on every file system', () => {
  fc.assert(
    fc.property(sessions, sessions, (one, other) => {
      expect(fileNameOf(one)).toMatch(/^[a-z0-9_][a-z0-9._-]{0,127}$|^[-_][a-z0-9_-]*\.[0-9a-f]{64}$/);
      expect(Buffer.byteLength(`${fileNameOf(one)}.jsonl`)).toBeLessThan(144);
      expect(fileNameOf(one).toLowerCase() === fileNameOf(other).toLowerCase()).toBe(one === other);
    }),
  );
  for (const character of alphabet) expect(fileNameOf(character.repeat(128)).length).toBeLessThanOrEqual(128);
  expect(fileNameOf('A')).not.toBe(fileNameOf('a').toUpperCase());
  expect(fileNameOf('s-1')).toBe('s-1');
});

test('[evidence.archive] every session is archived and can be read back', async () => {
  const archive = folderArchive(folder);
  const all = ['A', 'a', '..a', 'a:b.c-1', 'feature.login:2026', ...alphabet.map((each) => each.repeat(128))];
  for (const session of all.filter(isSession)) {
    const entries = chainOf(session, ['x', 'y']);
    await archive.keep(entries);
    expect(await readBack(archive, session)).toEqual(entries);
  }
});

test('[evidence.archive] a session reads only its own entries from its file', async () => {
  const [own, other] = [chainOf('a', ['1', '2']), chainOf('b', ['3', '4'])];
  await mkdir(join(folder, 'default'));
  const mixed = [own[0]!, other[0]!, own[1]!, other[1]!].map((entry) => `${textOfEntry(entry)}\n`).join('');
  await appendFile(join(folder, 'default', 'a.jsonl'), mixed);
  expect(await readBack(folderArchive(folder), 'a')).toEqual(own);
});

test('[evidence.archive] any text in a call can be read back, and so can the entries after it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: codePoint }), { minLength: 1, maxLength: 6 }), async (texts) => {
      const own = await mkdtemp(join(folder, 'run-'));
      const entries = chainOf('s', texts);
      const archive = folderArchive(own);
      for (const entry of entries) await archive.keep([entry]);
      expect(await readBack(archive, 's')).toEqual(entries);
      expect((await archivedHashes(archive, 'default', 's')).size).toBe(entries.length);
    }),
    { numRuns: 25 },
  );
  const separators = ['\u2028', '\u2029', '\u0085', '\v', '\f', '\r', '\r\n', '\n', '\u0000', 'é', '🔑'];
  const entries = chainOf('t', [...separators, ...separators.map((each) => `${each}x${each}`)]);
  const archive = folderArchive(folder);
  for (const entry of entries) await archive.keep([entry]);
  expect(await readBack(folderArchive(folder), 't')).toEqual(entries);
});

test('[evidence.archive] every character but "\\n" stays within its line, however the bytes are cut', async () => {
  const all = Array.from({ length: 0x110000 }, (_, code) => code)
    .filter((code) => code !== 10 && (code < 0xd800 || code > 0xdfff))
    .map((code) => String.fromCodePoint(code))
    .join('');
  const source = Buffer.from(`${all}\n${all}\nrest`);
  async function* pieces() {
    for (let at = 0; at < source.length; at += 65_537) yield source.subarray(at, at + 65_537);
  }
  const lines = [];
  for await (const line of byteLines(pieces())) lines.push(line);
  expect(lines.map(({ text }) => text === all)).toEqual([true, true, false]);
  expect(lines.map(({ bytes, whole }) => ({ bytes, whole }))).toEqual([
    { bytes: Buffer.byteLength(all) + 1, whole: true },
    { bytes: Buffer.byteLength(all) + 1, whole: true },
    { bytes: 4, whole: false },
  ]);
});
