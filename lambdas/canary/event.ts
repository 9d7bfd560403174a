/** Runs every minute if the deployment enables it: one round of HTTP requests as a caller and an approver. */

import type { JsonObject } from '#core/kernel/json.ts';
import type { Clock, SecretStore, Telemetry } from '#core/kernel/ports.ts';
import { type AskAdmin, canaryRound } from '#core/observatory/canary.ts';

interface CanaryPorts {
  readonly adminUrl: string;
  readonly clock: Clock;
  readonly secrets: Pick<SecretStore, 'get'>;
  readonly telemetry: Telemetry;
  /** Returns a name that is unique to the round. */
  readonly unique: () => string;
}

/** Names of the keys in the canary's secret. */
const keyNames = { agent: 'CANARY_AGENT_KEY', approver: 'CANARY_APPROVER_KEY' } as const;
/** Maximum response time in milliseconds, so that a round of six requests ends within the minute. */
const answerWithinMs = 8_000;

/** Runs one round. @returns undefined if there are no keys; the alarm on missing rounds then reports the problem */
export const createHandler = (ports: CanaryPorts) => async () => {
  const { clock, secrets, telemetry } = ports;
  const [agent, approver] = await Promise.all([secrets.get(keyNames.agent), secrets.get(keyNames.approver)]);
  if (!agent || !approver) {
    telemetry.log('warn', 'the canary has no keys', { needed: Object.values(keyNames) });
    return undefined;
  }
  const ask = asking(ports.adminUrl, { agent, approver });
  const round = await canaryRound({ ask, clock, session: `canary-${ports.unique()}` });
  telemetry.count('svc_canary_rounds_total', { outcome: round.outcome });
  telemetry.observe('svc_canary_round_ms', round.round_ms, {});
  telemetry.log(round.outcome === 'passed' ? 'info' : 'error', 'canary round ended', { ...round });
  return round;
};

const asking =
  (url: string, keys: Readonly<Record<'agent' | 'approver', string>>): AskAdmin =>
  async (who, method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { 'x-api-key': keys[who], ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    return { status: response.status, body: jsonOf(await response.text()) };
  };

function jsonOf(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {};
  }
}
