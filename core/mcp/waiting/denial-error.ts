/** The JSON-RPC error for a human's denial. */
import { denialOf } from '#core/actions/answers.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { RpcError } from '../protocol/messages.ts';

/** Returns -32001 with the reviewer's reason. */
export function denialError(row: ApprovalRow): RpcError {
  const { code, message, data } = denialOf(row);
  return { code, message, data: { ...data, envelope_id: row.envelope_id } };
}
