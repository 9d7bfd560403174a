/** Tool definitions of MCP servers: what was seen, and a human's word on what has changed. */

import { classifyTool } from '#core/classification/classify-tool.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import type { ToolMark } from '#core/mcp/ports.ts';
import { overrideOf } from '#core/mcp/tools/action.ts';
import { certainlyBlocked } from '#core/mcp/tools/blocked-tools.ts';
import { acceptDefinition, upstreamOf } from '#core/mcp/tools/drift.ts';
import { decide } from '#core/tool-policy/decide.ts';
import type { Call, Operation } from './operation.ts';
import { recordAct } from './record.ts';

export const listMcpTools: Operation = async (call) => {
  const marks = await allMarks(call);
  const tools = marks.flatMap(({ upstream, tools }) =>
    Object.entries(tools).map(([tool, mark]) => {
      const { fingerprint, seen_at, changed } = mark;
      return {
        ...{ upstream, tool, fingerprint, seen_at },
        state: changed ? (fingerprint === undefined ? 'new' : 'changed') : 'accepted',
        ...(changed && { changed }),
        ...classOf(call, upstream, tool, mark),
      };
    }),
  );
  return { body: { tools } };
};

/** How policies see the tool, and what the one in force says of a call without target and arguments. */
function classOf({ snapshot, principal }: Call, upstream: string, tool: string, { about = {} }: ToolMark) {
  const entry = snapshot.configuration.upstreams.mcp.find(({ name }) => name === upstream);
  const override = entry && overrideOf(entry, tool);
  const annotations = { readOnlyHint: about.read_only, destructiveHint: about.destructive };
  const named = classifyTool(tool, annotations);
  const { capability, why } = override?.capability
    ? { capability: override.capability, why: 'upstreams.mcp[].overrides says so' }
    : named;
  const call = {
    ...{ protocol: override?.protocol ?? 'mcp', tool: override?.name ?? tool, upstream },
    ...{ target: '', capability, parameters: {} },
  };
  const { policy } = ofTenant(snapshot, principal.tenant);
  const { decision, matched_rule } = decide(policy, call);
  const target = override?.target?.join('/') ?? about.target;
  return {
    ...{ protocol: call.protocol, policy_name: call.tool, capability, why },
    ...(target !== undefined && { target_argument: target }),
    ...{ decision, matched_rule, hidden: certainlyBlocked(policy, { ...call, capability }) },
  };
}

/** Recorded before it holds: an acceptance without an entry would be worse than one that did not come through. */
export const acceptMcpTool: Operation = async (call) => {
  const tool = call.params.name ?? '';
  const upstream = call.query.upstream ?? upstreamOf(await allMarks(call), tool);
  let evidence_hash = '';
  const accepted = await acceptDefinition(call.ports.mcpStore, upstream, tool, async ({ fingerprint }) => {
    evidence_hash = await recordAct(call, 'mcp.accept', { upstream, tool, fingerprint });
  });
  return { body: { upstream, tool, ...accepted, state: 'accepted', evidence_hash } };
};

const allMarks = ({ ports, snapshot }: Call) =>
  Promise.all(snapshot.configuration.upstreams.mcp.map(({ name }) => ports.mcpStore.marks(name)));
