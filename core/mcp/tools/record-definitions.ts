/** Entries about definitions of tools: a server that is met, what it changes or adds, what the guard found. */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { adminSession } from '#core/evidence/admin-session.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Actor, CheckedDefinition, DriftPorts, News } from './found-definition.ts';

/** A server has more tools than an entry names: then the digest of all stands alone. */
const maxNamedTools = 500;

/**
 * The definitions that are taken for good because the server is met for the first time, as later comparisons with the store need
 * them [evidence.in-force].
 */
export async function recordMet(
  ports: DriftPorts,
  actor: Actor,
  { name: upstream }: McpUpstreamEntry,
  at: string,
  met: readonly News[],
): Promise<void> {
  const tools = Object.fromEntries(met.map(({ tool, mark }) => [tool, mark.fingerprint]));
  const named = met.length <= maxNamedTools && { tools };
  await commit(ports, actor, at, { action: 'mcp.met', upstream, tools_sha256: digestOf(tools), ...named });
}

/** A definition that has changed or came later, and one in which the guard found something. */
export async function report(
  ports: DriftPorts,
  actor: Actor,
  { name: upstream, drift }: McpUpstreamEntry,
  { tool, mark: { fingerprint: accepted, changed }, drifted, passed }: News,
  { noted = [], judged }: Pick<CheckedDefinition, 'noted' | 'judged'> = {},
): Promise<void> {
  const isNew = accepted === undefined;
  const what = isNew ? 'a known server offers a new tool' : 'a tool definition has changed';
  const logged = drifted ? what : 'the tool guard found something in a definition';
  ports.telemetry.log('warn', logged, { upstream, tool, drift });
  await commit(ports, actor, isoTime(ports.clock.now()), {
    action: !drifted ? 'mcp.finding' : isNew ? 'mcp.new_tool' : 'mcp.drift',
    upstream,
    tool,
    accepted,
    found: changed?.fingerprint ?? accepted,
    drift,
    ...(changed?.guard && { guard: changed.guard }),
    ...(changed?.shadows && { shadows: changed.shadows }),
    ...(noted.length > 0 && { findings: noted }),
    ...(judged && { guard_classifier: judged }),
    ...(passed && { passed }),
  });
}

async function commit(
  { ledger, ids }: DriftPorts,
  { tenant, key_id }: Actor,
  timestamp: string,
  body: Readonly<Record<string, unknown>>,
): Promise<void> {
  const session_id = adminSession(tenant, Date.parse(timestamp));
  await ledger.commit({
    draft: { tenant, session_id, timestamp, kind: 'admin', envelope_id: ids.uuid(), actor: { key_id }, body },
  });
}
