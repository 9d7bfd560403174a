/** Whose files and batches are, what they cost, and what is left of those that could not be kept. */
import type { StoredBatch } from '#core/contracts/stored-batch.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import {
  account,
  linesOf,
  other,
  recordsOf,
  send,
  start,
  started,
  theirIds,
  upload,
  uploaded,
  useBatchGateway,
} from '../support/batch-gateway.ts';
import { caller } from '../support/call-endpoint.ts';
import { jsonReply } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { fake, gateway } from '../support/provider-gateway.ts';

useBatchGateway();

describe('[batches.owner] what is another key’s is not there', () => {
  test('files, batches and results of one key are 404 to others, and in no list of theirs', async () => {
    const file = await uploaded(linesOf({}));
    const batch: string = (await start(file)).body.id;
    account.run();
    const output: string = (await send('GET', `/v1/batches/${batch}`)).body.output_file_id;
    for (const key of [other, 'paid-key']) {
      const sent = { key, session: `of-${key}` };
      const asked: readonly (readonly [string, string])[] = [
        ['GET', `/v1/files/${file}`],
        ['GET', `/v1/files/${file}/content`],
        ['DELETE', `/v1/files/${file}`],
        ['GET', `/v1/files/${output}`],
        ['GET', `/v1/files/${output}/content`],
        ['DELETE', `/v1/files/${output}`],
        ['GET', `/v1/batches/${batch}`],
        ['POST', `/v1/batches/${batch}/cancel`],
      ];
      for (const [method, path] of asked)
        expect([path, (await send(method, path, undefined, sent)).status]).toEqual([path, 404]);
      expect((await start(file, {}, sent)).status).toBe(404);
      expect((await send('GET', '/v1/files', undefined, sent)).text).not.toContain(file);
      expect(account.batches.size).toBe(1);
    }
    expect(account.files.size).toBe(2);
    expect([...account.batches.values()][0]!.status).toBe('completed');
  });

  test('ids of the provider, and unknown ids, are 404', async () => {
    await uploaded(linesOf({}));
    const [theirs] = [...account.files.keys()];
    for (const id of [theirs, `file-${'0'.repeat(32)}`, `file-${'0'.repeat(32)}-output`, '..%2Fmodels'])
      expect([404, 400]).toContain((await send('GET', `/v1/files/${id}`)).status);
    expect((await send('GET', `/v1/batches/batch_${'0'.repeat(32)}`)).status).toBe(404);
    expect((await start(theirs!)).status).toBe(404);
  });

  test('lists have pages, newest first, without what was deleted', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await uploaded(linesOf({}), { key: 'paged-key', session: 'pages' }));
    const list = async (query: string) =>
      (await send('GET', `/v1/files?${query}`, undefined, { key: 'paged-key', session: 'pages' })).body;
    const [a, b, c] = ids as [string, string, string];
    expect(await list('limit=2')).toMatchObject({ data: [{ id: c }, { id: b }], has_more: true, last_id: b });
    expect(await list(`limit=2&after=${b}`)).toMatchObject({ data: [{ id: a }], has_more: false });
    expect(await list('order=asc&limit=1')).toMatchObject({ data: [{ id: a }], has_more: true });
    const sent = { key: 'paged-key', session: 'pages' };
    expect((await send('DELETE', `/v1/files/${b}`, undefined, sent)).body).toEqual({
      id: b,
      object: 'file',
      deleted: true,
    });
    expect((await list('purpose=batch')).data.map(({ id }: { id: string }) => id)).toEqual([c, a]);
    expect((await send('GET', `/v1/files/${b}`, undefined, sent)).status).toBe(404);
    for (const query of ['limit=0', 'order=up', 'after=x', 'purpose=vision'])
      expect((await send('GET', `/v1/files?${query}`, undefined, sent)).status).toBe(400);
  });
});

describe('[batches.budget] all that the lines may come to is charged when the batch is made', () => {
  const sent = { key: 'paid-key', session: 'paid' };
  const spent = async () => {
    const { body } = await caller(gateway.ports)('GET', '/admin/v1/budgets', { key: 'paid-viewer' });
    return { spent: body.statuses[0].spent_usd as number, reserved: body.statuses[0].reserved_usd as number };
  };

  test('an upload costs nothing, a batch its whole estimate, and one that does not fit is refused before it is sent', async () => {
    // 2 lines of at most 100,000 tokens at 10 USD a million: 2 USD.
    const file = await uploaded(
      linesOf({ body: { max_tokens: 100_000 } }, { body: { max_tokens: 50_000, n: 2 } }),
      sent,
    );
    expect(await spent()).toEqual({ spent: 0, reserved: 0 });
    expect((await start(file, {}, sent)).status).toBe(200);
    const once = await spent();
    expect(once.reserved).toBe(0);
    expect(once.spent).toBeGreaterThanOrEqual(2);
    expect(once.spent).toBeLessThan(2.01);
    expect((await start(file, {}, sent)).status).toBe(200);
    const refused = await start(file, {}, sent);
    expect(refused).toMatchObject({ status: 429, body: { error: { type: 'budget_exceeded' } } });
    expect(account.batches.size).toBe(2);
    expect((await spent()).spent).toBeLessThan(4.02);
    const [, record] = await recordsOf('paid', 'paid');
    expect(record).toMatchObject({ operation: 'batches', usage: { output_tokens: 200_000, estimated: true } });
  });

  test('a batch that the provider refuses costs nothing; one whose answer is lost is charged', async () => {
    const file = await uploaded(linesOf({ body: { max_tokens: 1000 } }), sent);
    const before = await spent();
    fake.answers(() => jsonReply({ error: { message: 'no batches today' } }, 400));
    expect((await start(file, {}, sent)).status).toBe(400);
    expect(await spent()).toEqual(before);
    fake.answers(() => jsonReply({ object: 'batch' }));
    expect((await start(file, {}, sent)).status).toBe(502);
    expect((await spent()).spent).toBeGreaterThan(before.spent);
  });

  test('its tokens count in the minute, and requests count beside it', async () => {
    const limited = { key: 'slow-key', session: 'slow' };
    const file = await uploaded(linesOf({ body: { max_tokens: 6000 } }), limited);
    const refused = await start(file, {}, limited);
    expect(refused.body.error.message).toMatch(/may have 5000 tokens a minute; this call may take 60/);
    expect((await send('GET', `/v1/files/${file}`, undefined, limited)).status).toBe(200);
    const over = await send('GET', '/v1/files', undefined, limited);
    expect([over.status, over.headers['x-ratelimit-remaining-requests']]).toEqual([429, '0']);
  });
});

test('[batches.list-partial] a page lists every batch, and one that cannot be asked for says why', async () => {
  const sent = { key: other, session: 'partial' };
  const known = await started(linesOf({}), sent);
  const gone = await started(linesOf({}), sent);
  const removed = await started(linesOf({}), sent);
  const owner = { tenant: 'default', key_id: '' };
  for await (const { actor } of gateway.ports.evidence.entries('default', 'partial')) owner.key_id = actor.key_id;
  const row = async (id: string) => (await gateway.ports.batchStore.get(owner, id)) as StoredBatch;
  account.batches.delete((await row(gone)).provider_id);
  await gateway.ports.batchStore.put({ ...(await row(removed)), provider: 'dropped' });
  const page = await send('GET', '/v1/batches?limit=3', undefined, sent);
  expect(page.status).toBe(200);
  expect(page.body.data.map(({ id, status }: Loose) => [id, status])).toEqual([
    [removed, null],
    [gone, null],
    [known, 'validating'],
  ]);
  expect(page.body.data[0].errors.data[0]).toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/dropped/),
  });
  expect(page.body.data[1].errors.data[0]).toMatchObject({ code: 'not_found' });
  expect(page.text).not.toMatch(theirIds);
  fake.answers(() => jsonReply({ error: { message: 'internal detail' } }, 500));
  const down = await send('GET', '/v1/batches?limit=3', undefined, sent);
  expect(down.body.data[2]).toMatchObject({ id: known, status: null, errors: { data: [{ code: 'provider_error' }] } });
  expect(down.text).not.toContain('internal detail');
  // A single one is what it always was: an error.
  expect((await send('GET', `/v1/batches/${known}`, undefined, sent)).status).toBe(502);
});

test('[batches.nothing-left] a file or batch that could not be noted does not stay at the provider', async () => {
  const sent = { key: other, session: 'left' };
  const put = gateway.ports.batchStore.put;
  const failing = async () => {
    throw new GatewayError('service_unavailable', 'The store is away.');
  };
  try {
    gateway.ports.batchStore.put = failing;
    expect((await upload(linesOf({}), sent)).status).toBe(503);
    expect(account.files.size).toBe(0);
    gateway.ports.batchStore.put = put;
    const file = await uploaded(linesOf({}), sent);
    gateway.ports.batchStore.put = failing;
    expect((await start(file, {}, sent)).status).toBe(503);
  } finally {
    gateway.ports.batchStore.put = put;
  }
  expect([...account.batches.values()].map(({ status }) => status)).toEqual(['cancelling']);
  expect(account.files.size).toBe(1);
});
