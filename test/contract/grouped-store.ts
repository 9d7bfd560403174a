/** An embedded store, drafts of entries for it, and the resulting chain. */
import type { EntryDraft } from '#core/contracts/evidence.ts';
import { useDynamo } from '../support/dynamo.ts';

export const dynamo = useDynamo();

export const draft = (session: string, id: string, body: object = {}): EntryDraft => ({
  tenant: 't',
  session_id: session,
  timestamp: '2026-01-01T00:00:00.000Z',
  kind: 'allow',
  envelope_id: id,
  actor: { key_id: 'k' },
  body: { policy_version: 1, ...body },
});
