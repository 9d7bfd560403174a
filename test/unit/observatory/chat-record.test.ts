/** What the request list takes of a `chat` entry. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { chatRecordOf } from '#core/observatory/chat-record.ts';
import { requestRowOf } from '#core/observatory/request-row.ts';

const rowOf = (body: EvidenceEntry['body']) => {
  const entry = {
    timestamp: '2026-01-01T00:00:00.000Z',
    envelope_id: 'e',
    session_id: 's',
    actor: { key_id: 'k' },
    body,
  };
  return requestRowOf(entry as EvidenceEntry, chatRecordOf({ body }));
};

test.each(['chat.completions', 'messages', 'responses', 'embeddings'])('a row names its operation: %s', (operation) => {
  expect(rowOf({ operation }).operation).toBe(operation);
});

test('[chat.refused-recorded] a refused call shows why; an answered one has no reason', () => {
  const refused = {
    operation: 'messages',
    outcome: 'refused',
    status: 400,
    error: 'invalid_request',
    reason: 'messages is missing',
  };
  expect(rowOf(refused)).toMatchObject({ outcome: 'refused', error: 'invalid_request', reason: 'messages is missing' });
  expect(rowOf({ operation: 'messages', outcome: 'completed' })).not.toHaveProperty('reason');
});
