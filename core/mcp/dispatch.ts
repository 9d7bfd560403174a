/** Maps the methods of both eras to their implementations. A method from the other era counts as unknown. */

import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { McpPorts } from './ports.ts';
import { mcpCodes, RpcFault, type RpcOutcome, type RpcRequest } from './protocol/messages.ts';
import type { Caller, Exchange } from './sessions/caller.ts';
import { discoverResult, initializeResult, reachedServers, serverInfo } from './sessions/handshake.ts';
import type { Subscription } from './sessions/listen.ts';
import { toServers } from './sessions/relay.ts';
import type { Sessions } from './sessions/session.ts';
import { callTool } from './tools/call.ts';
import { askOwner, listThings, listTools } from './tools/lists.ts';

export interface Services {
  readonly ports: McpPorts;
  readonly sessions: Sessions;
  readonly listening: () => Subscription | Promise<Subscription>;
}

/** Module loaded with the first guarded server. */
const unmarked = lazyImport(() => import('./tools/unmarked.ts'));

/** Checks for a method whose implementation inspects results and messages itself. */
const isCarriedOut = (method: string): boolean =>
  ['tools/call', 'prompts/get', 'resources/read'].includes(method) || method.startsWith('tasks/');

/**
 * Answers one request.
 * @throws RpcFault -32601 for a method that does not exist in the era; also any errors of the method itself.
 */
export async function dispatch(
  services: Services,
  request: RpcRequest,
  caller: Caller,
  exchange: Exchange,
): Promise<RpcOutcome> {
  const { method } = request;
  if (isCarriedOut(method) || !isGuarded(caller)) return answerTo(services, request, caller, exchange);
  const { heardBy, withoutFound } = await unmarked();
  const send = heardBy(services.ports, caller, exchange.send);
  const outcome = await answerTo(services, request, caller, { ...exchange, send });
  return withoutFound(services.ports, caller, method, outcome);
}

const isGuarded = ({ conversation }: Caller): boolean => conversation.entries.some(({ guard }) => guard !== 'off');

/** Wraps `hand` so that unsolicited server messages pass the guard first. */
export async function heardByClient(
  ports: McpPorts,
  caller: Caller,
  hand: (message: JsonObject) => void,
): Promise<(message: JsonObject) => void> {
  return isGuarded(caller) ? (await unmarked()).heardBy(ports, caller, hand) : hand;
}

async function answerTo(
  { ports, sessions, listening }: Services,
  request: RpcRequest,
  caller: Caller,
  exchange: Exchange,
): Promise<RpcOutcome> {
  const { method } = request;
  const older = caller.era === 'session';
  switch (method) {
    case 'tools/call':
      return callTool(ports, caller, request, exchange);
    case 'tools/list':
      return listTools(ports, caller, request, exchange);
    case 'prompts/list':
    case 'resources/list':
    case 'resources/templates/list':
      return listThings(ports, caller, request, exchange);
    case 'prompts/get':
    case 'resources/read':
    case 'completion/complete':
      return askOwner(ports, caller, request, exchange);
    case 'initialize':
      if (older) return initialize(ports, sessions, caller);
      break;
    case 'ping':
      if (older) return { result: {} };
      break;
    case 'logging/setLevel':
      if (older) return toServers(ports, caller, request, exchange);
      break;
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      if (older) return askOwner(ports, caller, request, exchange);
      break;
    case 'server/discover':
      if (!older)
        return { result: discoverResult(await reachedServers(caller.conversation, ports.telemetry), ports.version) };
      break;
    case 'subscriptions/listen':
      if (!older) return (await listening()).subscribe(caller, request, exchange, serverInfo(ports.version));
      break;
    default:
      if (hasTaskMethod(caller.era, method)) return (await tasks()).answerTask(ports, caller, request, exchange);
  }
  throw new RpcFault(mcpCodes.unknownMethod, `Method not found: ${method.slice(0, 100)}`, {
    status: older ? 200 : 404,
  });
}

/** Opens a session and stores it before the servers are contacted, because each server session is added to it. */
async function initialize(ports: McpPorts, sessions: Sessions, caller: Caller): Promise<RpcOutcome> {
  const session = caller.session!;
  await sessions.keep(session);
  const met = await reachedServers(caller.conversation, ports.telemetry);
  return { result: initializeResult(session.handshake, met, ports.version) };
}

/** Loads the module on the first task, because few clients use tasks. */
const tasks = () => import('./waiting/tasks.ts');

/** Checks whether the method is a task method of the caller's era. */
const hasTaskMethod = (era: Caller['era'], method: string): boolean =>
  (era === 'session'
    ? ['tasks/get', 'tasks/result', 'tasks/cancel']
    : ['tasks/get', 'tasks/update', 'tasks/cancel']
  ).includes(method);
