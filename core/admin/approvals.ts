/** Approvals over HTTP: list, item, votes. Nothing is ever decided on GET. */

import { readResult } from '#core/actions/kept-result.ts';
import { channelsOf } from '#core/approvals/channels.ts';
import { approvalItem, approvalRecord, approvalView } from '#core/approvals/views.ts';
import { decideApproval, timeOut } from '#core/approvals/vote.ts';
import { voteSchema } from '#core/contracts/admin-requests.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import { assertMayVote } from '#core/identity/separation-of-duties.ts';
import { invalidRequest, notFound } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { assertOwn, type Call, cursorOf, limitOf, type Operation, parsed } from './operation.ts';

/** Pending items, oldest first. Items whose time is over are not pending any more, whatever the row still says. */
export const listApprovals: Operation = async (call) => {
  const { ports } = call;
  const page = await ports.approvals.list(call.principal.tenant, 'pending', pageOf(call));
  const now = ports.clock.now();
  const pending = page.items
    .filter((row) => row.expires_at > isoTime(now))
    .map((row) => approvalItem(row, ports.adminUrl, now));
  return { body: { pending, ...(page.cursor && { cursor: page.cursor }) } };
};

/** What was decided, and what became of it: an approval that was used is still an approval. */
const histories: Readonly<Record<string, readonly ApprovalStatus[]>> = {
  approved: ['approved', 'executing', 'consumed'],
  denied: ['denied'],
  expired: ['denied'],
  consumed: ['consumed'],
};

/** Newest first within each state; the cursor says which state the next page is of. */
export const approvalHistory: Operation = async (call) => {
  const { cursor = '0.', status: wanted = 'approved' } = call.query;
  const states = Object.hasOwn(histories, wanted) ? (histories[wanted] ?? []) : [];
  if (states.length === 0) {
    throw invalidRequest(`status is ${JSON.stringify(wanted)}; it takes ${Object.keys(histories).join(', ')}.`);
  }
  const [, at = '', rest = ''] = /^(\d)\.(.*)$/.exec(cursor) ?? [];
  const status = states[Number(at)];
  if (at === '' || status === undefined)
    throw invalidRequest('cursor was not made by this service; pass it unchanged.');

  const { cursor: _, ...page } = pageOf(call);
  const found = await call.ports.approvals.list(call.principal.tenant, status, {
    ...page,
    ...(rest && { cursor: rest }),
  });
  const rows = found.items.filter(
    (row) => status !== 'denied' || (row.reason === 'timeout') === (wanted === 'expired'),
  );
  const more = found.cursor ? `${at}.${found.cursor}` : states[Number(at) + 1] && `${Number(at) + 1}.`;
  const approvals = rows.map((row) => approvalView(row, call.ports.adminUrl, call.ports.clock.now()));
  return { body: { approvals, ...(more && { cursor: more }) } };
};

const pageOf = ({ query, principal }: Call): { limit: number; cursor?: string; keyId?: string } => ({
  limit: limitOf(query),
  ...cursorOf(query),
  ...(principal.kind === 'agent' && { keyId: principal.key_id }),
});

/** The record of a call that ran brings its result in full, also one that lies in the object store. */
export const getApproval: Operation = async (call) => {
  const row = await rowOf(call);
  return {
    body: { ...approvalView(row, call.ports.adminUrl, call.ports.clock.now()), ...(await readResult(call.ports, row)) },
  };
};

const vote =
  (verdict: 'approve' | 'deny'): Operation =>
  async (call) => {
    const { reviewer, comment } = parsed(voteSchema, call.body());
    const { ports, principal, snapshot } = call;
    const row = await rowOf(call);
    assertMayVote(principal, row, snapshot.identities);
    const decided = await decideApproval(ports, row, {
      verdict,
      person: principal.person ?? principal.name,
      key_id: principal.key_id,
      federated: principal.federated,
      reviewer,
      comment: comment ?? '',
      channel: 'http',
      channels: channelsOf(snapshot.configuration, row),
      useSeconds: snapshot.configuration.approvals.timeout_seconds,
    });
    return { body: approvalRecord(decided) };
  };

export const approve = vote('approve');
export const deny = vote('deny');

/** The row, with its time-out applied if that has come. */
async function rowOf(call: Call): Promise<ApprovalRow> {
  const id = call.params.envelope_id ?? '';
  const row = await call.ports.approvals.get(call.principal.tenant, id);
  if (!row) throw notFound(`Approval ${id}`);
  assertOwn(call, row.key_id, `Approval ${id}`);
  if (row.status !== 'pending' || row.expires_at > isoTime(call.ports.clock.now())) return row;
  return timeOut(call.ports, row, channelsOf(call.snapshot.configuration, row));
}
