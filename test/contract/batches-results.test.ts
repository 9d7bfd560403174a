/** What a caller reads of batches: results, and what was recorded of reading them. */
import { GatewayError } from '#core/kernel/errors.ts';
import {
  account,
  linesOf,
  other,
  recordsOf,
  results,
  send,
  start,
  started,
  uploaded,
  useBatchGateway,
} from '../support/batch-gateway.ts';
import { jsonReply } from '../support/fake-providers.ts';
import { fake, gateway } from '../support/provider-gateway.ts';

useBatchGateway();

describe('[batches.results] what the caller reads', () => {
  test('a blocked line becomes an error of its custom_id, the others pass, redacted and rewritten', async () => {
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
      ...{ id: 'batch_req_0', custom_id: 'r1', response: null },
      error: { code: 'policy_violation', message: 'The reply is blocked by policy no-leak.' },
    });
    expect(lines[1]!.response.body.choices[0].message.content).toMatch(/^ask .* for the color$/);
    expect(lines[1]!.response.body.choices[0].message.content).not.toContain('eve@');
    expect(lines[2]!.error.code).toBe('provider_error');
    expect(lines[3]).toMatchObject({ custom_id: 'r4', error: { code: 'policy_violation' } });
  });

  test('a text is looked at wherever it stands in a line, also where no reply has one', async () => {
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

  test('a file above the body limit is 413; what was uploaded is not given out', async () => {
    const sent = { key: 'strict-key', session: 'strict' };
    const file = await uploaded(linesOf({}), sent);
    const batch: string = (await start(file, {}, sent)).body.id;
    account.run(() => ({ reply: { choices: [{ message: { role: 'assistant', content: 'x'.repeat(4000) } }] } }));
    expect((await results(batch, sent)).status).toBe(413);
    const input = await send('GET', `/v1/files/${file}/content`, undefined, sent);
    expect([input.status, input.body.error.message]).toEqual([400, expect.stringMatching(/results of a batch alone/)]);
  });

  test('before there are results there is no file of them', async () => {
    const batch = await started(linesOf({}));
    const id = `file-${batch.slice('batch_'.length)}-output`;
    expect((await send('GET', `/v1/files/${id}/content`)).status).toBe(404);
  });

  test('an object that a filter blocks does not reach the caller', async () => {
    const batch = await started(linesOf({}));
    [...account.batches.values()][0]!.metadata = { note: 'top secret' };
    expect(await send('GET', `/v1/batches/${batch}`)).toMatchObject({
      status: 403,
      body: { error: { type: 'policy_violation' } },
    });
  });
});

test.each([
  ['another-model', 'another-model'],
  ['theirs-1-2026-07-18', undefined],
])('[chat.replied-model] results of the model %s', async (model, recorded) => {
  const sent = { session: `replied-${model}` };
  const batch = await started(linesOf({}), sent);
  const choices = [{ index: 0, message: { role: 'assistant', content: 'hello' } }];
  account.run(() => ({ reply: { model, choices } }));
  await results(batch, sent);
  expect((await recordsOf(sent.session)).at(-1)).toMatchObject({ operation: 'files.content' });
  expect((await recordsOf(sent.session)).at(-1)?.replied_model).toBe(recorded);
});

test('[batches.evidence] a cancellation that fails is recorded as failed, and one whose beginning cannot be written is not made', async () => {
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

test('[batches.evidence] upload, start, cancel, reading and deleting are entries without content', async () => {
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
  // Another key's session is not written into, and nothing is done.
  const foreign = await uploaded(linesOf({}), { key: other, session: 'foreign' });
  expect((await send('DELETE', `/v1/files/${foreign}`, undefined, { key: other, session: 'recorded' })).status).toBe(
    403,
  );
  expect((await send('GET', `/v1/files/${foreign}`, undefined, { key: other, session: 'foreign' })).status).toBe(200);
});
