/** A caller takes its undecided request back: nothing will run for it, and a vote that comes later is a conflict. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { VotePorts } from './ports.ts';
import { decideApproval } from './vote.ts';

/** The `reviewer` of a request that its own caller withdrew. */
const requester = 'requester';

/** @throws GatewayError `conflict` with the record when the request was decided first. */
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
