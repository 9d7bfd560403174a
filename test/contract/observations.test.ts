/** The projector that turns stream records into views, with a store and a real folder. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DynamoDBRecord } from 'aws-lambda';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { createHandler } from '#lambdas/project/event.ts';
import { sampleBlock, sampleEntry } from '../unit/observatory/sample.ts';
import { setting } from './observation-stores.ts';

const record = (entry: EvidenceEntry, sequence: string): DynamoDBRecord => ({
  eventName: 'INSERT',
  dynamodb: { SequenceNumber: sequence, NewImage: { entry: { S: canonicalize(entry) } } },
});
describe('the views', () => {
  test('[admin.usage] count each entry once, however often it is delivered and by however many consumers', async () => {
    const { observations } = await setting();
    const entries = [
      sampleEntry(0),
      sampleEntry(1, { kind: 'review' }),
      sampleBlock(2),
      sampleEntry(3, { kind: 'result' }),
    ];
    for (let round = 0; round < 2; round++) {
      await Promise.all([...entries, ...entries].map((entry) => observations.apply([projectEntry(entry)])));
    }
    expect(await observations.usage('default', {})).toMatchObject({
      tenant: 'default',
      total: 3,
      decisions: { allow: 1, review: 1, block: 1 },
      protocols: { git: 2, shell: 1 },
      tools: { 'scm.get_issue': 2, 'shell.rm': 1 },
      decisions_by_protocol: expect.arrayContaining([
        { decision: 'allow', protocol: 'git', count: 1 },
        { decision: 'review', protocol: 'git', count: 1 },
        { decision: 'block', protocol: 'shell', count: 1 },
      ]),
      blocked_by_rule: { 'shell:shell.rm': 1 },
    });
  });

  test('a cursor from another tenant is refused', async () => {
    const { observations } = await setting();
    await observations.apply([projectEntry(sampleBlock(0, { tenant: 'theirs', envelope_id: 'secret' }))]);
    const foreign = Buffer.from(JSON.stringify({ series: 'theirs#violations', at: '9' })).toString('base64url');
    expect((await observations.violations('mine', { limit: 5, cursor: foreign })).items).toEqual([]);
    await expect(observations.violations('mine', { limit: 5, cursor: 'x' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
const linesOf = async (path: string) => (await readFile(path, 'utf8')).split('\n').slice(0, -1);
describe('the archive folder', () => {
  test("appends each entry's canonical text as a line in its session's file", async () => {
    const { archive, root } = await setting();
    const entries = [0, 1, 2].map((index) => sampleEntry(index));
    await Promise.all(entries.slice(0, 2).map((entry) => archive.keep([entry])));
    await archive.keep([entries[2]!]);
    expect(await linesOf(join(root, 'default', 's1.jsonl'))).toEqual(entries.map((entry) => canonicalize(entry)));
  });

  test('a session named `..` does not escape the folder', async () => {
    const { archive, root } = await setting();
    await archive.keep([sampleEntry(0, { session_id: '..' })]);
    expect(await readdir(root)).toEqual(['default']);
    expect(await readdir(join(root, 'default'))).toEqual([expect.stringMatching(/^__\.[0-9a-f]{64}\.jsonl$/)]);
  });
});
describe('the projector', () => {
  test('archives and counts a batch; redelivering the same batch changes nothing', async () => {
    const ports = await setting();
    const Records = Array.from({ length: 23 }, (_, n) => record(sampleEntry(n), String(n)));
    for (let round = 0; round < 2; round++)
      expect(await createHandler(ports)({ Records })).toEqual({ batchItemFailures: [] });
    expect((await ports.observations.usage('default', {})).total).toBe(23);
    expect(new Set(await linesOf(join(ports.root, 'default', 's1.jsonl'))).size).toBe(23);
  });

  test('[audit.set-aside] sets aside a session that the archive rejects and processes everything else', async () => {
    const ports = await setting();
    let tries = 0;
    const archive = {
      keep: async (entries: readonly EvidenceEntry[]) => {
        if (entries[0]?.session_id !== 's3') return ports.archive.keep(entries);
        tries++;
        throw new Error('name too long');
      },
    };
    const covered: string[] = [];
    const cover = async (entries: readonly EvidenceEntry[]) => void covered.push(...entries.map((e) => e.session_id));
    const Records = Array.from({ length: 15 }, (_, n) =>
      record(sampleEntry(n, { session_id: `s${n % 5}` }), `seq-${n}`),
    );
    const project = createHandler({ ...ports, archive, cover });
    for (const records of [Records, Records.slice(8)])
      expect(await project({ Records: records })).toEqual({ batchItemFailures: [] });
    expect(tries).toBe(6);
    expect((await ports.observations.usage('default', {})).total).toBe(15);
    // Checkpoints do not depend on the copy.
    expect(new Set(covered)).toEqual(new Set(['s0', 's1', 's2', 's3', 's4']));
    expect(await ports.setAside.list('default', 9)).toEqual([
      {
        tenant: 'default',
        session_id: 's3',
        step: 'archive',
        index: 3,
        at: sampleEntry(3).timestamp,
        error: 'name too long',
      },
    ]);
    expect(await ports.setAside.list('other', 9)).toEqual([]);
    expect(ports.lines.join()).toContain('a session was set aside by the projection');
  });

  test('[audit.set-aside] a session that is the only one in its batch, or that fails in another step, is also set aside', async () => {
    const ports = await setting();
    const failing = async () => Promise.reject(new Error('no'));
    const one = [record(sampleEntry(0, { session_id: 'alone' }), '1')];
    expect(await createHandler({ ...ports, archive: { keep: failing } })({ Records: one })).toEqual({
      batchItemFailures: [],
    });
    const bad = async (entries: readonly EvidenceEntry[]) => {
      if (entries.some(({ session_id }) => session_id === 'bad')) throw new Error('unsigned');
    };
    const two = [record(sampleEntry(1, { session_id: 'bad' }), '2'), record(sampleEntry(2, { session_id: 'ok' }), '3')];
    expect(await createHandler({ ...ports, cover: bad })({ Records: two })).toEqual({ batchItemFailures: [] });
    const rows = await ports.setAside.list('default', 9);
    expect(rows.map(({ session_id, step }) => [session_id, step])).toEqual([
      ['alone', 'archive'],
      ['bad', 'checkpoint'],
    ]);
    for (const row of rows) await ports.setAside.remove(row);
    expect(await ports.setAside.list('default', 9)).toEqual([]);
  });

  test('[audit.set-aside] a failure of the whole archive counts as an outage: the batch is retried and no session is set aside', async () => {
    const ports = await setting();
    let down = true;
    const archive = {
      keep: async (entries: readonly EvidenceEntry[]) => {
        if (down) throw new Error('bucket down');
        await ports.archive.keep(entries);
      },
    };
    const Records = [0, 1, 2].map((n) => record(sampleEntry(n, { session_id: `s${n}` }), `seq-${n}`));
    const project = createHandler({ ...ports, archive });
    expect(await project({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: 'seq-0' }] });
    expect(ports.lines.join()).toContain('bucket down');
    down = false;
    expect(await project({ Records })).toEqual({ batchItemFailures: [] });
    expect((await ports.observations.usage('default', {})).total).toBe(3);
    expect(await ports.setAside.list('default', 9)).toEqual([]);
    // A full disk concerns every session, even if the batch has only one.
    const full = async () => Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    for (const more of [{ archive: { keep: full } }, { cover: full }])
      expect(await createHandler({ ...ports, ...more })({ Records: Records.slice(0, 1) })).toEqual({
        batchItemFailures: [{ itemIdentifier: 'seq-0' }],
      });
    expect(await ports.setAside.list('default', 9)).toEqual([]);
    // If the failure cannot be noted, the entry is not skipped.
    const noPlace = { put: async () => Promise.reject(new Error('store down')) };
    const alone = createHandler({ ...ports, archive: { keep: noPlace.put }, setAside: noPlace });
    expect(await alone({ Records: Records.slice(0, 1) })).toEqual({ batchItemFailures: [{ itemIdentifier: 'seq-0' }] });
  });

  test.each([undefined, 'not JSON', 'null', '"text"', '{}', '{"tenant":"default","session_id":7}'])(
    '[store.sweep] a record with the entry %s is logged, counted and skipped, and the others are projected',
    async (text) => {
      const ports = await setting();
      const counted: string[] = [];
      const telemetry = { ...ports.telemetry, count: (name: string) => void counted.push(name) };
      const broken: DynamoDBRecord = {
        eventName: 'INSERT',
        dynamodb: { SequenceNumber: '7', NewImage: text === undefined ? {} : { entry: { S: text } } },
      };
      const Records = [record(sampleEntry(0), '6'), broken, record(sampleEntry(1), '8')];
      expect(await createHandler({ ...ports, telemetry })({ Records })).toEqual({ batchItemFailures: [] });
      expect((await ports.observations.usage('default', {})).total).toBe(2);
      expect(counted).toContain('svc_projection_unreadable_total');
      expect(ports.lines.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({ msg: 'a record of the evidence stream cannot be read', sequence: '7' }),
      );
      expect(await createHandler(ports)({ Records: [broken] })).toEqual({ batchItemFailures: [] });
    },
  );

  test('[evidence.contradicted] a modified entry reports its chain once and is not projected; entries from other chains are', async () => {
    const ports = await setting();
    const Keys = { chain: { S: 'default#s1' }, position: { S: '000000000000' } };
    const changed = { eventName: 'MODIFY' as const, dynamodb: { ...record(sampleEntry(0), '1').dynamodb, Keys } };
    const Records = [changed, record(sampleEntry(0, { session_id: 's2' }), '2'), changed];
    for (let times = 0; times < 2; times++)
      expect(await createHandler(ports)({ Records })).toEqual({ batchItemFailures: [] });
    expect(ports.lines.map((line) => JSON.parse(line).msg)).toEqual(['a chain contradicts its evidence']);
    expect(ports.telemetry.metricsText()).toMatch(/^svc_chains_contradicted_total 1$/m);
    expect(await ports.contradictions.list('default', 9)).toMatchObject([{ session_id: 's1', index: 0 }]);
    expect((await ports.observations.usage('default', {})).total).toBe(1);

    // If the failure cannot be noted, the change is delivered again.
    const contradictions = { put: async () => Promise.reject(new Error('store down')) };
    const alone = createHandler({ ...ports, contradictions });
    expect(await alone({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    // Entries before it are projected, because they are not delivered again.
    const before = record(sampleEntry(0, { session_id: 's3' }), '0');
    expect(await alone({ Records: [before, ...Records] })).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect((await ports.observations.usage('default', {})).total).toBe(2);
    // If entries after it cannot be projected either, it is still delivered again.
    const archive = { keep: async () => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) };
    const neither = createHandler({ ...ports, contradictions, archive });
    expect(await neither({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect(await neither({ Records: [before, ...Records] })).toEqual({ batchItemFailures: [{ itemIdentifier: '0' }] });
    // A record that does not identify an entry is counted.
    expect(await alone({ Records: [{ eventName: 'MODIFY' }] })).toEqual({ batchItemFailures: [] });
    expect(ports.telemetry.metricsText()).toMatch(/^svc_projection_unreadable_total 1$/m);
  });
});
