/** Evidence entries about tool definitions: first contact with a server, changes, additions and guard findings. */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { adminSession } from '#core/evidence/admin-session.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Actor, CheckedDefinition, DriftPorts, News } from './found-definition.ts';

/** Maximum number of tools named per entry. If there are more, the entry contains only a digest of all of them. */
const maxNamedTools = 500;

/** Records the definitions accepted at the first contact, for later comparisons with the store [evidence.in-force]. */
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

/** Reports a changed or added definition, or one with findings. */
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
