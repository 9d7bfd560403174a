/** Sends chat calls to the evaluator, and records its scores as evidence [evaluation.webhook]. */
import { secretOfChannel } from '#core/approvals/channel-secrets.ts';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type Score, type ScoredCall, scored } from '#core/observatory/evaluation/score.ts';
import type { GatewayPorts } from '#core/operations/ports.ts';
import type { CreateNotifier } from '../feature.ts';
import { scoreOf } from './score.ts';

const maxBytes = 64 * 1024;

export const notifier: CreateNotifier = async (ports, { evaluation: { url, secret_env = '' } }) => {
  if (url === undefined) return undefined;
  const secret = await secretOfChannel(ports, secret_env);
  const { clock, notificationClients, telemetry } = ports;
  return {
    send: () => Promise.reject(new Error('only chat calls are sent to an evaluator')),
    async evaluate(call, envelopeId) {
      const { body } = await notificationClients.postSigned({ url, secret, clock }, call.message);
      const score = await readScore(body, (why) => telemetry.log('warn', why, { envelope_id: envelopeId }));
      if (score) await recordScore(ports, call, envelopeId, score);
      return {};
    },
  };
};

/** Reads a score. @param unread receives the reason why a reply is ignored; in that case, the call is not resent. */
async function readScore(body: Response['body'], unread: (why: string) => void): Promise<Score | undefined> {
  const text = await beginning(body);
  if (text === undefined) return void unread(`the evaluator's reply is longer than ${maxBytes} bytes`);
  try {
    return scoreOf(text);
  } catch (wrong) {
    return void unread((wrong as Error).message);
  }
}

/** Returns the whole body, or undefined if it is too long, in which case the rest is not read. */
async function beginning(body: Response['body']): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Records a score. @throws GatewayError `service_unavailable` if the entry could not be written. */
async function recordScore(
  { ledger, clock, ids }: GatewayPorts,
  { at, message }: NonNullable<Delivery['evaluation']>,
  envelopeId: string,
  score: Score,
): Promise<void> {
  const timestamp = isoTime(clock.now());
  const { request_id, session_id, evidence_hash, model, provider, tenant } = message;
  const call: ScoredCall = {
    request_id,
    envelope_id: envelopeId,
    session_id,
    at,
    entry: evidence_hash,
    model,
    provider,
  };
  const draft: EntryDraft = {
    tenant,
    session_id: `admin-${tenant}-${timestamp.slice(0, 10)}`,
    timestamp,
    kind: 'admin',
    envelope_id: ids.uuid(),
    actor: { key_id: 'system' },
    body: { action: scored, call, ...score },
  };
  await ledger.commit({ draft });
}
