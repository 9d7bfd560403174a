/** Finds an action's grant: the one set by the matched rule, or otherwise the first one that applies. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import type { Grant } from './ports.ts';

type GrantingRule = Pick<ToolRule, 'credential' | 'upstream'>;

/**
 * Returns a call's grant. MCP calls get a grant only for the server named in it, since any server can claim any tool
 * name.
 */
export function grantFor(
  grants: readonly Grant[],
  rule: GrantingRule | undefined,
  call: Pick<ToolCall, 'protocol' | 'tool' | 'upstream'>,
): Grant | undefined {
  if (rule?.credential && isFor(rule.upstream, call))
    return { protocol: call.protocol, tool: call.tool, ...rule.credential };
  return grants.find(
    (grant) =>
      globMatches(grant.protocol, call.protocol) && globMatches(grant.tool, call.tool) && isFor(grant.upstream, call),
  );
}

/** Checks whether a grant for `upstream` applies to this call. */
function isFor(upstream: string | undefined, call: Pick<ToolCall, 'protocol' | 'upstream'>): boolean {
  if (upstream === undefined) return foldCase(call.protocol).trim() !== 'mcp';
  return call.upstream !== undefined && globMatches(upstream, call.upstream);
}
