/** Tool definitions of MCP servers: what was seen, and a human's word on what has changed (issue: drift). */
import { acceptDefinition, upstreamOf } from '#core/mcp/drift.ts';
import type { Call, Operation } from './operation.ts';
import { recordAct } from './record.ts';

export const listMcpTools: Operation = async (call) => {
  const marks = await allMarks(call);
  const tools = marks.flatMap(({ upstream, tools }) =>
    Object.entries(tools).map(([tool, { fingerprint, seen_at, changed }]) => ({
      ...{ upstream, tool, fingerprint, seen_at },
      state: changed ? (fingerprint === undefined ? 'new' : 'changed') : 'accepted',
      ...(changed && { changed }),
    })),
  );
  return { body: { tools } };
};

/** Recorded before it holds: an acceptance nobody can find would be worse than one that did not come through. */
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
