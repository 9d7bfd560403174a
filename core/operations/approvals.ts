/** Approvals over HTTP: list, item, votes. GET requests make no decisions. */

import type { z } from 'zod';
import { currentTermsFinder } from '#core/actions/current-terms-finder.ts';
import { readResult } from '#core/actions/kept-result.ts';
import { approvalHead, isLongCall } from '#core/approvals/approval-head.ts';
import { channelsOf } from '#core/approvals/channels.ts';
import { expire } from '#core/approvals/expire.ts';
import { assertUndecided } from '#core/approvals/open-request.ts';
import { verifyAssertion } from '#core/approvals/passkeys/assert.ts';
import { relyingParty } from '#core/approvals/passkeys/relying-party.ts';
import { placeOfRule } from '#core/approvals/rule-place.ts';
import { similarTo } from '#core/approvals/similar.ts';
import { applyTerms } from '#core/approvals/terms.ts';
import { approvalItem, approvalRecord, approvalView } from '#core/approvals/views.ts';
import { decideApproval } from '#core/approvals/vote.ts';
import { watchKey } from '#core/configuration/identity/federation/watch-key.ts';
import { tokenMs } from '#core/configuration/identity/principal.ts';
import { assertMayVote } from '#core/configuration/identity/separation-of-duties.ts';
import { separationOf } from '#core/configuration/identity/separation-rules.ts';
import { approveSchema, voteSchema } from '#core/contracts/admin-requests.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import { passkeyChallenge } from '#core/evidence/passkey-proof.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { assertOwn, type Call, cursorOf, limitOf, type Operation, parseBySchema } from './operation.ts';

/** Lists pending items, oldest first. Expired items are omitted even if their row is still `pending`. */
export const listApprovals: Operation = async (call) => {
  const { ports } = call;
  const page = await ports.approvals.list(call.principal.tenant, 'pending', pageOf(call));
  const now = ports.clock.now();
  // Only the item route evaluates a long call under the active terms. Here, each request would do so for every item.
  const terms = currentTermsFinder(ports, call.snapshot);
  const asked = await Promise.all(page.items.map((row) => (isLongCall(row) ? row : shownUnderTerms(call, row, terms))));
  const open = asked.filter((row) => row.expires_at > isoTime(now));
  const pending = await Promise.all(
    open.map(async (row) => ({
      ...approvalHead(approvalItem(row, ports.adminUrl, now, await placeOfRule(call.ports, row))),
      ...toSign(row),
      ...similarTo(row, open, isoTime(now)),
    })),
  );
  return { body: { pending, ...unreadableOf(page.unreadable), ...(page.cursor && { cursor: page.cursor }) } };
};

/** Names approvals that cannot be read, so that reviewers know that the list is incomplete. */
const unreadableOf = (ids: readonly string[] = []) => (ids.length > 0 ? { unreadable: ids } : {});

/**
 * Returns the row under the active terms. If these cannot be evaluated at the moment, returns it with its stored terms,
 * and votes are refused until evaluation works again.
 */
async function shownUnderTerms(
  call: Call,
  row: ApprovalRow,
  terms = currentTermsFinder(call.ports, call.snapshot),
): Promise<ApprovalRow> {
  try {
    return applyTerms(row, await terms(row));
  } catch (fault) {
    call.ports.telemetry.log('warn', 'the terms of a request were not checked again', {
      envelope_id: row.envelope_id,
      error: (fault as Error).message,
    });
    return row;
  }
}

/** Approval states selected by each filter. Used approvals are also listed as approved. */
const histories: Readonly<Record<string, readonly ApprovalStatus[]>> = {
  approved: ['approved', 'executing', 'consumed'],
  denied: ['denied'],
  expired: ['denied'],
  consumed: ['consumed'],
};
const everything: readonly ApprovalStatus[] = ['approved', 'executing', 'consumed', 'denied'];
/** Maximum number of reads per page. Because the index lags and the filter omits rows, a page may not be full. */
const maxReads = 10;

/**
 * Lists approvals with a decision, newest first within each state. By default, lists all states; the cursor names the
 * state of the next page.
 */
export const approvalHistory: Operation = async (call) => {
  const { ports, principal, query } = call;
  const { cursor = '0.', status: wanted } = query;
  const states = wanted === undefined ? everything : Object.hasOwn(histories, wanted) ? histories[wanted]! : [];
  if (states.length === 0)
    throw invalidRequest(
      `status is ${JSON.stringify(wanted)}; it must be one of ${Object.keys(histories).join(', ')}.`,
    );
  const { cursor: _, limit, ...page } = pageOf(call);
  const rows: ApprovalRow[] = [];
  const unreadable: string[] = [];
  let place: string | undefined = cursor;
  for (let reads = 0; place !== undefined && rows.length < limit && reads < maxReads; reads++) {
    const { at, rest } = placeIn(states, place);
    const status = states[at]!;
    const found = await ports.approvals.list(principal.tenant, status, {
      ...page,
      limit: limit - rows.length,
      ...(rest && { cursor: rest }),
    });
    unreadable.push(...(found.unreadable ?? []));
    rows.push(...found.items.filter((row) => wanted === undefined || isOf(wanted, row)));
    place = found.cursor ? `${at}.${found.cursor}` : states[at + 1] && `${at + 1}.`;
  }
  const approvals = await Promise.all(
    rows.map(async (row) =>
      approvalHead(approvalView(row, ports.adminUrl, ports.clock.now(), await placeOfRule(call.ports, row))),
    ),
  );
  return { body: { approvals, ...unreadableOf(unreadable), ...(place !== undefined && { cursor: place }) } };
};

/** Checks whether a row is in the given state. A denial by timeout counts as expired. */
const isOf = (wanted: string, { status, reason }: ApprovalRow): boolean =>
  status !== 'denied' || (reason === 'timeout') === (wanted === 'expired');

function placeIn(states: readonly ApprovalStatus[], cursor: string): { readonly at: number; readonly rest: string } {
  const [, at = '', rest = ''] = /^(\d)\.(.*)$/.exec(cursor) ?? [];
  if (at === '' || states[Number(at)] === undefined)
    throw invalidRequest('cursor was not made by this service; pass it unchanged.');
  return { at: Number(at), rest };
}

const pageOf = ({ query, principal }: Call): { limit: number; cursor?: string; keyId?: string } => ({
  limit: limitOf(query),
  ...cursorOf(query),
  ...(principal.kind === 'agent' && { keyId: principal.key_id }),
});

/**
 * Streams the tenant's approval events as server-sent events [approval.events].
 * @throws GatewayError `method_not_allowed` on hosts that run a function per request, and if several processes share a
 * store.
 */
export const approvalEvents: Operation = async ({ ports, principal, header }) => {
  const { approvalEvents: feed } = ports;
  if (!feed)
    throw new GatewayError(
      'method_not_allowed',
      'GET /admin/v1/approvals/events has no event stream on this host, because another of its processes may make the decision; request GET /admin/v1/approvals repeatedly.',
    );
  return {
    contentType: 'text/event-stream',
    body: feed.open(
      {
        tenant: principal.tenant,
        keyId: principal.key_id,
        maxMs: tokenMs(principal, ports.clock.now()),
        watch: (revoked) => watchKey(ports, principal, revoked),
      },
      header('last-event-id'),
    ),
  };
};

/**
 * Returns an approval. For an executed call, it includes the full result, even if the result is in the object store.
 */
export const getApproval: Operation = async (call) => {
  const row = await rowOf(call);
  // Agents poll for the decision but do not vote.
  const mayConfuse = row.status === 'pending' && call.principal.kind !== 'agent';
  return {
    body: {
      ...approvalView(row, call.ports.adminUrl, call.ports.clock.now(), await placeOfRule(call.ports, row)),
      ...toSign(row),
      ...(await readResult(call.ports, row)),
      ...(mayConfuse && (await similarRequests(call, row))),
    },
  };
};

/** Maximum number of a key's pending requests that are compared with a given one. */
const mostCompared = 100;

/** Returns other pending requests that a reviewer might confuse with this one, or none if they cannot be read. */
async function similarRequests({ ports }: Call, row: ApprovalRow) {
  try {
    const { items } = await ports.approvals.list(row.tenant, 'pending', { limit: mostCompared, keyId: row.key_id });
    return similarTo(row, items, isoTime(ports.clock.now()));
  } catch (fault) {
    ports.telemetry.log('warn', 'similar requests were not looked for', {
      envelope_id: row.envelope_id,
      error: (fault as Error).message,
    });
    return {};
  }
}

/** Returns the text that a passkey signs to approve a pending request. */
const toSign = ({ status, envelope_id, call_digest }: ApprovalRow) =>
  status === 'pending' ? { passkey_challenge: passkeyChallenge(envelope_id, call_digest) } : {};

const vote =
  (verdict: 'approve' | 'deny'): Operation =>
  async (call) => {
    const { reviewer, comment, passkey } = parseBySchema<z.infer<typeof approveSchema>>(
      verdict === 'approve' ? approveSchema : voteSchema,
      call.body(),
    );
    const { ports, principal, snapshot } = call;
    const row = await rowOf(call);
    assertMayVote(principal, row, snapshot.identities);
    const person = principal.person ?? principal.name;
    if (verdict === 'approve') assertUndecided(row);
    const terms = verdict === 'approve' ? await currentTermsFinder(ports, snapshot)(row) : undefined;
    const signed = passkey && (await verifyAssertion(ports, person, row, passkey, relyingParty(ports)));
    const decided = await decideApproval(ports, row, {
      verdict,
      person,
      terms,
      separation: separationOf(snapshot.configuration, row, { person, role: principal.role }),
      key_id: principal.key_id,
      federated: principal.federated,
      passkey: signed,
      reviewer,
      comment: comment ?? '',
      channel: 'http',
      channels: channelsOf(ports, snapshot.configuration, row),
      useSeconds: snapshot.configuration.approvals.timeout_seconds,
      denialLifetime: snapshot.configuration.approvals.denial_lifetime,
    });
    return { body: { ...approvalRecord(decided), ...(await similarRequests(call, decided)) } };
  };

export const approve = vote('approve');
export const deny = vote('deny');

/** Returns the row after applying a timeout that is due. */
async function rowOf(call: Call): Promise<ApprovalRow> {
  const id = call.params.envelope_id ?? '';
  const found = await call.ports.approvals.get(call.principal.tenant, id);
  if (!found) throw notFound(things.approval, id);
  assertOwn(call, found.key_id, things.approval, id);
  const row = await shownUnderTerms(call, found);
  if (row.status !== 'pending' || row.expires_at > isoTime(call.ports.clock.now())) return row;
  return expire(call.ports, row, channelsOf(call.ports, call.snapshot.configuration, row));
}
