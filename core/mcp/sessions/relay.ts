/** Relays a client's responses and settings to the servers. */
import type { GovernPorts } from '#core/actions/ports.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { UpstreamFault } from '../ports.ts';
import { isLogLevel, logLevels } from '../protocol/log-levels.ts';
import {
  invalidParams,
  mcpCodes,
  type RequestId,
  RpcFault,
  type RpcOutcome,
  type RpcRequest,
} from '../protocol/messages.ts';
import type { Caller, Exchange } from './caller.ts';
import { ask } from './conversations.ts';
import { answerForServer, forwardable } from './forward.ts';

/** Sends the response to a server's request. @throws RpcFault -32600 if the response has no matching request. */
export async function toServer(
  { conversation }: Pick<Caller, 'conversation'>,
  id: RequestId,
  outcome: RpcOutcome,
): Promise<void> {
  const [, upstream, own] = typeof id === 'string' ? (/^([^~]+)~(.+)$/s.exec(id) ?? []) : [];
  const entry = conversation.entries.find(({ name }) => name === upstream);
  if (!entry || own === undefined)
    throw new RpcFault(
      mcpCodes.invalidRequest,
      'The response belongs to no open request. Send one response to each request, while it is open.',
    );
  const link = await conversation.link(entry);
  if (link.shared) return;
  await link.send({ jsonrpc: '2.0', id: JSON.parse(own) as RequestId, ...(answerForServer(outcome) as JsonObject) });
}

/**
 * Sends `logging/setLevel` to every server that logs to this caller. Shared servers log to the gateway
 * [mcp.sessions].
 */
export async function toServers(
  ports: Pick<GovernPorts, 'ids'>,
  { conversation, era }: Caller,
  { method, params: given, id }: RpcRequest,
  { signal, send, streams }: Exchange,
): Promise<RpcOutcome> {
  const params = forwardable(method, given, era);
  if (!isLogLevel(params.level)) throw invalidParams(`params.level must be one of ${logLevels.join(', ')}.`);
  const outcomes = await Promise.all(
    conversation.entries.map(async (entry) => {
      const own = conversation.entries.length === 1 ? id : ports.ids.uuid();
      try {
        if ((await conversation.link(entry)).shared) return undefined;
        return await ask(conversation, entry, method, params, { signal, onMessage: send, onEvents: streams, id: own });
      } catch (fault) {
        if (fault instanceof UpstreamFault && fault.kind !== 'aborted') return undefined;
        throw fault;
      }
    }),
  );
  const answered = outcomes.filter((outcome) => outcome !== undefined);
  return answered.find((outcome) => 'result' in outcome) ?? answered[0] ?? { result: {} };
}
