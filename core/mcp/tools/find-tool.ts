/** Finds a call's tool in its server's list: before the decision, during it and after a pending approval. */
import type { Placement } from '#core/contracts/envelope.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { McpPorts } from '../ports.ts';
import { mcpCodes, RpcFault } from '../protocol/messages.ts';
import type { Caller, Exchange } from '../sessions/caller.ts';
import { upstreamError } from '../sessions/upstream-errors.ts';
import { placementIn, type Tool } from './action.ts';
import { checkDrift, noteDefinitions } from './drift.ts';
import type { DriftPorts } from './found-definition.ts';
import { type DefinitionGuard, definitionClassifier, definitionGuard, notingGuard } from './guard-settings.ts';
import { inventoryOf, toolNamed } from './inventory.ts';
import type { PlacingPorts } from './placement.ts';
import type { ListedTool } from './tool-list.ts';

/** Returns the tool named by a client. Re-reads the lists for an unknown name, because the tool may be new. */
export async function findTool(
  ports: PlacingPorts,
  caller: Caller,
  name: string,
  exchange: Exchange,
  notings: Promise<void>[],
): Promise<Tool> {
  const asking = { signal: exchange.signal, id: ports.ids.uuid() };
  // Runs concurrently with the call: a change takes effect from the next call, unless the tool is held for acceptance.
  const note = noteFor(ports, caller);
  const seen: typeof note = async (entry, tools) => {
    const noting = note(entry, tools);
    // If a classifier is configured, the call is delayed until the definition has been classified.
    if (definitionClassifier(ports, caller.snapshot, entry, caller.principal)) return noting;
    notings.push(noting);
    exchange.later(noting);
  };
  const known = await inventoryOf(ports, caller.conversation, asking, seen);
  const found = toolNamed(known, name);
  if (found) return found;
  const fresh = await inventoryOf(ports, caller.conversation, asking, seen, true);
  const late = toolNamed(fresh, name);
  if (late) return late;
  const [silent] = fresh.silent;
  if (silent) throw rpcFault(upstreamError(name, silent.entry, silent.fault));
  throw new RpcFault(mcpCodes.noUpstream, `No upstream serves the tool ${name.slice(0, 200)}.`, {
    data: { tool: name.slice(0, 200), hint: 'tools/list names the available tools.' },
  });
}

const rpcFault = ({ code, message, data }: { code: number; message: string; data?: unknown }) =>
  new RpcFault(code, message, { data: data as never });

/** Checks whether a list read for this call led to a hold. The comparison runs concurrently with the decision. */
export async function findHold(
  ports: Pick<McpPorts, 'mcpStore'>,
  tool: Tool,
  guard: DefinitionGuard,
  notings: readonly Promise<void>[],
): Promise<boolean> {
  await Promise.all(notings);
  return checkDrift(ports.mcpStore, tool, guard);
}

export const noteFor =
  (
    ports: Pick<McpPorts, 'classifiers'> & DriftPorts,
    { principal, snapshot }: Pick<Caller, 'principal' | 'snapshot'>,
  ) =>
  async (entry: Tool['entry'], tools: readonly ListedTool[]) =>
    noteDefinitions(ports, principal, entry, tools, await notingGuard(ports, snapshot, entry, principal));

/**
 * Returns the placement from a re-read list: the tool may have changed while the call was pending.
 * @throws RpcFault if the list cannot be read.
 */
export async function placedAgain(
  ports: PlacingPorts,
  caller: Caller,
  tool: Tool,
  { name, args, signal }: { readonly name: string; readonly args: JsonObject; readonly signal: AbortSignal },
): Promise<Placement | undefined> {
  const asking = { signal, id: ports.ids.uuid() };
  const now = await inventoryOf(ports, caller.conversation, asking, noteFor(ports, caller), true);
  const same = now.tools.find(({ entry, own }) => entry.name === tool.entry.name && own === tool.own);
  const silent = now.silent.find(({ entry }) => entry.name === tool.entry.name);
  if (silent) throw rpcFault(upstreamError(tool.exposed, silent.entry, silent.fault));
  const guard = await definitionGuard(caller.snapshot.configuration, tool.entry);
  return same && !(await checkDrift(ports.mcpStore, same, guard)) ? placementIn(same, name, args) : undefined;
}
