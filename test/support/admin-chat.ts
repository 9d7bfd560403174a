/** A gateway with chat calls, and an administrator key. */
import type { DynamoDBRecord } from 'aws-lambda';
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { createHandler as projector } from '#lambdas/project/event.ts';
import { sampleChat } from '../unit/observatory/sample.ts';
import { caller } from './call-endpoint.ts';
import { keys, type TestPorts, testPorts } from './ports.ts';
import { unannounced } from './unannounced.ts';

const extra = `
providers:
  - { name: mock, type: mock, models: ["mock"] }
  - { name: openai, type: openai, enabled: false, base_url: "https://llm.example/v1?key=hidden", api_key_env: OPENAI_API_KEY, models: ["gpt-*"], region: us }
budgets:
  global: { daily_usd: 10 }
  tenants: { default: { monthly_usd: 50, models: { "gpt-[4o]*": { monthly_usd: 20 }, "{o1,o3}-*": { daily_usd: 1 } } } }
`;

export let gateway: TestPorts;
export let call: ReturnType<typeof caller>;
beforeEach(async () => {
  gateway = await testPorts({ extra });
  call = caller({ ...gateway.ports, breakers: () => ({ mock: 'half-open' }) });
});
afterEach(() => gateway.stop());

/** Commits a chat call as the gateway does, and projects it as the stream would. */
export async function record(of: object = {}, over: Partial<EntryDraft> = {}): Promise<EvidenceEntry> {
  const entry = await commit(of, over);
  await project(entry);
  return entry;
}

export async function commit(of: object = {}, over: Partial<EntryDraft> = {}): Promise<EvidenceEntry> {
  const { clock, ids, ledger } = gateway.ports;
  const outcome = await ledger.commit({
    draft: {
      tenant: 'default',
      session_id: 'chat-1',
      timestamp: isoTime(clock.now()),
      kind: 'chat',
      envelope_id: ids.uuid(),
      actor: { key_id: 'k1' },
      body: sampleChat(0, of).body,
      ...over,
    },
  });
  if (!outcome.ok) throw new Error('not committed');
  return outcome.entry;
}

export async function project(entry: EvidenceEntry): Promise<void> {
  const Records: DynamoDBRecord[] = [
    { eventName: 'INSERT', dynamodb: { SequenceNumber: '1', NewImage: { entry: { S: canonicalize(entry) } } } },
  ];
  const { batchItemFailures } = await projector({
    ...gateway.ports,
    archive: { keep: async () => {} },
    cover: undefined,
    views: undefined,
    announce: unannounced,
  })({ Records });
  expect(batchItemFailures).toEqual([]);
}

export const get = async (path: string, key = keys.human) => (await call('GET', `/admin/v1/${path}`, { key })).body;
export const blocked = { policy: 'jailbreak', type: 'keyword', action: 'block', phase: 'input', count: 1 };
