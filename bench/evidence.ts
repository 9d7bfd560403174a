/** The cost of sealing, verifying, redacting and reporting evidence. */
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { verifyBundle, verifyChain } from '#core/evidence/verify.ts';
import { parseStrict } from '#core/kernel/json.ts';
import { redact } from '#core/text/secrets/redact.ts';

const entryCount = 100_000;

/** Builds a typical entry for a position in a session. */
export const draft = (index: number): EntryDraft => ({
  tenant: 'default',
  session_id: 'bench',
  timestamp: new Date(1_767_225_600_000 + index).toISOString(),
  kind: 'allow',
  envelope_id: `01890000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  actor: { key_id: 'key-1', agent: 'bench' },
  body: {
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/payments',
    capability: 'write',
    parameters: { title: 'Fix rounding of half cents', head: 'fix/rounding', base: 'main' },
    matched_rule: 'git:scm.create_*',
    policy: 'pr-writer',
    policy_version: 3,
  },
});

async function milliseconds(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return Math.round(performance.now() - start);
}

/** Returns figures by name. Every name includes its unit. */
export async function benchEvidence(): Promise<Record<string, number>> {
  const entries: EvidenceEntry[] = [];
  let head: SessionHead | undefined;
  const sealMs = await milliseconds(() => {
    for (let index = 0; index < entryCount; index++) {
      const entry = sealEntry(draft(index), head);
      head = advanceHead(head, entry);
      entries.push(entry);
    }
  });
  const verifyMs = await milliseconds(async () => {
    const { valid } = await verifyChain(entries, { head });
    if (!valid) throw new Error('the sealed chain does not verify');
  });
  const part = JSON.stringify(entries.slice(0, 10_000));
  const parseMs = await milliseconds(() => parseStrict(part, { values: Infinity }));
  const hostileMs = await milliseconds(() => verifyBundle('{"a":'.repeat(100_000)));
  const call = {
    parameters: { ...(draft(0).body.parameters as object), body: 'A description of the change. '.repeat(30) },
  };
  let salt = 0;
  const options = {
    sensitivePaths: ['$.parameters.password'],
    randomHex: (n: number) => `${++salt}`.padStart(2 * n, '0'),
  };
  const redactMs = await milliseconds(() => {
    for (let run = 0; run < 1_000; run++) redact(call, options);
  });
  return {
    evidence_entry_bytes: JSON.stringify(entries[1]).length,
    evidence_seal_100k_ms: sealMs,
    evidence_verify_100k_ms: verifyMs,
    evidence_parse_strict_mb_per_s: Math.round(part.length / 1_000 / parseMs),
    evidence_refuse_hostile_nesting_ms: hostileMs,
    evidence_redact_1kb_us: redactMs,
  };
}

if (import.meta.main) console.table(await benchEvidence());
