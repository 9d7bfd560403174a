/**
 * Governs resources and prompts as calls of `read_resource` or `get_prompt` with read capability, whose target is the
 * URI or the prompt's name [mcp.reads-governed] (decision 0053).
 */
import type { GovernedRequest } from '#core/actions/envelope.ts';
import { executeAction } from '#core/actions/execute-action.ts';
import { govern } from '#core/actions/govern.ts';
import type { GovernPorts } from '#core/actions/ports.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { type EnvelopeSchemas, envelopeSchemas } from '#core/contracts/lazy-envelope-schema.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { decide } from '#core/policy/rules/decide.ts';
import type { McpPorts } from '../ports.ts';
import { mcpCodes, type RpcOutcome, type RpcRequest } from '../protocol/messages.ts';
import type { Caller, Exchange } from '../sessions/caller.ts';
import { rootsForReading } from '../sessions/client-roots.ts';
import { noHold } from '../waiting/waiting.ts';
import { fitting } from './action.ts';
import { answer, sentWith } from './call.ts';
import { type Run, readExecutor } from './executor.ts';
import { resultClassifier, resultGuard } from './guard-settings.ts';

/** Tool name for policies, and the member that names the target. */
const words = {
  'resources/read': { tool: 'read_resource', names: 'uri' },
  'resources/subscribe': { tool: 'read_resource', names: 'uri' },
  'prompts/get': { tool: 'get_prompt', names: 'name' },
} as const;

type ReadMethod = keyof typeof words;

export const isReadMethod = (method: string): method is ReadMethod => Object.hasOwn(words, method);

/** Builds the action for a read. @throws RpcFault -32602 for parameters that do not fit in an envelope. */
function readOf(schemas: EnvelopeSchemas, method: ReadMethod, entry: McpUpstreamEntry, parameters: JsonObject) {
  const { tool, names } = words[method];
  const target = typeof parameters[names] === 'string' ? parameters[names] : '';
  return fitting(schemas, { protocol: 'mcp', tool, capability: 'read', upstream: entry.name, target, parameters });
}

/**
 * Makes and records the decision on a read, and reads from the server if allowed.
 * @throws RpcFault -32602; GatewayError as for a tool call.
 */
export async function readGoverned(
  ports: Pick<McpPorts, 'classifiers'> & GovernPorts,
  caller: Caller,
  entry: McpUpstreamEntry,
  { method, params, id }: Omit<RpcRequest, 'method'> & { readonly method: ReadMethod },
  exchange: Exchange,
): Promise<RpcOutcome> {
  const { _meta: meta, requestState: _state, inputResponses: _responses, ...parameters } = params;
  const action: GovernedRequest = {
    ...readOf(await envelopeSchemas(), method, entry, parameters),
    placement: { upstream: entry.name, upstream_tool: method },
    sent_with: sentWith(params, {}),
    rootLists: rootsForReading(caller, parameters, meta),
    actor: { agent: caller.agent },
  };
  const run: Run = {
    conversation: caller.conversation,
    entry,
    id,
    tool: method,
    method,
    meta: isObject(meta) ? meta : {},
    signal: exchange.signal,
    onMessage: exchange.send,
    onEvents: exchange.streams,
    calls: ports.calls,
    guard: resultGuard(caller.snapshot.configuration, entry, method),
    classifier: resultClassifier(ports, caller.snapshot, entry, caller.principal, method),
  };
  const executors = () => [readExecutor(run)];
  const result = await govern(ports, caller.principal, caller.sessionId, action, {
    wait: noHold,
    carry: (given, ...rest) => executeAction({ ...given, executors }, ...rest),
  });
  return answer(ports, result, run, caller);
}

/** Returns the policy's decision on reading a listed item, or on a completion. */
function decisionOn(
  schemas: EnvelopeSchemas,
  { snapshot }: Caller,
  entry: McpUpstreamEntry,
  method: ReadMethod,
  parameters: JsonObject,
) {
  return decide(snapshot.policy, readOf(schemas, method, entry, parameters));
}

/** Removes from a list the items that the policy blocks. */
export async function withoutBlocked(
  caller: Caller,
  entry: McpUpstreamEntry,
  member: string,
  things: readonly JsonObject[],
): Promise<JsonObject[]> {
  const method = member === 'resources' ? 'resources/read' : member === 'prompts' ? 'prompts/get' : undefined;
  if (!method) return [...things];
  const { names } = words[method];
  const schemas = await envelopeSchemas();
  return things.filter((thing) => {
    const named = thing[names];
    return (
      typeof named !== 'string' || decisionOn(schemas, caller, entry, method, { [names]: named }).decision !== 'block'
    );
  });
}

/** Returns the error, if any, for a completion whose prompt or resource may not be read without approval. */
export async function completionRefused(
  caller: Caller,
  entry: McpUpstreamEntry,
  params: JsonObject,
): Promise<RpcOutcome | undefined> {
  const { ref, argument, context } = params;
  if (!isObject(ref)) return undefined;
  const sent = { ...(argument !== undefined && { argument }), ...(context !== undefined && { context }) };
  const prompt = ref.type === 'ref/prompt';
  const { decision, matched_rule, reason } = decisionOn(
    await envelopeSchemas(),
    caller,
    entry,
    prompt ? 'prompts/get' : 'resources/read',
    prompt ? { name: ref.name ?? '', ...sent } : { uri: ref.uri ?? '', ...sent },
  );
  if (decision === 'allow') return undefined;
  const what = prompt ? 'prompt' : 'resource';
  const message = `Rule ${matched_rule} does not let this ${what} be read without a person, so it is not completed${reason ? `: ${reason}` : '.'}`;
  return { error: { code: mcpCodes.block, message, data: { reason: reason ?? decision, matched_rule } } };
}
