/** The two calls that make a batch: what is at the provider, what is stored here, and what is charged. */

import { readBatchFile } from '#core/chat/batches/lines.ts';
import { usageOf } from '#core/chat/call-usage.ts';
import { callBatch } from '#core/chat/stages/batches.ts';
import type { StoredBatch } from '#core/contracts/stored-batch.ts';
import { ProviderFault } from '#core/models/providers/ports.ts';
import { failureOf, keptAnswer, type StageSetting, stageSetting } from '../../../support/chat-stages.ts';

const line = JSON.stringify({
  custom_id: 'c',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'as it came' }] },
});
const stored: StoredBatch = {
  ...{
    id: 'file_1',
    kind: 'file',
    provider: 'first',
    provider_id: 'theirs-file',
    tenant: 'default',
    key_id: 'k',
    created_at: 1,
  },
  ...{
    model: 'm',
    resolved_model: 'm',
    policy_version: 3,
    endpoint: '/v1/chat/completions',
    lines: 1,
    input_tokens: 4,
    output_tokens: 10,
  },
};
const upload = async (setting: StageSetting) => {
  const file = await readBatchFile(line, async () => {});
  const batch = { kind: 'upload', file, filename: 'calls.jsonl', bytes: 99 } as const;
  const { answering, kept } = keptAnswer();
  const lines = [{ model: 'm', messages: [{ role: 'user', content: 'after the filters' }] }];
  return {
    kept,
    finished: callBatch(setting.ports, { ...setting.approved({}, { batch }), lines }, setting.policy, batch, answering),
  };
};
const start = (setting: StageSetting, file: Partial<StoredBatch> = {}, body = {}) => {
  const batch = { kind: 'start', file: { ...stored, ...file } } as const;
  const { answering, kept } = keptAnswer();
  return {
    kept,
    finished: callBatch(setting.ports, setting.approved(body, { batch }), setting.policy, batch, answering),
  };
};
const nothing = { input_tokens: 0, output_tokens: 0 };

test('[batches.governed] [batches.budget] an upload sends what passed the filters, keeps a row, and costs nothing', async () => {
  const setting = await stageSetting();
  const { kept, finished } = await upload(setting);
  const { known, ending } = await finished;
  expect(ending.outcome).toBe('completed');
  const sent = Buffer.from(setting.seen.resources[0]!.form!.bytes).toString();
  expect(sent).toContain('after the filters');
  expect(sent).not.toContain('as it came');
  expect(sent).not.toContain('calls.jsonl');
  expect(setting.seen.rows).toMatchObject([
    { kind: 'file', provider: 'first', provider_id: 'theirs-1', filename: 'calls.jsonl', lines: 1 },
  ]);
  expect(known).toMatchObject({ provider: 'first', resource: setting.seen.rows[0]!.id });
  expect(kept.json?.body.id).toBe(known.resource);
  expect(usageOf(known)).toEqual(nothing);
});

test('[batches.budget] the start of a batch charges all that its lines may come to', async () => {
  const setting = await stageSetting();
  const { known } = await start(setting, {}, { metadata: { team: 'a' } }).finished;
  expect(setting.seen.resources).toMatchObject([
    { path: '/batches', once: true, body: { input_file_id: 'theirs-file', metadata: { team: 'a' } } },
  ]);
  expect(usageOf(known)).toEqual({ input_tokens: 4, output_tokens: 10, estimated: true });
});

test('[batches.nothing-left] what cannot be stored here does not stay at the provider, and is not charged', async () => {
  const setting = await stageSetting();
  setting.script.put = () => Promise.reject(new Error('no store'));
  const { known, ending } = await failureOf(start(setting).finished);
  expect(ending.outcome).toBe('failed');
  expect(setting.seen.resources.map(({ path }) => path)).toEqual(['/batches', '/batches/theirs-1/cancel']);
  expect(usageOf(known)).toEqual(nothing);
});

test('[batches.budget] a batch whose answer a filter blocks runs on, so it is charged and named in the record', async () => {
  const setting = await stageSetting(
    'policies: { output: [{ name: no, type: keyword, action: block, keywords: [secret] }] }',
  );
  setting.script.resource = async ({ body }) => ({ id: 'theirs-1', metadata: body?.metadata ?? null });
  const { known, ending } = await failureOf(start(setting, {}, { metadata: { note: 'a secret' } }).finished);
  expect(ending.outcome).toBe('blocked');
  expect(known).toMatchObject({ provider: 'first', resource: setting.seen.rows[0]!.id });
  expect(usageOf(known)).toEqual({ input_tokens: 4, output_tokens: 10, estimated: true });
});

test.each([
  [new ProviderFault('first', 'status', 'x', { status: 500 }), '500', nothing],
  [new ProviderFault('first', 'timeout', 'x'), 'timeout', { input_tokens: 4, output_tokens: 10, estimated: true }],
] as const)(
  '[batches.budget] a provider that fails with %s is charged if it may have taken the batch',
  async (fault, error, usage) => {
    const setting = await stageSetting();
    setting.script.resource = () => Promise.reject(fault);
    const { known } = await failureOf(start(setting).finished);
    expect(known.attempts).toEqual([{ provider: 'first', error }]);
    expect(usageOf(known)).toEqual(usage);
  },
);

test('[batches.governed] a provider that is gone, or has no batches, is named before anything is sent', async () => {
  const setting = await stageSetting();
  await expect(start(setting, { provider: 'gone' }).finished).rejects.toMatchObject({ code: 'conflict' });
  expect(setting.seen.began).toEqual([]);
  expect(setting.seen.resources).toEqual([]);
});
