/**
 * Drift: a tool whose definition is no longer the one that was seen first, or that a human accepted last; and a tool that a
 * known server offers for the first time. Descriptions are read by models: a changed or new one is how a server that was
 * trusted yesterday gives orders today.
 */
import { targetArgument } from '#core/classification/target.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { Principal } from '#core/identity/principal.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError, invalidRequest, notFound } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { McpPorts, McpStore, ToolFacts, ToolMark, ToolMarks } from '../ports.ts';
import { isObject } from '../protocol/messages.ts';
import type { Tool } from './action.ts';

/** Who was served when a change was seen. */
type Actor = Pick<Principal, 'tenant' | 'key_id'>;
type DriftPorts = Pick<McpPorts, 'clock' | 'ids' | 'ledger' | 'telemetry' | 'mcpStore' | 'pause'>;

const tries = 5;
const turnTools = 64;

/** SHA-256 over a tool's description, schema and what its arguments mean. */
export const fingerprintOf = ({ name, description, inputSchema, outputSchema, annotations }: JsonObject): string =>
  digestOf({ name, description, inputSchema, outputSchema, annotations });

/**
 * Keeps the first fingerprint of each tool, and records each change once: in the log, in evidence, in the store.
 * @throws GatewayError `service_unavailable`.
 */
export async function noteDefinitions(
  ports: DriftPorts,
  actor: Actor,
  entry: McpUpstreamEntry,
  definitions: readonly JsonObject[],
): Promise<void> {
  const found = new Map<string, { readonly fingerprint: string; readonly about: ReturnType<typeof factsOf> }>();
  for (const [at, tool] of definitions.entries()) {
    found.set(tool.name as string, { fingerprint: fingerprintOf(tool), about: factsOf(tool) });
    if (at % turnTools === turnTools - 1) await ports.pause(0); // other work has a turn
  }
  for (let attempt = 0; attempt < tries; attempt++) {
    const marks = await ports.mcpStore.marks(entry.name);
    const news = newMarks(marks, found, isoTime(ports.clock.now()));
    if (news.length === 0) return;
    const written = await ports.mcpStore.putMarks({
      upstream: entry.name,
      revision: marks.revision,
      tools: { ...marks.tools, ...Object.fromEntries(news.map(({ tool, mark }) => [tool, mark])) },
    });
    if (!written) continue;
    for (const { tool, mark, drifted } of news) if (drifted) await report(ports, actor, entry, tool, mark);
    return;
  }
  throw new GatewayError('service_unavailable', `The tool definitions of ${entry.name} are being written; try again.`);
}

interface News {
  readonly tool: string;
  readonly mark: ToolMark;
  /** A new or changed definition, which is reported. */
  readonly drifted: boolean;
}

function newMarks(
  marks: ToolMarks,
  found: ReadonlyMap<string, { readonly fingerprint: string; readonly about: ToolFacts }>,
  now: string,
): News[] {
  return [...found].flatMap(([tool, { fingerprint, about }]): News[] => {
    const mark = Object.hasOwn(marks.tools, tool) ? marks.tools[tool] : undefined;
    // What a server has when it is first met is taken for good; what it adds is seen by a human, as what it changes is.
    if (!mark && marks.revision === 0) return [{ tool, mark: { fingerprint, seen_at: now, about }, drifted: false }];
    const changed = { fingerprint, seen_at: now };
    if (!mark) return [{ tool, mark: { seen_at: now, changed, about }, drifted: true }];
    const isKnown = mark.fingerprint === fingerprint || mark.changed?.fingerprint === fingerprint;
    if (!isKnown) return [{ tool, mark: { ...mark, changed, about }, drifted: true }];
    return mark.about ? [] : [{ tool, mark: { ...mark, about }, drifted: false }];
  });
}

function factsOf({ annotations, inputSchema }: JsonObject): ToolFacts {
  const hint = (name: string): boolean | undefined => {
    const value = isObject(annotations) ? annotations[name] : undefined;
    return typeof value === 'boolean' ? value : undefined;
  };
  const [read_only, destructive] = [hint('readOnlyHint'), hint('destructiveHint')];
  const properties = isObject(inputSchema) && isObject(inputSchema.properties) ? inputSchema.properties : {};
  const target = targetArgument(Object.keys(properties));
  return {
    ...(read_only !== undefined && { read_only }),
    ...(destructive !== undefined && { destructive }),
    ...(target !== undefined && { target }),
  };
}

async function report(
  { ledger, clock, ids, telemetry }: DriftPorts,
  actor: Actor,
  { name: upstream, drift }: McpUpstreamEntry,
  tool: string,
  { fingerprint: accepted, changed }: ToolMark,
): Promise<void> {
  const isNew = accepted === undefined;
  telemetry.log('warn', isNew ? 'a known server offers a new tool' : 'a tool definition has changed', {
    upstream,
    tool,
    drift,
  });
  const timestamp = isoTime(clock.now());
  await ledger.commit({
    draft: {
      tenant: actor.tenant,
      session_id: `admin-${actor.tenant}-${timestamp.slice(0, 10)}`,
      timestamp,
      kind: 'admin',
      envelope_id: ids.uuid(),
      actor: { key_id: actor.key_id },
      body: {
        action: isNew ? 'mcp.new_tool' : 'mcp.drift',
        upstream,
        tool,
        accepted,
        found: changed?.fingerprint,
        drift,
      },
    },
  });
}

/** Whether a tool waits for a human, under `drift: block`. */
export async function drifted(store: McpStore, tool: Pick<Tool, 'entry' | 'own' | 'definition'>): Promise<boolean> {
  return tool.entry.drift === 'block' && !isAccepted(await store.marks(tool.entry.name), tool);
}

/** A server that was never met has nothing to drift from. */
export function isAccepted(
  { revision, tools }: ToolMarks,
  { own, definition }: Pick<Tool, 'own' | 'definition'>,
): boolean {
  const mark = Object.hasOwn(tools, own) ? tools[own] : undefined;
  return mark ? mark.fingerprint === fingerprintOf(definition) : revision === 0;
}

/**
 * Accepts the definition seen last.
 * @param record writes the act down, before it holds.
 * @throws GatewayError `not_found`, `conflict` (nothing changed, or changed again).
 */
export async function acceptDefinition(
  store: McpStore,
  upstream: string,
  tool: string,
  record: (accepted: ToolMark) => Promise<unknown>,
): Promise<ToolMark> {
  const marks = await store.marks(upstream);
  const mark = Object.hasOwn(marks.tools, tool) ? marks.tools[tool] : undefined;
  if (!mark) throw notFound(`Tool ${tool} of ${upstream}`);
  if (!mark.changed) throw new GatewayError('conflict', `The definition of ${tool} has not changed.`);
  const { changed: seen, about } = mark;
  const accepted = { ...seen, ...(about && { about }) };
  await record(accepted);
  const written = await store.putMarks({ ...marks, tools: { ...marks.tools, [tool]: accepted } });
  if (!written) throw new GatewayError('conflict', 'The definitions changed meanwhile; look again.');
  return accepted;
}

/** The server of a tool, where only one has it. @throws GatewayError `not_found`, `invalid_request` (several have it). */
export function upstreamOf(all: readonly ToolMarks[], tool: string): string {
  const having = all.filter(({ tools }) => Object.hasOwn(tools, tool)).map(({ upstream }) => upstream);
  if (having.length === 0) throw notFound(`Tool ${tool}`);
  if (having.length > 1) throw invalidRequest(`${having.join(', ')} have a tool ${tool}; say which with ?upstream=.`);
  return having[0]!;
}
