/** Evidence entries as the ledger seals them. */

import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { sealEntry } from '#core/evidence/chain.ts';

const start = Date.UTC(2026, 0, 1);

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
  return sealEntry(
    {
      tenant: 'default',
      session_id: 's1',
      timestamp: new Date(start + n * 1000).toISOString(),
      kind: 'allow',
      envelope_id: `e${n}`,
      actor: { key_id: 'k1', agent: 'writer' },
      ...over,
      body: { ...body, ...over.body },
    },
    n === 0 ? undefined : { total_entries: n, last_hash: 'f'.repeat(64) },
  );
}

export const sampleBlock = (n: number, over: Partial<EntryDraft> = {}): EvidenceEntry =>
  sampleEntry(n, {
    kind: 'block',
    ...over,
    body: { protocol: 'shell', tool: 'shell.rm', matched_rule: 'shell:shell.rm', reason: 'destructive', ...over.body },
  });
