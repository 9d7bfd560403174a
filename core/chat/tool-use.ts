/**
 * Evaluates every tool call made by the model as an ActionEnvelope before the caller sees it (`messages.tool_use:
 * govern`). A blocked or pending call is replaced with text that states the decision.
 */
import { assessCall } from '#core/actions/assess-call.ts';
import { decideOnly } from '#core/actions/decide-only.ts';
import { openEnvelope } from '#core/actions/envelope.ts';
import { govern } from '#core/actions/govern.ts';
import type { EvaluationPorts, GovernPorts } from '#core/actions/ports.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import { type DecisionResult, sizes } from '#core/contracts/envelope.ts';
import { asText } from '#core/kernel/as-text.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import { assertExact, type Json, type JsonObject, parseStrict } from '#core/kernel/json.ts';
import { textOf } from '#core/kernel/narrow.ts';
import { capabilityFromName } from '#core/policy/classification/classify-tool.ts';
import { targetFromArguments } from '#core/policy/classification/target.ts';
import type { ChatCall } from './call.ts';
import type { ChatPorts } from './ports.ts';
import { isProviderRun, providerRunText } from './provider-tools.ts';
import { forcedTool } from './tool-use-mode.ts';

interface ToolUseBlock {
  /** Call id assigned by the model. */
  readonly id: string | undefined;
  readonly name: string;
  readonly input: JsonObject;
}

/** Checks for arguments that were not a JSON object, which a translation returns as raw text. */
const isRaw = (input: JsonObject): boolean => typeof input._raw === 'string' && Object.keys(input).length === 1;

const notAnObject = 'its arguments are not a JSON object';
export const blockedToolText = (tool: string, why: string): string => `[${tool} was blocked: ${why}.]`;

/** Returns undefined if the caller may see the call, otherwise the text that replaces it. */
export async function replacement(
  ports: ChatPorts,
  call: ChatCall,
  { id, name, input }: ToolUseBlock,
): Promise<string | undefined> {
  if (isRaw(input)) return blockedToolText(name, notAnObject);
  const inexact = defectOf(() => assertExact(input));
  if (inexact !== undefined) return blockedToolText(name, inexact);
  const target = targetFromArguments(input);
  const request = {
    protocol: 'mcp',
    tool: name.slice(0, 256) || 'unnamed',
    target: Buffer.byteLength(target) <= sizes.targetBytes ? target : '',
    capability: capabilityFromName(name),
    parameters: input,
    placement: null,
    modelCallId: id,
    // As the caller sent it, which is also what the model has read [provenance.prompt].
    conversation: call.body,
    ...(call.approvalRef !== undefined && { approval_ref: call.approvalRef }),
  };
  if (await isStructuredOutput(ports, call, request)) return undefined;
  const result = await govern(ports, call.principal, call.sessionId, request, { carry: decideOnly });
  return result.decision === 'allow' ? undefined : refusalText(name, result);
}

function refusalText(tool: string, { decision, envelope_id, error }: DecisionResult): string {
  const data = (error?.data ?? {}) as { reason?: string; suggested_alternative?: string; approval_url?: string };
  if (decision === 'review')
    return `[${tool} needs a human's approval before it may run: ${data.approval_url ?? envelope_id} (envelope ${envelope_id}). Try the same call again once it is approved.]`;
  if (data.reason === 'denied') return `[${error?.message ?? `${tool} was denied.`}]`;
  const alternative = data.suggested_alternative ? ` ${data.suggested_alternative}` : '';
  return `[${tool} was blocked: ${data.reason ?? error?.message ?? 'policy'}${alternative}]`;
}

/**
 * Makes a decision on a tool call whose arguments are a string. An empty string means no arguments.
 * @returns undefined if the caller may see the call, otherwise the text that replaces it.
 */
export async function decideCallText(
  ports: ChatPorts,
  call: ChatCall,
  { id, name, json }: { readonly id: string | undefined; readonly name: string; readonly json: string },
): Promise<string | undefined> {
  const input = parsedInput(json, undefined);
  return typeof input === 'string' ? blockedToolText(name, input) : replacement(ports, call, { id, name, input });
}

function decideBlock(ports: ChatPorts, call: ChatCall, block: JsonObject): Promise<string | undefined> | string {
  const input = parsedInput('', block.input ?? undefined);
  return typeof input === 'string'
    ? blockedToolText(asText(block.name), input)
    : replacement(ports, call, useOf(block, input));
}

/** Makes decisions on the tool calls of a complete messages reply, in order. */
export async function governReply(ports: ChatPorts, call: ChatCall, reply: JsonObject): Promise<JsonObject> {
  const settings = call.snapshot.configuration.messages;
  const blocks = (Array.isArray(reply.content) ? reply.content : []).map(
    (block): Json =>
      isProviderRun(block, settings)
        ? { type: 'text', text: providerRunText(block) }
        : isUndecidable(block)
          ? { type: 'text', text: undecidableText(block) }
          : block,
  );
  if (!blocks.some(isToolUse)) return { ...reply, content: blocks };
  const content: Json[] = [];
  let allowed = false;
  for (const block of blocks) {
    const text = isToolUse(block) ? await decideBlock(ports, call, block) : undefined;
    allowed ||= isToolUse(block) && text === undefined;
    content.push(text === undefined ? block : { type: 'text', text });
  }
  return { ...reply, content, ...(reply.stop_reason === 'tool_use' && !allowed && { stop_reason: 'end_turn' }) };
}

const typeOf = (block: Json | undefined): string => asText((block as JsonObject | null | undefined)?.type ?? '');

/** Checks for a tool call in any letter case, because clients differ in how strictly they compare. */
export const isToolUse = (block: Json | undefined): block is JsonObject => typeOf(block).toLowerCase() === 'tool_use';

/**
 * Checks for a block of unknown type that has the members of a tool call. Tools run by the provider are checked
 * separately.
 */
export const isUndecidable = (block: Json | undefined): block is JsonObject => {
  const { name, input, arguments: args } = (block ?? {}) as JsonObject;
  const isCall = typeof name === 'string' && (input !== undefined || args !== undefined);
  return isCall && !isToolUse(block) && !/_tool_(?:use|result)$/.test(typeOf(block));
};

export const undecidableText = (block: JsonObject): string =>
  blockedToolText(asText(block.name), `calls of type ${JSON.stringify(typeOf(block).slice(0, 64))} are unknown`);

/** Returns the error for a stream that ended within a tool call. */
export const endedWithinCall = (): GatewayError =>
  new GatewayError(
    'provider_error',
    'The provider ended its stream within a tool call, so the call is not passed on. Send the request again.',
  );

export const useOf = ({ id, name }: JsonObject, input: JsonObject): ToolUseBlock => ({
  id: textOf(id),
  name: typeof name === 'string' ? name : '',
  input,
});

/**
 * Returns the object that the caller will read, or the reason why it is ambiguous, in which case the call does not
 * pass.
 */
export function parsedInput(json: string, given: Json | undefined): JsonObject | string {
  let value: Json = given ?? {};
  const unreadable = json === '' ? undefined : defectOf(() => (value = parseStrict(json)));
  if (unreadable !== undefined) return unreadable;
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : notAnObject;
}

/** Returns the message of a refusal, reworded for arguments instead of a body and without its final full stop. */
function defectOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (fault) {
    return asGatewayError(fault)
      .message.replace(/^The body contains/, 'its arguments contain')
      .replace(/^The body is/, 'its arguments are')
      .replace(/^A (\w+) in the body/, 'a $1 in its arguments')
      .replace(/\.$/, '');
  }
}

type ToolCallOrigin = Pick<ChatCall, 'dialect' | 'body' | 'snapshot'>;

/**
 * Checks whether a call is structured output: client libraries (LangChain, instructor) offer one tool, force the model
 * to call it, and read its arguments as the answer [chat.tool-use]. The call is an action if a rule names the tool, its
 * arguments have an effect, or a string in it cannot be parsed with certainty.
 * @param input parsed arguments.
 */
async function isStructuredOutput(
  ports: Pick<GovernPorts, 'ids'> & EvaluationPorts,
  call: ToolCallOrigin & Pick<ChatCall, 'principal' | 'sessionId'>,
  request: Parameters<typeof openEnvelope>[0],
): Promise<boolean> {
  const { messages } = call.snapshot.configuration;
  if (messages.structured_output !== 'data' || forcedTool(call) !== request.tool) return false;
  const envelope = openEnvelope(request, call.principal, call.sessionId, ports.ids.uuid());
  const effects = await ports.effects(envelope, call.snapshot.configuration.catalog.programs);
  if (effects.parts.length > 0 || effects.unclear !== undefined) return false;
  const { decision, matched_rule } = await assessCall(
    ports,
    ofTenant(call.snapshot, envelope.tenant),
    envelope,
    effects,
  );
  return decision === 'review' && matched_rule === 'default';
}
