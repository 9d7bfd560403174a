/** Which credential an action gets: the matched rule's own, else the first grant that fits. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import type { Grant } from './ports.ts';

type OfRule = Pick<ToolRule, 'credential' | 'upstream'>;

/**
 * A call of protocol mcp is given a credential only for the server it is named for: tool names are what any server says of
 * itself, so a name alone proves nothing.
 */
export function grantFor(
  grants: readonly Grant[],
  rule: OfRule | undefined,
  call: Pick<ToolCall, 'protocol' | 'tool' | 'upstream'>,
): Grant | undefined {
  if (rule?.credential && isFor(rule.upstream, call))
    return { protocol: call.protocol, tool: call.tool, ...rule.credential };
  return grants.find(
    (grant) =>
      globMatches(grant.protocol, call.protocol) && globMatches(grant.tool, call.tool) && isFor(grant.upstream, call),
  );
}

/** Whether what is granted for `upstream` is for this call. */
function isFor(upstream: string | undefined, call: Pick<ToolCall, 'protocol' | 'upstream'>): boolean {
  if (upstream === undefined) return foldCase(call.protocol).trim() !== 'mcp';
  return call.upstream !== undefined && globMatches(upstream, call.upstream);
}
