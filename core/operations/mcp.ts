/** Lists MCP tool definitions, and accepts changes on behalf of a human. */

import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import { differenceBetween } from '#core/guard/definition-difference.ts';
import { introducedBy } from '#core/guard/introduced.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { pickMembers } from '#core/kernel/only.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { ToolMark } from '#core/mcp/ports.ts';
import { acceptDefinition, upstreamOf } from '#core/mcp/tools/accept-definition.ts';
import { overrideOf } from '#core/mcp/tools/action.ts';
import { isAlwaysBlocked } from '#core/mcp/tools/blocked-tools.ts';
import { keptDefinition, keptSizes } from '#core/mcp/tools/kept-definitions.ts';
import { classifyTool } from '#core/policy/classification/classify-tool.ts';
import { decide } from '#core/policy/rules/decide.ts';
import type { Call, Operation } from './operation.ts';
import { recordAct } from './record.ts';

export const listMcpTools: Operation = async (call) => {
  const marks = await allMarks(call);
  const tools = marks.flatMap(({ upstream, tools }) =>
    Object.entries(tools).map(([tool, mark]) => {
      return { ...seenOf(upstream, tool, mark), ...classOf(call, upstream, tool, mark) };
    }),
  );
  return { body: { tools } };
};

function seenOf(upstream: string, tool: string, { fingerprint, seen_at, changed: offered }: ToolMark) {
  return {
    upstream,
    tool,
    fingerprint,
    seen_at,
    state: offered ? (fingerprint === undefined ? 'new' : 'changed') : 'accepted',
    ...(offered && { changed: pickMembers(offered, ['fingerprint', 'seen_at', 'guard', 'shadows']) }),
  };
}

/** Returns one tool with both stored definitions and what the later one adds [guard.changes]. */
export const showMcpTool: Operation = async (call) => {
  const tool = call.params.name ?? '';
  const all = await allMarks(call);
  const upstream = call.query.upstream ?? upstreamOf(all, tool);
  const marks = all.find((each) => each.upstream === upstream);
  const mark = marks && Object.hasOwn(marks.tools, tool) ? marks.tools[tool] : undefined;
  if (!mark) throw notFound(things.mcpTool, `${tool} of ${upstream}`);
  const { changed, shadows = [], shadows_noted = [] } = mark;
  const [accepted, offered] = await Promise.all([
    definitionText(call, mark.fingerprint, mark.kept),
    changed?.fingerprint === mark.fingerprint ? undefined : definitionText(call, changed?.fingerprint, changed?.kept),
  ]);
  const missing = [...missingIn('accepted', accepted), ...missingIn('offered', offered)];
  return {
    body: {
      ...seenOf(upstream, tool, mark),
      ...classOf(call, upstream, tool, mark),
      ...(accepted?.definition && { accepted: accepted.definition }),
      ...(offered?.definition && { offered: offered.definition }),
      ...(offered?.definition && {
        introduces: introducedBy(
          accepted?.definition,
          offered.definition,
          call.snapshot.configuration.catalog.secret_files,
        ),
        ...(accepted?.definition && { difference: differenceBetween(accepted.definition, offered.definition) }),
      }),
      shadows: [...new Set([...shadows, ...(changed?.shadows ?? []), ...shadows_noted])].sort(),
      not_kept: missing,
    },
  };
};

interface DefinitionText {
  readonly definition?: JsonObject;
  /** Reason why the text is missing. */
  readonly why?: string;
}

async function definitionText(
  { ports }: Call,
  fingerprint: string | undefined,
  kept: boolean | undefined,
): Promise<DefinitionText | undefined> {
  if (fingerprint === undefined) return undefined;
  if (kept === undefined) return { why: 'it was not kept: the server has not been read since' };
  if (!kept) return { why: `it is larger than the maximum that is stored (${keptSizes.oneBytes} bytes)` };
  try {
    const definition = await keptDefinition(ports.definitionTexts, fingerprint);
    return definition ? { definition } : { why: 'it was removed from the object store' };
  } catch {
    return { why: 'the object store does not answer' };
  }
}

const missingIn = (which: string, text: DefinitionText | undefined): string[] =>
  text?.why === undefined ? [] : [`the ${which} definition: ${text.why}`];

/** Returns the tool's policy facts, and the decision on a call without a target or arguments. */
function classOf({ snapshot, principal }: Call, upstream: string, tool: string, { about = {} }: ToolMark) {
  const entry = snapshot.configuration.upstreams.mcp.find(({ name }) => name === upstream);
  const override = entry && overrideOf(entry, tool);
  const annotations = { readOnlyHint: about.read_only, destructiveHint: about.destructive };
  const named = classifyTool(tool, annotations);
  const { capability, why } = override?.capability
    ? { capability: override.capability, why: 'upstreams.mcp[].overrides says so' }
    : named;
  const call = {
    protocol: override?.protocol ?? 'mcp',
    tool: override?.name ?? tool,
    upstream,
    target: '',
    capability,
    parameters: {},
  };
  const { policy } = ofTenant(snapshot, principal.tenant);
  const { decision, matched_rule } = decide(policy, call);
  const target = override?.target?.join('/') ?? about.target;
  return {
    protocol: call.protocol,
    policy_name: call.tool,
    capability,
    why,
    ...(target !== undefined && { target_argument: target }),
    decision,
    matched_rule,
    hidden: isAlwaysBlocked(policy, { ...call, capability }),
  };
}

/**
 * Accepts a definition. The acceptance is recorded before it takes effect: an acceptance without an evidence entry
 * would be worse than a recorded one that failed.
 */
export const acceptMcpTool: Operation = async (call) => {
  const tool = call.params.name ?? '';
  const upstream = call.query.upstream ?? upstreamOf(await allMarks(call), tool);
  await mustReachAllTenants(call);
  let evidence_hash = '';
  const { ports, principal } = call;
  const {
    kept: _kept,
    recorded: _recorded,
    ...accepted
  } = await acceptDefinition(ports.mcpStore, upstream, tool, lookedAt(call), {
    recorded: { tenant: principal.tenant, at: isoTime(ports.clock.now()) },
    record: async ({ fingerprint }) => {
      evidence_hash = await recordAct(call, 'mcp.accept', { upstream, tool, fingerprint });
    },
  });
  return { body: { upstream, tool, ...accepted, state: 'accepted', evidence_hash } };
};

/**
 * Checks that the caller may act in all tenants, because an acceptance applies to every tenant's agents
 * [guard.changes].
 * @throws GatewayError `forbidden`
 */
async function mustReachAllTenants({ principal: { platform, tenants }, snapshot, ports }: Call): Promise<void> {
  if (platform || tenants.includes('*')) return;
  const isOther = (id: string) => !tenants.includes(id);
  const configured = snapshot.configuration.tenants.some(({ id }) => isOther(id));
  // If more tenants are stored as rows than the caller can reach, at least one of the first rows is another tenant.
  if (!configured && !(await ports.configStore.tenantRowIds(undefined, tenants.length + 1)).some(isOther)) return;
  throw new GatewayError(
    'forbidden',
    'An accepted definition applies to the agents of every tenant, and this caller may not act in all of them. Use the admin token, a platform key, or a person whose tenants are ["*"].',
  );
}

/** Returns the fingerprint of the reviewed definition. @throws GatewayError `invalid_request` */
function lookedAt({ query: { fingerprint } }: Call): string | undefined {
  if (fingerprint === undefined || /^[0-9a-f]{64}$/.test(fingerprint)) return fingerprint;
  throw invalidRequest(
    `fingerprint is ${JSON.stringify(fingerprint.slice(0, 80))}; send the 64 hex digits of changed.fingerprint.`,
  );
}

const allMarks = ({ ports, snapshot }: Call) =>
  Promise.all(snapshot.configuration.upstreams.mcp.map(({ name }) => ports.mcpStore.marks(name)));
