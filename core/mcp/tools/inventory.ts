/** Lists the tools of all servers under their client-facing names: their own names, or `<prefix>__<tool>`. */
import type { GovernPorts } from '#core/actions/ports.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { type McpPorts, UpstreamFault } from '../ports.ts';
import { mcpCodes, RpcFault } from '../protocol/messages.ts';
import { ask, type Conversation, type RequestContext } from '../sessions/conversations.ts';
import { envelopeOf } from '../sessions/translate.ts';
import type { Tool } from './action.ts';
import { asListedTool, type ListedTool, type ToolList } from './tool-list.ts';
import { partedName, type ServerTools, toolsWithUniqueNames } from './tool-names.ts';

export interface Inventory {
  readonly tools: readonly Tool[];
  /** Servers whose tools could not be listed. */
  readonly silent: readonly SilentServer[];
}

interface SilentServer {
  readonly entry: McpUpstreamEntry;
  readonly fault: UpstreamFault;
}

interface ReachedServer {
  readonly entry: McpUpstreamEntry;
  readonly list: ToolList;
}

/** Listener that is called whenever a server's tools have been read. */
type ToolsListener = (entry: McpUpstreamEntry, tools: readonly ListedTool[]) => Promise<void>;

const keptMs = 60_000;
const maxPages = 100;

/** Returns the tools of all servers. @param fresh true to re-read every list. */
export async function inventoryOf(
  ports: Pick<McpPorts, 'clock' | 'mcpStore' | 'pause'>,
  conversation: Conversation,
  asking: RequestContext,
  seen: ToolsListener,
  fresh = false,
): Promise<Inventory> {
  const lists = await Promise.all(
    conversation.entries.map(async (entry): Promise<ReachedServer | SilentServer> => {
      try {
        return { entry, list: await toolsOf(ports, conversation, entry, asking, { seen, fresh }) };
      } catch (fault) {
        if (fault instanceof UpstreamFault && fault.kind !== 'aborted') return { entry, fault };
        throw fault;
      }
    }),
  );
  const silent = lists.flatMap((list) => ('fault' in list ? [list] : []));
  const offers = await Promise.all(
    lists.map(async (list): Promise<ServerTools> => {
      if ('list' in list) return list;
      return { entry: list.entry, list: { tools: [] }, remembered: await rememberedOf(ports, list.entry) };
    }),
  );
  if (offers.length > 1) await compare(ports, offers, seen);
  return { tools: toolsWithUniqueNames(offers), silent };
}

/** Finds tools that shadow another server's, and re-records the tools of their servers [guard.definitions]. */
async function compare(
  { pause }: Pick<GovernPorts, 'pause'>,
  offers: readonly ServerTools[],
  seen: ToolsListener,
): Promise<void> {
  const lists = offers.map(({ list }) => list);
  const before = lists[0]!.comparedWith;
  const isKnown = before?.length === lists.length && before.every((list, at) => list === lists[at]);
  if (isKnown && offers.every(({ remembered }) => remembered === undefined)) return;
  const { noteShadows } = await import('#core/guard/shadowing.ts');
  const offered = offers.map(({ entry, list: { tools }, remembered = [] }) => ({
    server: entry.name,
    parted: partedName(entry, ''),
    tools,
    names: [...tools.map(({ definition }) => definition.name as string), ...remembered],
  }));
  const fresh = new Set(await noteShadows(offered, () => pause(0)));
  await Promise.all(offers.flatMap(({ entry, list }) => (fresh.has(entry.name) ? [seen(entry, list.tools)] : [])));
  lists[0]!.comparedWith = lists;
}

/** Returns the recorded tool names of an unreachable server, so that another server cannot take them over. */
const rememberedOf = async ({ mcpStore }: Pick<McpPorts, 'mcpStore'>, entry: McpUpstreamEntry): Promise<string[]> =>
  Object.keys((await mcpStore.marks(entry.name)).tools).filter((name) => isServed(entry, { name }));

/** Returns the tools of one server, cached for at most one minute unless `fresh` is set. */
export async function toolsOf(
  ports: Pick<GovernPorts, 'clock'>,
  conversation: Conversation,
  entry: McpUpstreamEntry,
  asking: RequestContext,
  { seen, fresh }: { readonly seen?: ToolsListener; readonly fresh?: boolean } = {},
): Promise<ToolList> {
  const link = await conversation.link(entry);
  const now = ports.clock.now();
  const { known } = link;
  if (!fresh && known && known.at > now - keptMs) return known.list;
  const list = readAll(conversation, entry, asking).then(async (read): Promise<ToolList> => {
    const tools = read.map(asListedTool);
    await seen?.(entry, tools);
    return { tools };
  });
  link.known = { at: now, list };
  list.catch(() => {
    link.known = undefined;
  });
  return list;
}

async function readAll(
  conversation: Conversation,
  entry: McpUpstreamEntry,
  asking: RequestContext,
): Promise<JsonObject[]> {
  const read: JsonObject[] = [];
  let count = 0;
  let cursor: string | undefined;
  const cursors = new Set<string>();
  for (let page = 0; page < maxPages; page++) {
    const result = await listPage(conversation, entry, 'tools/list', cursor, asking);
    if (!Array.isArray(result.tools)) throw new UpstreamFault('garbage', 'its tools/list contains no list of tools');
    count += result.tools.length;
    assertFewTools(entry, count);
    read.push(...servedTools(entry, result.tools));
    cursor = nextCursorOf(result, cursor);
    // A repeated cursor leads back to pages that were already read.
    if (cursor === undefined || cursors.has(cursor)) return withoutRepeated(read);
    cursors.add(cursor);
  }
  throw new UpstreamFault('garbage', `its tools/list has more than ${maxPages} pages`);
}

/**
 * Returns the listed tools that the configuration lets a server offer. If a name occurs more than once, only the first
 * definition counts.
 */
export const servedTools = (entry: McpUpstreamEntry, listed: readonly unknown[]): JsonObject[] =>
  withoutRepeated(listed.filter((tool): tool is JsonObject => isServed(entry, tool)));

/** Drops repeated names: model vendors refuse requests that contain two tools with the same name. */
function withoutRepeated(tools: readonly JsonObject[]): JsonObject[] {
  const byName = new Map<unknown, JsonObject>();
  for (const tool of tools) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()];
}

/**
 * Returns the cursor of the next page, or undefined if the cursor is empty or does not advance, since such a list would
 * never end.
 */
export const nextCursorOf = ({ nextCursor }: JsonObject, sent: unknown): string | undefined =>
  typeof nextCursor === 'string' && nextCursor !== '' && nextCursor !== sent ? nextCursor : undefined;

/** Checks the number of tools. @throws UpstreamFault if a server has more than `max_tools` [mcp.answer-bounds]. */
export function assertFewTools({ max_tools }: McpUpstreamEntry, listed: number): void {
  if (listed <= max_tools) return;
  const advice = 'raise max_tools of this upstream, or have the server offer fewer';
  throw new UpstreamFault('too-large', `it lists more than ${max_tools} tools (max_tools): ${advice}`);
}

/** Returns one page of a list, which is empty if the server does not have the method. */
export async function listPage(
  conversation: Conversation,
  entry: McpUpstreamEntry,
  method: string,
  cursor: string | undefined,
  asking: RequestContext,
): Promise<JsonObject> {
  const params: JsonObject = cursor === undefined ? {} : { cursor };
  const outcome = await ask(conversation, entry, method, withEnvelope(conversation, params), asking);
  if ('result' in outcome) return outcome.result;
  if (outcome.error.code === mcpCodes.unknownMethod) return { [memberOf(method)]: [] };
  throw new UpstreamFault('refused', `its ${method} failed: ${outcome.error.message}`);
}

export const memberOf = (method: string): string =>
  method === 'resources/templates/list' ? 'resourceTemplates' : method.split('/')[0]!;

/** Adds the gateway's own envelope to requests that it makes on its own behalf. */
export const withEnvelope = ({ era, handshake }: Conversation, params: JsonObject): JsonObject =>
  era === 'stateless' ? { ...params, _meta: envelopeOf(handshake) } : params;

/** Checks whether the configuration lets this server offer a tool. */
const isServed = ({ tools }: McpUpstreamEntry, tool: unknown): tool is JsonObject =>
  isObject(tool) && typeof tool.name === 'string' && tools.some((pattern) => globMatches(pattern, tool.name as string));

/**
 * Returns the tool with this client-facing name, or with `<upstream>__<tool>`, which is always unique.
 * @throws RpcFault -32602 for a name that several servers use.
 */
export function toolNamed({ tools }: Inventory, name: string): Tool | undefined {
  const exact = tools.find(({ exposed }) => exposed === name);
  if (exact) return exact;
  const full = tools.find(({ entry, own }) => partedName(entry, own) === name);
  if (full) return full;
  const others = tools.filter(({ own }) => own === name);
  if (others.length === 0) return undefined;
  if (others.length === 1 && others[0]!.entry.prefix === undefined) return others[0];
  const names = others.map(({ exposed }) => exposed).join(', ');
  throw new RpcFault(mcpCodes.invalidParams, `Call the tool by its name here: ${names}.`);
}
