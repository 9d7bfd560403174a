/**
 * A projector that is killed at each step of a batch, or while it covers the chains it queued: the stream delivers the
 * batch again, every entry is archived and counted once, and the transparency log contains the session once.
 */
import assert from 'node:assert/strict';
import { chainQueuePrefix } from '#core/contracts/evidence-streams.ts';
import { leafBytes } from '#core/evidence/transparency/leaf.ts';
import { readVerifierKey } from '#core/evidence/transparency/note.ts';
import { checkLogProof } from '#core/evidence/transparency/session-proof.ts';
import { type Check, check } from '../support/checks.ts';
import { type Stop, storeGate } from './store-gate.ts';
import type { World } from './world.ts';

const points: readonly Stop[] = (['BatchWriteItem', 'TransactWriteItems', 'UpdateItem', 'PutItem'] as const).flatMap(
  (operation) => (['before', 'after'] as const).map((when) => ({ operation, when })),
);

export function projectKilledChecks(world: World): Check[] {
  /** Returns the entries of a chat and a few governed actions, as the stream delivers them. */
  const records = async (session: string): Promise<readonly object[]> => {
    for (const target of ['a', 'b', 'c']) {
      const body = { protocol: 'http', tool: 'http.post', target: `notes/${target}`, capability: 'write' };
      const actor = { agent: 'runtime', session };
      const { status, text } = await world.call('test-action', 'POST /admin/v1/test-action', {
        caller: 'agent',
        body: { ...body, parameters: { json: { session } }, actor },
      });
      assert.equal(status, 200, text);
    }
    const chat = { model: 'mock', max_tokens: 5, messages: [{ role: 'user', content: session }] };
    const headers = { 'x-session-id': session };
    const said = await world.call('chat-completions', 'POST /v1/chat/completions', {
      caller: 'agent',
      body: chat,
      headers,
    });
    assert.equal(said.status, 200, said.text);
    const rows = await world.items('evidence');
    const own = rows.flatMap(({ entry }) => (entry?.S?.includes(`"session_id":"${session}"`) ? [entry.S] : []));
    assert.ok(own.length >= 3, `${own.length} entries`);
    return own.map((text, n) => ({
      eventName: 'INSERT',
      dynamodb: { SequenceNumber: `${n + 1}`, NewImage: { entry: { S: text } } },
    }));
  };
  /** Returns the chains queued so far, as their table's stream delivers them. */
  const queued = async (): Promise<readonly object[]> =>
    (await world.items('observations')).flatMap((row, n) =>
      row.series?.S?.startsWith(chainQueuePrefix)
        ? [{ eventName: 'INSERT', dynamodb: { SequenceNumber: `${n + 1}`, NewImage: row } }]
        : [],
    );
  const projected = async (Records: readonly object[]): Promise<void> => {
    const { kind, bytes } = await (await world.lambda('project')).invoke({ Records });
    assert.equal(kind, 'answer', bytes.toString());
    assert.deepEqual(JSON.parse(bytes.toString()), { batchItemFailures: [] });
  };
  const total = async (): Promise<number> =>
    (await world.call('observatory', 'GET /admin/v1/usage', { caller: 'human' })).body.total;
  const archived = (session: string): string[] =>
    [...world.aws.objects].flatMap(([path, bytes]) =>
      path.startsWith(`/archive/default/${session}/`) ? bytes.toString().trim().split('\n') : [],
    );

  /**
   * Checks that the export carries a proof that the whole session is in the log, under the key that the route names.
   */
  const proved = async (session: string, entries: number): Promise<void> => {
    const evidence = (path: string) => world.call('evidence', `GET /admin/v1/evidence/${path}`, { caller: 'human' });
    const { body: log, text } = await evidence('log/checkpoint');
    const key = readVerifierKey(log.log_key);
    assert.ok(key, text);
    const bundle = (await evidence(`sessions/${session}/export`)).body;
    const proof = checkLogProof(bundle.log_proof, { tenant: 'default', session_id: session }, { log: key });
    assert.ok(typeof proof !== 'string', String(proof));
    assert.equal(proof.leaf.index, entries - 1);
    const leaves = Buffer.from((await evidence(`log/tile?path=tile/entries/000.p/${proof.size}`)).body.bytes, 'base64');
    // A second leaf of the session would have the same form, with its session.
    assert.equal(leaves.toString('latin1').split(proof.leaf.session).length - 1, 1);
    assert.ok(leaves.includes(leafBytes(proof.leaf)));
  };

  return points.map((stop, n) =>
    check(
      `project killed ${stop.when} its ${'operation' in stop && stop.operation}: entries count, are archived and logged once`,
      async () => {
        const session = `projected-${n}`;
        const Records = await records(session);
        const before = await total();
        // Only covering queued chains puts single rows: the log's head and its sessions.
        const covers = 'operation' in stop && stop.operation === 'PutItem';
        if (covers) await projected(Records);
        const doomedRecords = covers ? await queued() : Records;
        const gate = await storeGate(world.store, stop);
        const doomed = await world.anotherLambda('project', { AWS_ENDPOINT_URL_DYNAMODB: gate.url });
        try {
          const cut = doomed.invoke({ Records: doomedRecords }).then(
            () => assert.fail('it answered'),
            () => undefined,
          );
          await Promise.race([gate.stopped, cut]);
          await doomed.kill();
          await cut;
        } finally {
          await doomed.stop();
          await gate.close();
        }
        for (const _ of ['again', 'and once more']) {
          await projected(Records);
          await projected(await queued());
        }
        const decisions = Records.filter((record) =>
          /\\?"kind\\?":\\?"(allow|block|review)/.test(JSON.stringify(record)),
        );
        assert.equal((await total()) - before, decisions.length);
        const lines = archived(session);
        assert.equal(lines.length, Records.length, `${lines.length} archived`);
        assert.equal(new Set(lines).size, lines.length);
        await proved(session, Records.length);
      },
    ),
  );
}
