/** Operations that show a session's risk, and release a session stopped by the kill switch. */

import type { Identities } from '#core/configuration/identity/identities.ts';
import { personActor } from '#core/configuration/identity/principal.ts';
import { assertMayVote } from '#core/configuration/identity/separation-of-duties.ts';
import { releaseSchema } from '#core/contracts/admin-requests.ts';
import { type RiskRecord, type RiskSettings, riskSettingsOf } from '#core/contracts/behavior.ts';
import { firstEntries } from '#core/evidence/bundle.ts';
import { readableEntries, UnreadableEntry } from '#core/evidence/entry-text.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { blockedBy, forKeys } from '#core/session/risk/assess.ts';
import { releaseAction, replayRisk } from '#core/session/risk/replay.ts';
import { scoreAt } from '#core/session/risk/score.ts';
import { markLists, stateOf } from '#core/session/risk/state.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';
import { assertOwn, type Call, type Operation, parseBySchema } from './operation.ts';

/** Returns the current score. With `replay=true`, also returns its history from evidence, alert by alert. */
export const sessionRisk: Operation = async (call) => {
  const head = await headOf(call);
  const { ports, query, snapshot } = call;
  const { behavior } = snapshot.configuration;
  const standing = { session: head.risk, key: await keyRiskOf(call, head) };
  const now = ports.clock.now();
  const blocked = blockedBy(behavior, standing, now);
  const settings = riskSettingsOf(behavior);
  return {
    body: {
      session_id: head.session_id,
      enabled: behavior.enabled,
      ...viewOf(standing.session, now, settings),
      blocked: blocked !== undefined,
      ...(blocked && { matched_rule: blocked.matched_rule, reason: blocked.reason }),
      kill_switch_score: behavior.kill_switch_score,
      window_minutes: behavior.window_minutes,
      ...(head.owner_key !== undefined && {
        key: { key_id: head.owner_key, ...viewOf(standing.key, now, forKeys(settings)) },
      }),
      ...(query.replay === 'true' && { replay: await replaySession(call, head) }),
    },
  };
};

function viewOf(record: RiskRecord | undefined, now: number, settings: RiskSettings) {
  const state = stateOf(record);
  const { score, rule } = state ? scoreAt(state, now, settings) : (record ?? { score: 0, rule: '' });
  const { alerts = [], tripped = false } = state ?? {};
  return {
    score,
    ...(rule !== '' && { rule }),
    tripped,
    alerts: alerts.map(({ at, ...alert }) => ({ ...alert, at: isoTime(at * 1000) })),
    /** Number of remembered items of each kind. A kind that is counted raises an alert at its threshold. */
    remembered: Object.fromEntries(
      [...markLists, 'attempts' as const].flatMap((name) => {
        const length = state?.[name].length ?? 0;
        return length > 0 ? [[name, length]] : [];
      }),
    ),
  };
}

async function replaySession({ ports }: Call, head: SessionHead) {
  const rows = firstEntries(ports.evidence.rows(head.tenant, head.session_id), head.total_entries);
  const unreadable: number[] = [];
  const { record, alerts, total_alerts } = await replayRisk(
    readableEntries(rows, ({ index }) => void unreadable.push(index)),
  );
  const same = record?.score === head.risk?.score && record?.state === head.risk?.state;
  return {
    score: record?.score ?? 0,
    agrees: same && unreadable.length === 0,
    ...(unreadable.length > 0 && { unreadable }),
    total_alerts,
    alerts: alerts.map(({ at, ...alert }) => ({ ...alert, at: isoTime(at * 1000) })),
  };
}

/**
 * Releases a session and its key, because the key's next call would otherwise still be refused. The release is an entry
 * in the session's own chain, so that a replay has the same result. Findings about them in other sessions remain.
 */
export const releaseSession: Operation = async (call) => {
  const { ports, principal, snapshot } = call;
  const { reason } = parseBySchema(releaseSchema, call.body());
  const head = await headOf(call);
  const owner = head.owner_key;
  const { identities } = await ports.snapshots.current({ evenStale: true, of: { key_id: owner } });
  const openedByHuman = await openedBy(call, head, identities);
  assertMayVote(principal, { key_id: owner ?? '', key_owner: openedByHuman }, identities);
  const key = await keyRiskOf(call, head);
  const blocked = blockedBy(snapshot.configuration.behavior, { session: head.risk, key }, ports.clock.now());
  if (!blocked)
    throw new GatewayError(
      'conflict',
      `Session ${head.session_id} is not blocked; only a blocked session can be released.`,
    );
  const outcome = await ports.ledger.commit({
    head,
    draft: {
      tenant: head.tenant,
      session_id: head.session_id,
      timestamp: isoTime(ports.clock.now()),
      kind: 'admin',
      envelope_id: ports.ids.uuid(),
      actor: personActor(principal),
      body: {
        action: releaseAction,
        reason: maskSecrets(reason),
        released: { matched_rule: blocked.matched_rule, score: blocked.score, of: blocked.of },
        ...(owner !== undefined && { owner_key: owner }),
      },
    },
  });
  if (!outcome.ok) throw new Error('a release carries no conditions');
  if (owner !== undefined) await ports.keyRisks.update(head.tenant, owner, () => undefined);
  return {
    body: {
      session_id: head.session_id,
      released: true,
      matched_rule: blocked.matched_rule,
      score: blocked.score,
      evidence_hash: outcome.entry.hash,
    },
  };
};

async function headOf(call: Call): Promise<SessionHead> {
  const { ports, principal, params } = call;
  const id = params.id ?? '';
  const head = await ports.evidence.head(principal.tenant, id);
  if (!head) throw notFound(things.session, id);
  assertOwn(call, head.owner_key, things.session, id);
  return head;
}

/**
 * Returns the human behind a session opened with a token. No key identifies that human, but the session's first entry
 * does.
 */
async function openedBy({ ports }: Call, head: SessionHead, { byKeyId }: Identities): Promise<string | undefined> {
  if (head.owner_key === undefined || byKeyId.has(head.owner_key)) return undefined;
  for await (const row of ports.evidence.rows(head.tenant, head.session_id)) {
    if (!(row instanceof UnreadableEntry)) return row.actor.owner;
    throw new GatewayError(
      'conflict',
      `The first entry of session ${head.session_id} names the human who owns it and cannot be read, so the gateway cannot check that another human releases it. The session stays blocked; start another one.`,
    );
  }
  return undefined;
}

const keyRiskOf = async ({ ports, principal }: Call, { owner_key }: SessionHead): Promise<RiskRecord | undefined> =>
  owner_key === undefined ? undefined : ports.keyRisks.of(principal.tenant, owner_key);
