/** Ownership, cost and results of files and batches, and batches that the store cannot save. */
import type { StoredBatch } from '#core/contracts/stored-batch.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { caller } from '../../../test/support/call-endpoint.ts';
import { jsonReply } from '../../../test/support/fake-providers.ts';
import type { Loose } from '../../../test/support/loose.ts';
import { fake, gateway } from '../../../test/support/provider-gateway.ts';
import {
  account,
  linesOf,
  other,
  recordsOf,
  results,
  send,
  start,
  started,
  theirIds,
  upload,
  uploaded,
  useBatchGateway,
} from './batch-gateway.ts';

useBatchGateway();

describe('[batches.owner] a key’s files and batches are hidden from other keys', () => {
  test('a key’s files, batches and results return 404 to other keys and are missing from their lists', async () => {
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

  test('provider ids and unknown ids return 404', async () => {
    await uploaded(linesOf({}));
    const [theirs] = [...account.files.keys()];
    for (const id of [theirs, `file-${'0'.repeat(32)}`, `file-${'0'.repeat(32)}-output`, '..%2Fmodels'])
      expect([404, 400]).toContain((await send('GET', `/v1/files/${id}`)).status);
    expect((await send('GET', `/v1/batches/batch_${'0'.repeat(32)}`)).status).toBe(404);
    expect((await start(theirs!)).status).toBe(404);
  });

  test('lists are paged, newest first, and omit deleted items', async () => {
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

describe('[batches.budget] the maximum cost of all lines is charged when the batch is created', () => {
  const sent = { key: 'paid-key', session: 'paid' };
  const spent = async () => {
    const { body } = await caller(gateway.ports)('GET', '/admin/v1/budgets', { key: 'paid-viewer' });
    return { spent: body.statuses[0].spent_usd as number, reserved: body.statuses[0].reserved_usd as number };
  };

  test('an upload is free, a batch is charged its full estimate, and a batch over budget is refused before it is sent', async () => {
    // 2 lines of at most 100,000 tokens at 10 USD per million: 2 USD.
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

  test('a batch that the provider refuses costs nothing; one whose response is lost is charged', async () => {
    const file = await uploaded(linesOf({ body: { max_tokens: 1000 } }), sent);
    const before = await spent();
    fake.answers(() => jsonReply({ error: { message: 'no batches today' } }, 400));
    expect((await start(file, {}, sent)).status).toBe(400);
    expect(await spent()).toEqual(before);
    fake.answers(() => jsonReply({ object: 'batch' }));
    expect((await start(file, {}, sent)).status).toBe(502);
    expect((await spent()).spent).toBeGreaterThan(before.spent);
  });
});

test('[batches.owner] a page lists every batch, with an error for each unreadable one', async () => {
  const sent = { key: other, session: 'partial' };
  const known = await started(linesOf({}), sent);
  const gone = await started(linesOf({}), sent);
  const removed = await started(linesOf({}), sent);
  const owner = { tenant: 'default', key_id: '' };
  for await (const { actor } of gateway.ports.evidence.entries('default', 'partial')) owner.key_id = actor.key_id;
  const row = async (id: string) => (await gateway.ports.storedObjects.get(owner, id)) as StoredBatch;
  account.batches.delete((await row(gone)).provider_id);
  await gateway.ports.storedObjects.put({ ...(await row(removed)), provider: 'dropped' });
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
  // Reading a single batch still fails with an error.
  expect((await send('GET', `/v1/batches/${known}`, undefined, sent)).status).toBe(502);
});

test('[batches.owner] a file or batch whose caller disconnects meanwhile is created, listed and charged', async () => {
  const sent = { key: 'paged-key', session: 'gone' };
  const idsAt = async (path: string) => (await send('GET', path, undefined, sent)).body.data.map(({ id }: Loose) => id);
  const [filesBefore, batchesBefore] = [await idsAt('/v1/files'), await idsAt('/v1/batches')];
  const disconnecting = () => {
    const client = new AbortController();
    fake.answers((request) => {
      client.abort();
      return account.script(request);
    });
    return { ...sent, signal: client.signal };
  };
  await upload(linesOf({}), disconnecting());
  fake.answers(account.script);
  const [file, ...olderFiles] = await idsAt('/v1/files');
  expect(olderFiles).toEqual(filesBefore);
  await start(file, {}, disconnecting());
  fake.answers(account.script);
  const [, ...olderBatches] = await idsAt('/v1/batches');
  expect(olderBatches).toEqual(batchesBefore);
  expect(await recordsOf('gone', 'paged')).toMatchObject([
    { operation: 'files', outcome: 'completed' },
    { operation: 'batches', outcome: 'completed' },
  ]);
});

test('[batches.owner] a file or batch that the gateway cannot record is removed from the provider', async () => {
  const sent = { key: other, session: 'left' };
  const put = gateway.ports.storedObjects.put;
  const failing = async () => {
    throw new GatewayError('service_unavailable', 'The store is away.');
  };
  try {
    gateway.ports.storedObjects.put = failing;
    expect((await upload(linesOf({}), sent)).status).toBe(503);
    expect(account.files.size).toBe(0);
    gateway.ports.storedObjects.put = put;
    const file = await uploaded(linesOf({}), sent);
    gateway.ports.storedObjects.put = failing;
    expect((await start(file, {}, sent)).status).toBe(503);
  } finally {
    gateway.ports.storedObjects.put = put;
  }
  expect([...account.batches.values()].map(({ status }) => status)).toEqual(['cancelling']);
  expect(account.files.size).toBe(1);
});

describe('[batches.results] results', () => {
  test('a blocked line becomes an error for its custom_id; the other lines pass, redacted and rewritten', async () => {
    const batch = await started(linesOf({}, {}, {}, {}));
    const said = (content: string) => ({ reply: { choices: [{ index: 0, message: { role: 'assistant', content } }] } });
    account.run(({ custom_id }) => {
      if (custom_id === 'r1') return said('the Top Secret plan');
      if (custom_id === 'r2') return said('ask eve@example.com for the colour');
      if (custom_id === 'r3') return { line: 'not json' };
      return { line: { id: 'x', custom_id, response: null, error: { code: 'server', message: 'top secret failure' } } };
    });
    const { lines, headers } = await results(batch);
    expect(headers['content-type']).toBe('application/jsonl');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toEqual({
      id: 'batch_req_0',
      custom_id: 'r1',
      response: null,
      error: { code: 'policy_violation', message: 'The reply is blocked by policy no-leak.' },
    });
    expect(lines[1]!.response.body.choices[0].message.content).toMatch(/^ask .* for the color$/);
    expect(lines[1]!.response.body.choices[0].message.content).not.toContain('eve@');
    expect(lines[2]!.error.code).toBe('provider_error');
    expect(lines[3]).toMatchObject({ custom_id: 'r4', error: { code: 'policy_violation' } });
  });

  test('all text in a line is checked', async () => {
    const batch = await started(linesOf({}, {}, {}));
    account.run(({ custom_id }) => {
      const response = { status_code: 200, request_id: 'r', body: 'the top secret plan' };
      if (custom_id === 'r1') return { line: { id: 'x', custom_id, response, error: null } };
      if (custom_id === 'r2') return { line: { id: 'x', custom_id, response: null, note: 'to eve@example.com' } };
      return { line: { id: 'x', custom_id, response: { ...response, body: null, note: ['to eve@example.com'] } } };
    });
    const { lines } = await results(batch);
    expect(lines[0]).toMatchObject({ custom_id: 'r1', response: null, error: { code: 'policy_violation' } });
    expect(lines[1]!.note).toMatch(/^to /);
    expect(JSON.stringify(lines)).not.toMatch(/eve@|secret/);
  });

  test('a file above the body limit returns 413, and an uploaded file’s content is not returned', async () => {
    const sent = { key: 'strict-key', session: 'strict' };
    const file = await uploaded(linesOf({}), sent);
    const batch: string = (await start(file, {}, sent)).body.id;
    account.run(() => ({ reply: { choices: [{ message: { role: 'assistant', content: 'x'.repeat(4000) } }] } }));
    expect((await results(batch, sent)).status).toBe(413);
    const input = await send('GET', `/v1/files/${file}/content`, undefined, sent);
    expect([input.status, input.body.error.message]).toEqual([
      400,
      expect.stringMatching(/only the results of a batch/),
    ]);
  });
});

test.each([
  ['another-model', 'another-model'],
  ['theirs-1-2026-07-18', undefined],
])('[budget.served] results whose replies come from model %s', async (model, recorded) => {
  const sent = { session: `replied-${model}` };
  const batch = await started(linesOf({}), sent);
  const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' } }];
  account.run(() => ({ reply: { model, choices } }));
  await results(batch, sent);
  expect((await recordsOf(sent.session)).at(-1)).toMatchObject({ operation: 'files.content' });
  expect((await recordsOf(sent.session)).at(-1)?.replied_model).toBe(recorded);
});

test('[batches.governed] a failed cancellation is recorded as failed, and a cancellation whose start cannot be recorded is not sent', async () => {
  const sent = { session: 'begun' };
  const batch = await started(linesOf({}), sent);
  fake.answers(() => jsonReply({ error: { message: 'no' } }, 500));
  expect((await send('POST', `/v1/batches/${batch}/cancel`, undefined, sent)).status).toBe(502);
  const outcomes = (await recordsOf('begun')).map(({ operation, outcome }) => [operation, outcome]);
  expect(outcomes.slice(-2)).toEqual([
    ['batches.cancel', 'begun'],
    ['batches.cancel', 'failed'],
  ]);
  fake.answers(account.script);
  const commit = gateway.ports.ledger.commit;
  try {
    gateway.ports.ledger.commit = async () => {
      throw new GatewayError('service_unavailable', 'The store is away.');
    };
    expect((await send('POST', `/v1/batches/${batch}/cancel`, undefined, sent)).status).toBe(503);
  } finally {
    gateway.ports.ledger.commit = commit;
  }
  expect([...account.batches.values()].map(({ status }) => status)).toEqual(['validating']);
});

test('[batches.governed] upload, start, cancel, read and delete operations are recorded without content', async () => {
  const sent = { session: 'recorded' };
  const file = await uploaded(linesOf({ text: 'a very special sentence' }), sent);
  const batch: string = (await start(file, {}, sent)).body.id;
  account.run(() => ({
    reply: { choices: [{ message: { role: 'assistant', content: 'a very special answer to eve@example.com' } }] },
  }));
  await results(batch, sent);
  expect((await send('POST', `/v1/batches/${batch}/cancel`, undefined, sent)).body.status).toBe('cancelling');
  await send('DELETE', `/v1/files/${file}`, undefined, sent);
  const records = await recordsOf('recorded');
  const output = `file-${batch.slice('batch_'.length)}-output`;
  expect(records.map(({ operation, resource, outcome, provider }) => [operation, resource, outcome, provider])).toEqual(
    [
      ['files', file, 'completed', 'theirs'],
      ['batches', batch, 'completed', 'theirs'],
      ['files.content', output, 'completed', 'theirs'],
      ['batches.cancel', batch, 'begun', 'theirs'],
      ['batches.cancel', batch, 'completed', 'theirs'],
      ['files.delete', file, 'begun', 'theirs'],
      ['files.delete', file, 'completed', 'theirs'],
    ],
  );
  expect(records[2]!.findings).toMatchObject([{ policy: 'hide-mail', action: 'redact', phase: 'output' }]);
  expect(JSON.stringify(records)).not.toMatch(/special|eve@/);
  // A request that names another key's session is refused and changes nothing.
  const foreign = await uploaded(linesOf({}), { key: other, session: 'foreign' });
  expect((await send('DELETE', `/v1/files/${foreign}`, undefined, { key: other, session: 'recorded' })).status).toBe(
    403,
  );
  expect((await send('GET', `/v1/files/${foreign}`, undefined, { key: other, session: 'foreign' })).status).toBe(200);
});
