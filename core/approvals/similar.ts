/** Finds pending requests that a reviewer might confuse with each other [approval.obstacle]. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { remembered } from '#core/kernel/remembered.ts';

/** Newlines and tabs appear as escapes in JSON. */
const spaces = /(?:\\[nrt]|\s)+/g;

/**
 * Computes a digest that is the same for calls by one key that differ only in case, spaces or character form. Cached
 * per row, since calls can be long.
 */
const likenessOf = remembered(
  ({ key_id, protocol, tool, upstream, target, parameters, sent_with }: ApprovalRow): string => {
    const optional = { ...(upstream !== undefined && { upstream }), ...(sent_with && { sent_with }) };
    const call = canonicalize({ key_id, protocol, tool, target, parameters, ...optional });
    return sha256(call.normalize('NFKC').toLowerCase().replace(spaces, ''));
  },
);

/** Returns the other similar requests pending at `now` as a response member; an empty object if there are none. */
export function similarTo(row: ApprovalRow, pending: readonly ApprovalRow[], now: string) {
  const others = pending.filter(
    ({ envelope_id, key_id, tool, expires_at }) =>
      envelope_id !== row.envelope_id && key_id === row.key_id && tool === row.tool && expires_at > now,
  );
  if (others.length === 0) return {};
  const own = likenessOf(row);
  const similar_pending = others
    .filter((each) => likenessOf(each) === own)
    .map(({ envelope_id, session_id, queued_at }) => ({ envelope_id, session_id, queued_at }));
  return similar_pending.length > 0 ? { similar_pending } : {};
}
