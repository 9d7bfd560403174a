/** Withdraws a caller's pending request: its call will not run, and later votes are refused as conflicts. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { VotePorts } from './ports.ts';
import { decideApproval } from './vote.ts';

/** `reviewer` of a withdrawn request. */
const requester = 'requester';

/** Withdraws the request. @throws GatewayError `conflict` with the record if a decision was made first. */
export const withdrawRequest = (
  ports: VotePorts,
  row: ApprovalRow,
  { key_id, person }: Pick<Principal, 'key_id' | 'person'>,
  comment = 'Withdrawn by the caller.',
): Promise<ApprovalRow> =>
  decideApproval(ports, row, {
    verdict: 'deny',
    person: person ?? `key:${key_id}`,
    key_id,
    reviewer: requester,
    channel: 'system',
    reason: 'withdrawn',
    comment,
    channels: [],
    useSeconds: 0,
  });
