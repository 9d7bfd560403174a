/** Merges several servers' lists page by page, and routes requests to the owner of a named item. */
import type { GovernPorts } from '#core/actions/ports.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { asText } from '#core/kernel/as-text.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject, withoutNulls } from '#core/kernel/narrow.ts';
import { type McpPorts, UpstreamFault } from '../ports.ts';
import { invalidParams, mcpCodes, type RpcOutcome, type RpcRequest } from '../protocol/messages.ts';
import type { Caller, Exchange } from '../sessions/caller.ts';
import { ask, type Conversation, type RequestContext } from '../sessions/conversations.ts';
import { assertNamed, forwardable } from '../sessions/forward.ts';
import { changeSubscription, isSubscribed } from '../sessions/shared-link.ts';
import { complete } from '../sessions/translate.ts';
import { upstreamError } from '../sessions/upstream-errors.ts';
import { type Tool, toolPolicyFacts } from './action.ts';
import { isAlwaysBlocked } from './blocked-tools.ts';
import { isAccepted, isHidden, mayWait } from './drift.ts';
import { noteFor } from './find-tool.ts';
import { completionRefused, isReadMethod, readGoverned, withoutBlocked } from './governed-read.ts';
import { definitionGuard } from './guard-settings.ts';
import { assertFewTools, inventoryOf, listPage, memberOf, nextCursorOf, servedTools } from './inventory.ts';
import type { PlacingPorts } from './placement.ts';
import { asListedTool, readableDefinitions } from './tool-list.ts';
import { partedName } from './tool-names.ts';

/** Lists tools, except those that are blocked by the policy for all arguments, hidden, or held for acceptance. */
export async function listTools(
  ports: PlacingPorts,
  caller: Caller,
  request: RpcRequest,
  exchange: Exchange,
): Promise<RpcOutcome> {
  const { conversation } = caller;
  const asking = askingOf(ports, exchange);
  const only = onlyServer(conversation);
  if (only) {
    // With a single server and no renaming, pages pass unchanged.
    const page = await pageOf(conversation, only, request, asking);
    if ('error' in page || !Array.isArray(page.result.tools)) return page;
    const served = servedTools(only, page.result.tools).map(asListedTool);
    const whole = request.params.cursor === undefined && page.result.nextCursor === undefined;
    try {
      assertFewTools(only, page.result.tools.length);
      // Only a complete list can be compared: after a single page, all other tools would look new.
      if (whole) await noteFor(ports, caller)(only, served);
    } catch (fault) {
      if (fault instanceof UpstreamFault) return { error: upstreamError('tools/list', only, fault) };
      throw fault;
    }
    if (whole) {
      // Decisions on calls use the definitions that the client just received.
      const link = await conversation.link(only);
      link.known = { at: ports.clock.now(), list: Promise.resolve({ tools: served }) };
    } else {
      const first = request.params.cursor === undefined;
      const { silent } = await inventoryOf(ports, conversation, asking, noteFor(ports, caller), first);
      if (silent[0]) return { error: upstreamError('tools/list', only, silent[0].fault) };
    }
    const tools = served.map((each) => ({
      entry: only,
      listed: each,
      definition: each.definition,
      ...ownAndExposed(each.definition),
    }));
    const shown = (await shownOf(ports, caller, tools)).map(({ definition }) => definition);
    return { result: { ...withoutNulls(page.result), tools: readableDefinitions(shown) } };
  }
  // The tools of several servers are returned in one page, so no cursor was ever issued for them.
  if (request.params.cursor !== undefined) throw invalidCursor();
  const { tools, silent } = await inventoryOf(ports, conversation, asking, noteFor(ports, caller), true);
  const [fault] = silent;
  if (fault && silent.length === conversation.entries.length)
    return { error: upstreamError('tools/list', fault.entry, fault.fault) };
  const shown = await shownOf(ports, caller, tools);
  return listOutcome(caller, 'tools/list', {
    tools: readableDefinitions(shown.map(({ definition, exposed }) => ({ ...definition, name: exposed }))),
  });
}

const ownAndExposed = ({ name }: JsonObject) => ({ own: name as string, exposed: name as string });

async function shownOf(
  ports: Pick<McpPorts, 'mcpStore' | 'pause'>,
  { snapshot }: Caller,
  tools: readonly Tool[],
): Promise<Tool[]> {
  const isVisible = (tool: Tool) => {
    const names = new Set([tool.own, tool.exposed]);
    return ![...names].some((name) => isAlwaysBlocked(snapshot.policy, toolPolicyFacts(tool, name)));
  };
  const entries = [...new Set(tools.map(({ entry }) => entry))];
  const guards = new Map(
    await Promise.all(
      entries.map(async (entry) => [entry, await definitionGuard(snapshot.configuration, entry)] as const),
    ),
  );
  const guardOf = ({ entry }: Tool) => guards.get(entry);
  const visible = await filterInTurns(ports, tools, (tool) => isVisible(tool) && !isHidden(tool, guardOf(tool)));
  const waiting = new Set(visible.filter((tool) => mayWait(tool, guardOf(tool))).map(({ entry }) => entry));
  const marks = new Map(
    await Promise.all([...waiting].map(async ({ name }) => [name, await ports.mcpStore.marks(name)] as const)),
  );
  return filterInTurns(ports, visible, (tool) => {
    const known = marks.get(tool.entry.name);
    return known === undefined || !mayWait(tool, guardOf(tool)) || isAccepted(known, tool, guardOf(tool));
  });
}

/** Number of tools processed between pauses for other requests. */
const turnTools = 64;

/** Filters a long list in slices [mcp.answer-bounds]. */
async function filterInTurns<T>(
  { pause }: Pick<GovernPorts, 'pause'>,
  items: readonly T[],
  keep: (item: T) => boolean,
): Promise<T[]> {
  const kept: T[] = [];
  for (const [at, item] of items.entries()) {
    if (keep(item)) kept.push(item);
    if (at % turnTools === turnTools - 1) await pause(0);
  }
  return kept;
}

/** Returns the server if there is only one and its names are not prefixed, so that its pages can pass unchanged. */
function onlyServer({ entries: [only, another] }: Caller['conversation']) {
  return only && !another && only.prefix === undefined ? only : undefined;
}

/**
 * Lists the prompts, resources or templates that the policy does not block. Pages from different servers follow one
 * another.
 */
export async function listThings(
  ports: Pick<GovernPorts, 'ids'>,
  caller: Caller,
  request: RpcRequest,
  exchange: Exchange,
): Promise<RpcOutcome> {
  const { conversation } = caller;
  const asking = askingOf(ports, exchange);
  const only = onlyServer(conversation);
  if (only) {
    const page = await pageOf(conversation, only, request, asking);
    const own = memberOf(request.method);
    if ('error' in page || !Array.isArray(page.result[own])) return page;
    const things = await withoutBlocked(caller, only, own, page.result[own].filter(isObject));
    return { result: { ...withoutNulls(page.result), [own]: things.map(withoutNulls) } };
  }
  const { index, cursor } = cursorOf(request.params.cursor);
  const member = memberOf(request.method);
  for (let at = index; at < conversation.entries.length; at++) {
    const entry = conversation.entries[at]!;
    const page = await listPage(conversation, entry, request.method, at === index ? cursor : undefined, asking).catch(
      (): JsonObject => ({ [member]: [] }),
    );
    const all = Array.isArray(page[member]) ? page[member].filter(isObject) : [];
    const things = (await withoutBlocked(caller, entry, member, all)).map(withoutNulls);
    const more = nextCursorOf(page, at === index ? cursor : undefined);
    const next = more === undefined ? { index: at + 1, cursor: undefined } : { index: at, cursor: more };
    const over = next.index >= conversation.entries.length;
    if (things.length === 0 && !over) continue;
    const named =
      member === 'prompts' ? things.map((prompt) => ({ ...prompt, name: promptName(entry, prompt.name) })) : things;
    return listOutcome(caller, request.method, { [member]: named, ...(!over && { nextCursor: encodeCursor(next) }) });
  }
  return listOutcome(caller, request.method, { [member]: [] });
}

/** Prefixes prompt names if there are several servers, because collisions with other pages cannot be detected. */
const promptName = (entry: McpUpstreamEntry, prompt: unknown): string => partedName(entry, asText(prompt));

/**
 * Sends `prompts/get`, `resources/read`, subscriptions and completions to the server that owns the item, if the policy
 * allows reading it [mcp.reads-governed].
 */
export async function askOwner(
  ports: Pick<McpPorts, 'classifiers'> & GovernPorts,
  caller: Caller,
  { method, params: given, id }: RpcRequest,
  exchange: Exchange,
): Promise<RpcOutcome> {
  const { conversation } = caller;
  const asking: RequestContext = {
    signal: exchange.signal,
    id,
    onMessage: exchange.send,
    onEvents: exchange.streams,
  };
  const params = forwardable(method, given, caller.era);
  assertNamed(method, params);
  const [only, another] = conversation.entries;
  if (!only) throw invalidParams(`There is no MCP server for ${method}.`);
  const from = async (entry: McpUpstreamEntry, own: JsonObject, as = id): Promise<RpcOutcome> => {
    const refused = method === 'completion/complete' ? await completionRefused(caller, entry, own) : undefined;
    if (refused) return refused;
    const forward = () =>
      isReadMethod(method)
        ? readGoverned(ports, caller, entry, { method, params: own, id: as }, exchange)
        : requestPage(conversation, entry, method, own, { ...asking, id: as });
    return isSubscription(method) ? subscribing(conversation, entry, method, own, forward) : forward();
  };
  const prompt = promptOf(method, params);
  if (prompt !== undefined && (another || only.prefix !== undefined)) {
    const entry = conversation.entries.find((candidate) => prompt.startsWith(promptName(candidate, '')));
    if (!entry) throw invalidParams(`There is no prompt ${prompt.slice(0, 200)}.`);
    const own = prompt.slice(promptName(entry, '').length);
    const renamed =
      method === 'prompts/get'
        ? { ...params, name: own }
        : { ...params, ref: { ...(params.ref as JsonObject), name: own } };
    return from(entry, renamed);
  }
  if (!another) return from(only, params);
  // Only the servers know who owns a URI: the first one that does not refuse it is used.
  let last: RpcOutcome | undefined;
  for (const entry of await entriesFor(conversation, method, params)) {
    const outcome = await from(entry, params, ports.ids.uuid());
    // An approval request belongs to one server, so no other server is queried in the meantime.
    if ('result' in outcome || outcome.error.code === mcpCodes.approvalRequired) return outcome;
    last ??= outcome;
  }
  return last!;
}

const isSubscription = (method: string) => method === 'resources/subscribe' || method === 'resources/unsubscribe';

async function subscribing(
  conversation: Conversation,
  entry: McpUpstreamEntry,
  method: string,
  params: JsonObject,
  forward: () => Promise<RpcOutcome>,
): Promise<RpcOutcome> {
  const { owner, key } = conversation;
  const subscriber = { session: owner, key };
  try {
    return await changeSubscription({ subscriber, link: () => conversation.link(entry) }, method, params, forward);
  } catch (fault) {
    if (fault instanceof UpstreamFault) return { error: upstreamError(method, entry, fault) };
    throw fault;
  }
}

/** Returns the servers to try. An unsubscribe request goes to the server that has the subscription. */
async function entriesFor(conversation: Conversation, method: string, { uri }: JsonObject) {
  const { entries, owner } = conversation;
  if (method !== 'resources/unsubscribe') return entries;
  const links = await Promise.all(entries.map((entry) => conversation.link(entry).catch(() => undefined)));
  const subscribed = entries.filter((_, at) => links[at] && isSubscribed(links[at], owner, uri));
  const own = entries.filter((_, at) => links[at]?.shared === false);
  return [subscribed, own].find(({ length }) => length > 0) ?? entries;
}

async function requestPage(
  conversation: Conversation,
  entry: McpUpstreamEntry,
  method: string,
  params: JsonObject,
  asking: RequestContext,
): Promise<RpcOutcome> {
  try {
    return await ask(conversation, entry, method, params, asking);
  } catch (fault) {
    if (asking.signal.aborted) throw fault;
    return { error: upstreamError(method, entry, fault) };
  }
}

function promptOf(method: string, params: JsonObject): string | undefined {
  if (method === 'prompts/get') return typeof params.name === 'string' ? params.name : '';
  const ref = method === 'completion/complete' && isObject(params.ref) ? params.ref : undefined;
  return ref?.type === 'ref/prompt' && typeof ref.name === 'string' ? ref.name : undefined;
}

async function pageOf(
  conversation: Conversation,
  entry: McpUpstreamEntry,
  { method, params, id }: RpcRequest,
  asking: RequestContext,
): Promise<RpcOutcome> {
  const sent = forwardable(method, params, conversation.era);
  const page = await requestPage(conversation, entry, method, sent, { ...asking, id });
  if ('error' in page || nextCursorOf(page.result, params.cursor) !== undefined) return page;
  const { nextCursor: _, ...last } = page.result;
  return { ...page, result: last };
}

const askingOf = (ports: Pick<GovernPorts, 'ids'>, { signal, send, streams }: Exchange): RequestContext => ({
  signal,
  onMessage: send,
  onEvents: streams,
  id: ports.ids.uuid(),
});

const listOutcome = ({ era }: Caller, method: string, result: JsonObject): RpcOutcome => ({
  result: era === 'stateless' ? complete(method, result) : result,
});

const encodeCursor = (cursor: { index: number; cursor: string | undefined }): string =>
  Buffer.from(JSON.stringify([cursor.index, cursor.cursor ?? null])).toString('base64url');

/** Parses a cursor. @throws RpcFault -32602 for a cursor that the gateway did not issue. */
function cursorOf(given: unknown): { index: number; cursor: string | undefined } {
  if (given === undefined) return { index: 0, cursor: undefined };
  try {
    const [index, cursor] = JSON.parse(Buffer.from(asText(given), 'base64url').toString('utf8')) as [unknown, unknown];
    if (Number.isInteger(index) && (cursor === null || typeof cursor === 'string'))
      return { index: index as number, cursor: cursor ?? undefined };
  } catch {
    // rejected below
  }
  throw invalidCursor();
}

const invalidCursor = () =>
  invalidParams('Invalid cursor: it was not issued by this gateway. List again without cursor.');
