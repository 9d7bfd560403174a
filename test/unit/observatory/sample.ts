/** Evidence entries as the ledger seals them. */

import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { sealEntry } from '#core/evidence/chain.ts';

const start = Date.UTC(2026, 0, 1);

const sealed = (n: number, over: Partial<EntryDraft>): EvidenceEntry =>
  sealEntry(
    {
      tenant: 'default',
      session_id: 's1',
      timestamp: new Date(start + n * 1000).toISOString(),
      kind: 'allow',
      envelope_id: `e${n}`,
      actor: { key_id: 'k1' },
      body: {},
      ...over,
    },
    n === 0 ? undefined : { total_entries: n, last_hash: 'f'.repeat(64) },
  );

export function sampleEntry(n: number, over: Partial<EntryDraft> = {}): EvidenceEntry {
  const body = {
    protocol: 'git',
    tool: 'scm.get_issue',
    target: 'acme/web',
    capability: 'read',
    matched_rule: 'git:scm.get_*',
    policy: 'pr-writer',
    policy_version: 1,
  };
  return sealed(n, { actor: { key_id: 'k1', agent: 'writer' }, ...over, body: { ...body, ...over.body } });
}

export const sampleBlock = (n: number, over: Partial<EntryDraft> = {}): EvidenceEntry =>
  sampleEntry(n, {
    kind: 'block',
    ...over,
    body: { protocol: 'shell', tool: 'shell.rm', matched_rule: 'shell:shell.rm', reason: 'destructive', ...over.body },
  });

/** Returns a successful chat call. */
export function sampleChat(n: number, record: object = {}, over: Partial<EntryDraft> = {}): EvidenceEntry {
  const body = {
    operation: 'chat.completions',
    decision: 'allow',
    outcome: 'completed',
    status: 200,
    model: 'mock',
    resolved_model: 'mock',
    provider: 'mock',
    stream: false,
    transport: 'http',
    policy_version: 1,
    usage: { input_tokens: 100, output_tokens: 20 },
    cost_microusd: 250,
    cache: 'MISS',
    latency_ms: 120,
    request_id: `r${n}`,
    request_sha256: 'ab'.repeat(32),
    ...record,
  };
  return sealed(n, {
    kind: 'chat',
    ...over,
    body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
  });
}
