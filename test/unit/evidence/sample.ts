/** A fixed session for tests: ids and times never change, so hashes are golden values. */
import { generateKeyPairSync, sign } from 'node:crypto';
import type { EntryDraft, EvidenceEntry, SessionCheckpoint, SessionManifest } from '#core/contracts/evidence.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import { checkpointsOf, signCheckpoint } from '#core/evidence/checkpoint.ts';
import type { ManifestStore, SessionHead, Signer } from '#core/evidence/ports.ts';
import { signedManifest } from '#core/evidence/sign.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const trustedKey = publicKey.export({ type: 'spki', format: 'pem' }).toString();
export const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();

export const signer: Signer = {
  keyId: '1234abcd-12ab-34cd-56ef-1234567890ab',
  sign: async (message) => sign('sha256', message, privateKey).toString('base64'),
  publicKey: async () => trustedKey,
};

export function memoryManifests(): ManifestStore & { readonly kept: Map<string, SessionManifest> } {
  const kept = new Map<string, SessionManifest>();
  const key = (tenant: string, session: string, hash: string) => `${tenant}#${session}#${hash}`;
  return {
    kept,
    get: async (tenant, session, hash) => kept.get(key(tenant, session, hash)),
    put: async (manifest) => {
      const name = key(manifest.tenant, manifest.session_id, manifest.last_hash);
      if (!kept.has(name)) kept.set(name, manifest);
      return kept.get(name)!;
    },
  };
}

const envelope = '01890000-0000-7000-8000-000000000001';
const call = {
  protocol: 'git',
  tool: 'scm.create_pull_request',
  target: 'acme/payments',
  capability: 'write',
  parameters: { title: 'Fix rounding', head: 'fix/rounding', base: 'main' },
  matched_rule: 'git:scm.create_*',
  policy: 'pr-writer',
  policy_version: 3,
  call_digest: 'ab'.repeat(32),
};
const credential = {
  id: 'cred-1',
  type: 'scm_app_jwt',
  scope: 'pull_requests:write,contents:read',
  expires_at: '2026-01-02T03:14:05.678Z',
  broker: 'scm',
};

export const draft = (kind: EntryDraft['kind'], body: EntryDraft['body'], second: number): EntryDraft => ({
  tenant: 'default',
  session_id: 's-1',
  timestamp: `2026-01-02T03:04:${String(second % 60).padStart(2, '0')}.678Z`,
  kind,
  envelope_id: envelope,
  actor: { key_id: 'key-1', agent: 'claude' },
  body,
});

const approval = { status: 'approved', reviewer: 'alice', person: 'alice', comment: 'looks right', channel: 'cli' };
export const drafts: readonly EntryDraft[] = [
  draft('review', call, 1),
  draft('approve', { approval_id: envelope, ...approval }, 2),
  draft('allow', { ...call, policy_version: 4, approval_ref: envelope, execution: 'started' }, 3),
  draft('result', { outcome: 'executed', credential, result: { pr_number: 7 } }, 4),
  draft('credential', { action: 'revoke', credential }, 5),
];

export interface Sealed {
  readonly entries: EvidenceEntry[];
  readonly head: SessionHead;
}

export function seal(from: readonly EntryDraft[], owner = 'key-1'): Sealed {
  const entries: EvidenceEntry[] = [];
  let head: SessionHead | undefined;
  for (const each of from) {
    const entry = sealEntry(each, head);
    entries.push(entry);
    head = advanceHead(head, entry, owner);
  }
  return { entries, head: head! };
}

export async function sealedSession(from = drafts): Promise<Sealed & { readonly manifest: SessionManifest }> {
  const { entries, head } = seal(from);
  return { entries, head, manifest: await signedManifest(head, entries, signer, memoryManifests()) };
}

export const checkpointedAt = '2026-01-02T03:05:00.000Z';

/** Returns a checkpoint that covers the last entry and other sessions. */
export async function checkpointOver({ entries }: Pick<Sealed, 'entries'>, by = signer): Promise<SessionCheckpoint> {
  const { tenant, session_id, index, hash } = entries.at(-1)!;
  const others = ['other-1', 'other-2'].map((id) => ({ tenant, session_id: id, index: 0, hash: 'cd'.repeat(32) }));
  const points = [others[0]!, { tenant, session_id, index, hash }, others[1]!];
  return checkpointsOf(await signCheckpoint(points, { created_at: checkpointedAt, previous: '' }, by), points)(1);
}

export async function textOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

/** Returns a deep copy, so that a test may modify it. */
export const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
