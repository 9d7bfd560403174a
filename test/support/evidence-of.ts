/** Reads a session's evidence. */
import type { ChatRecord } from '#core/contracts/chat.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';

interface Holder {
  readonly evidence: { entries(tenant: string, session: string): AsyncIterable<EvidenceEntry> };
}

export async function evidenceOf({ evidence }: Holder, session: string, tenant = 'default'): Promise<EvidenceEntry[]> {
  const entries: EvidenceEntry[] = [];
  for await (const entry of evidence.entries(tenant, session)) entries.push(entry);
  return entries;
}

export const chatRecordsOf = async (...of: Parameters<typeof evidenceOf>): Promise<ChatRecord[]> =>
  (await evidenceOf(...of)).flatMap(({ kind, body }) => (kind === 'chat' ? [body as unknown as ChatRecord] : []));
