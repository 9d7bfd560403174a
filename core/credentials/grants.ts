/** Which credential an action gets: the matched rule's own, else the first grant that fits (contract §1 credentials). */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { globMatches } from '#core/tool-policy/glob.ts';
import type { Grant } from './ports.ts';

export function grantFor(
  grants: readonly Grant[],
  ofRule: Pick<Grant, 'broker' | 'scope' | 'ttl_seconds'> | undefined,
  call: Pick<ToolCall, 'protocol' | 'tool'>,
): Grant | undefined {
  if (ofRule) return { protocol: call.protocol, tool: call.tool, ...ofRule };
  return grants.find((grant) => globMatches(grant.protocol, call.protocol) && globMatches(grant.tool, call.tool));
}
