/** The checkpoint file survives restarts, and tampering is detected or reported. */
import {
  appendFile,
  type FileHandle,
  mkdtemp,
  open as openFile,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkpointFile } from '#adapters/local/checkpoint-file.ts';
import { readCheckpoints } from '#adapters/local/checkpoint-lines.ts';
import { folderArchive } from '#adapters/local/folder-archive.ts';
import type { ChainPoint } from '#core/contracts/evidence.ts';
import { sessionCheckpointDefect } from '#core/evidence/checkpoint.ts';
import { archivedHashes } from '../../support/archived-hashes.ts';
import { otherKey, sealedSession, signer, trustedKey } from './sample.ts';

let folder: string;
let path: string;
const clock = { now: () => Date.UTC(2026, 0, 1) };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'checkpoints-'));
  path = join(folder, 'checkpoints.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () => checkpointFile({ path, signer, publicKeys: [trustedKey], clock });
const point = (session_id: string, index: number, tenant = 't'): ChainPoint => ({
  tenant,
  session_id,
  index,
  hash: String(index).padStart(2, '0').repeat(32),
});

/** Writes five checkpoints, the third of which covers three sessions. */
async function written(): Promise<string[]> {
  const file = await open();
  await file.append([point('a', 0)]);
  await file.append([point('a', 1)]);
  await file.append([point('a', 2), point('b', 0), point('a', 0, 'u')]);
  await file.append([point('b', 1)]);
  await file.append([point('a', 3)]);
  await file.close();
  return (await readFile(path, 'utf8')).split('\n').slice(0, -1);
}

describe('[evidence.checkpoint] the checkpoint file', () => {
  test('each session’s newest checkpoint and its proof survive a restart', async () => {
    await written();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const file = await open();
    expect(await file.damage()).toBeUndefined();
    expect(await file.last('t', 'a')).toEqual({
      point: point('a', 3),
      created_at: '2026-01-01T00:00:00.000Z',
      key_id: '1234abcd-12ab-34cd-56ef-1234567890ab',
    });
    expect(await file.last('u', 'a')).toMatchObject({ point: point('a', 0, 'u') });
    expect(await file.last('t', 'c')).toBeUndefined();
    expect(await file.proof('t', 'c')).toBeUndefined();
    for (const [tenant, id] of [
      ['t', 'a'],
      ['t', 'b'],
      ['u', 'a'],
    ] as const) {
      expect(sessionCheckpointDefect(await file.proof(tenant, id), trustedKey)).toBeUndefined();
      expect(sessionCheckpointDefect(await file.proof(tenant, id), otherKey)).toMatch(/signature fails/);
    }
    expect(await file.sessions('t', { limit: 1 })).toEqual({ items: ['a'], cursor: '1' });
    expect(await file.sessions('t', { limit: 1, cursor: '1' })).toEqual({ items: ['b'] });
    await file.close();
  });

  test('drops a line truncated by a crash, and continues after the last complete one', async () => {
    const lines = await written();
    await appendFile(path, lines[4]!.slice(0, 40));
    const file = await open();
    expect(await file.damage()).toBeUndefined();
    await file.append([point('a', 4)]);
    await file.close();
    const again = await open();
    expect([await again.damage(), (await again.last('t', 'a'))?.point.index]).toEqual([undefined, 4]);
    await again.close();
  });

  test('starts a new line after a full disk has truncated one', async () => {
    const file = await open();
    await file.append([point('a', 0)]);
    await fillDisk(() => file.append([point('a', 1)]));
    await file.append([point('a', 1)]);
    await file.append([point('b', 0)]);
    expect(sessionCheckpointDefect(await file.proof('t', 'b'), trustedKey)).toBeUndefined();
    await file.close();
    const again = await open();
    expect([await again.damage(), (await again.last('t', 'a'))?.point.index]).toEqual([undefined, 1]);
    await again.close();
  });

  test.each<[string, (lines: string[]) => string[], string]>([
    [
      'a point is edited',
      (lines) => lines.with(1, lines[1]!.replace('"index":1', '"index":9')),
      'line 2 of the checkpoint file was altered',
    ],
    [
      'a time is edited',
      (lines) => lines.with(1, lines[1]!.replace('2026-01-01', '2026-01-02')),
      'line 2 of the checkpoint file is not signed',
    ],
    [
      'the last time is edited',
      (lines) => lines.with(4, lines[4]!.replace('2026-01-01', '2026-01-02')),
      'line 5 of the checkpoint file is not signed',
    ],
    [
      'a line is taken out',
      (lines) => lines.toSpliced(2, 1),
      'line 3 of the checkpoint file does not follow the line before it',
    ],
    [
      'the beginning is cut off',
      (lines) => lines.slice(2),
      'line 1 of the checkpoint file does not follow the line before it',
    ],
    [
      'two lines change places',
      (lines) => [lines[1]!, lines[0]!, ...lines.slice(2)],
      'line 1 of the checkpoint file does not follow the line before it',
    ],
    ['a line is no JSON', (lines) => lines.with(3, 'nothing'), 'line 4 of the checkpoint file was altered'],
  ])('reports damage when %s, and still trusts the other lines', async (_, spoil, damage) => {
    const lines = await written();
    await writeFile(path, `${spoil(lines).join('\n')}\n`);
    const file = await open();
    expect(await file.damage()).toContain(damage);
    expect((await file.last('t', 'b'))?.point.index).toBe(damage.includes('line 4') ? 0 : 1);
    const edited = damage.includes('line 5');
    expect((await file.last('t', 'a'))?.point.index).toBe(edited ? 2 : 3);
    await file.close();
  });

  test('rejects a line signed with another key', async () => {
    await written();
    const seen: number[] = [];
    const { damage } = await readCheckpoints(path, [otherKey], ({ offset }) => void seen.push(offset));
    expect([seen, damage]).toEqual([[], expect.stringContaining('not signed by a key of this gateway')]);
  });

  test('reports truncation or changes that happen while the gateway is running', async () => {
    const lines = await written();
    const file = await open();
    await writeFile(path, `${lines.slice(0, 3).join('\n')}\n`);
    expect(await file.damage()).toContain('truncated while the gateway was running');
    await file.close();

    await writeFile(path, `${lines.join('\n')}\n`);
    const changed = await open();
    await writeFile(path, `${lines.with(4, lines[4]!.replace('"index":3', '"index":7')).join('\n')}\n`);
    expect(await changed.proof('t', 'a')).toBeUndefined();
    expect(await changed.damage()).toContain('was changed at byte');
    await changed.close();
  });
});

/** Runs `act` with a full disk: the first write through a file handle ends after ten bytes. */
async function fillDisk(act: () => Promise<unknown>): Promise<void> {
  const handle = await openFile(path, 'r');
  const writing = jest.spyOn(Object.getPrototypeOf(handle), 'appendFile');
  await handle.close();
  writing.mockImplementationOnce(async function (this: FileHandle, line: unknown) {
    await this.write((line as Buffer).subarray(0, 10));
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  await expect(act()).rejects.toThrow('no space left');
  writing.mockRestore();
}

test('[evidence.archive] a partial line left by a crash or a full disk does not affect other copies', async () => {
  const { entries } = await sealedSession();
  const [a, b, c] = entries;
  const root = join(folder, 'archive');
  const file = join(root, 'default', 's-1.jsonl');
  await folderArchive(root).keep([a!]);
  await appendFile(file, JSON.stringify(b).slice(0, 40));
  const archive = folderArchive(root);
  await archive.keep([b!]);
  await archive.keep([c!]);
  const copies = await archivedHashes(archive, 'default', 's-1');
  expect(Object.fromEntries(copies)).toEqual({ 0: [a!.hash], 1: [b!.hash], 2: [c!.hash] });
  expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(5);
});
