/**
 * `messages.tool_use: govern`: every tool call the model makes is decided as an ActionEnvelope before the caller sees it
 *. A blocked or waiting one is replaced by what the decision says, in its place.
 */

import { decideOnly } from '#core/actions/decide-only.ts';
import { govern } from '#core/actions/govern.ts';
import { capabilityFromName } from '#core/classification/classify-tool.ts';
import { targetFromArguments } from '#core/classification/target.ts';
import { type DecisionResult, sizes } from '#core/contracts/envelope.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import { assertExact, type Json, type JsonObject, parseStrict } from '#core/kernel/json.ts';
import type { ChatCall } from './call.ts';
import type { ChatPorts } from './ports.ts';
import { isProviderRun, providerRunText } from './provider-tools.ts';
import { isStructuredOutput } from './structured-output.ts';

interface ToolUseBlock {
  readonly name: string;
  readonly input: JsonObject;
}

/** Arguments that are not a JSON object come out of a translation as their raw text. */
const isRaw = (input: JsonObject): boolean => typeof input._raw === 'string' && Object.keys(input).length === 1;

const notAnObject = 'its arguments are not a JSON object';
const unreadable = (tool: string, why: string): string => `[${tool} was blocked: ${why}.]`;

/** Undefined when the caller may see the call; else the text that stands in its place. */
async function replacement(
  ports: ChatPorts,
  call: ChatCall,
  { name, input }: ToolUseBlock,
): Promise<string | undefined> {
  if (isRaw(input)) return unreadable(name, notAnObject);
  const inexact = defectOf(() => assertExact(input));
  if (inexact !== undefined) return unreadable(name, inexact);
  const target = targetFromArguments(input);
  const request = {
    protocol: 'mcp',
    tool: name.slice(0, 256) || 'unnamed',
    target: Buffer.byteLength(target) <= sizes.targetBytes ? target : '',
    capability: capabilityFromName(name),
    parameters: input,
    placement: null,
    conversation: () => conversationOf(call.body),
    ...(call.approvalRef !== undefined && { approval_ref: call.approvalRef }),
  };
  if (await isStructuredOutput(ports, call, request)) return undefined;
  const result = await govern(ports, call.principal, call.sessionId, request, { carry: decideOnly });
  return result.decision === 'allow' ? undefined : told(name, result);
}

/** The request as the caller sent it, which is what the model has seen [provenance.chat]. */
async function conversationOf(body: JsonObject) {
  const { seenIn } = await import('#core/provenance/conversation.ts');
  return seenIn(body);
}

function told(tool: string, { decision, envelope_id, error }: DecisionResult): string {
  const data = (error?.data ?? {}) as { reason?: string; suggested_alternative?: string; approval_url?: string };
  if (decision === 'review')
    return `[${tool} needs a human's approval before it may run: ${data.approval_url ?? envelope_id} (envelope ${envelope_id}). Try the same call again once it is approved.]`;
  if (data.reason === 'denied') return `[${error?.message ?? `${tool} was denied.`}]`;
  const alternative = data.suggested_alternative ? ` ${data.suggested_alternative}` : '';
  return `[${tool} was blocked: ${data.reason ?? error?.message ?? 'policy'}${alternative}]`;
}

/**
 * A tool call whose arguments are text, decided. An empty text means that there are none.
 * @returns undefined when the caller may see the call; else the text that stands in its place.
 */
export async function decideCallText(
  ports: ChatPorts,
  call: ChatCall,
  name: string,
  json: string,
): Promise<string | undefined> {
  const input = parsedInput(json, undefined);
  return typeof input === 'string' ? unreadable(name, input) : replacement(ports, call, { name, input });
}

/** A complete messages reply, its tool calls decided in order. */
export async function governReply(ports: ChatPorts, call: ChatCall, reply: JsonObject): Promise<JsonObject> {
  const settings = call.snapshot.configuration.messages;
  const blocks = (Array.isArray(reply.content) ? reply.content : []).map(
    (block): Json => (isProviderRun(block, settings) ? { type: 'text', text: providerRunText(block) } : block),
  );
  if (!blocks.some(isToolUse)) return { ...reply, content: blocks };
  const content: Json[] = [];
  let allowed = false;
  for (const block of blocks) {
    const text = isToolUse(block) ? await replacement(ports, call, useOf(block, block.input)) : undefined;
    allowed ||= isToolUse(block) && text === undefined;
    content.push(text === undefined ? block : { type: 'text', text });
  }
  return { ...reply, content, ...(reply.stop_reason === 'tool_use' && !allowed && { stop_reason: 'end_turn' }) };
}

const isToolUse = (block: Json | undefined): block is JsonObject =>
  (block as JsonObject | null | undefined)?.type === 'tool_use';

const useOf = ({ name }: JsonObject, input: Json | undefined): ToolUseBlock => ({
  name: typeof name === 'string' ? name : '',
  input: input !== null && typeof input === 'object' && !Array.isArray(input) ? input : {},
});

/** The same on a stream of messages events: a tool call is held until it is whole and decided. */
export class ToolGate {
  readonly #ports: ChatPorts;
  readonly #call: ChatCall;
  readonly #held = new Map<Json | undefined, { readonly events: JsonObject[]; json: string }>();
  /** Blocks whose beginning was replaced: their stop ends what stands in their place. */
  readonly #dropped = new Set<Json | undefined>();
  #allowed = false;
  #replaced = false;

  constructor(ports: ChatPorts, call: ChatCall) {
    this.#ports = ports;
    this.#call = call;
  }

  async pass(event: JsonObject): Promise<JsonObject[]> {
    const { type, index } = event;
    if (
      type === 'content_block_start' &&
      isProviderRun(event.content_block, this.#call.snapshot.configuration.messages)
    ) {
      this.#dropped.add(index);
      return textBlock(index, providerRunText(event.content_block)).slice(0, -1);
    }
    if (this.#dropped.has(index) && type === 'content_block_delta') return [];
    if (type === 'content_block_start' && isToolUse(event.content_block)) {
      this.#held.set(index, { events: [event], json: '' });
      return [];
    }
    if (type === 'message_delta') return [this.#stopping(event)];
    const held = this.#held.get(index);
    if (!held || (type !== 'content_block_delta' && type !== 'content_block_stop')) return [event];
    held.events.push(event);
    if (type === 'content_block_delta') {
      held.json += String((event.delta as JsonObject | undefined)?.partial_json ?? '');
      return [];
    }
    this.#held.delete(index);
    return this.#decided(index, held.events, held.json);
  }

  async #decided(index: Json | undefined, events: JsonObject[], json: string): Promise<JsonObject[]> {
    const block = events[0]!.content_block as JsonObject;
    const input = parsedInput(json, block.input);
    const text =
      typeof input === 'string'
        ? unreadable(String(block.name), input)
        : await replacement(this.#ports, this.#call, useOf(block, input));
    if (text === undefined) {
      this.#allowed = true;
      return events;
    }
    this.#replaced = true;
    return textBlock(index, text);
  }

  #stopping(event: JsonObject): JsonObject {
    const delta = event.delta as JsonObject | undefined;
    if (!this.#replaced || this.#allowed || delta?.stop_reason !== 'tool_use') return event;
    return { ...event, delta: { ...delta, stop_reason: 'end_turn' } };
  }
}

/** A text as the events of one block. */
function textBlock(index: Json | undefined, text: string): JsonObject[] {
  const at = { index: index ?? 0 };
  return [
    { type: 'content_block_start', ...at, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', ...at, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', ...at },
  ];
}

/** The object that the caller will read, or why it is not certain which one that is: such a call is not let through. */
function parsedInput(json: string, given: Json | undefined): JsonObject | string {
  let value: Json = given ?? {};
  const unreadable = json === '' ? undefined : defectOf(() => (value = parseStrict(json)));
  if (unreadable !== undefined) return unreadable;
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : notAnObject;
}

/** The sentence of a refusal, without its full stop. */
function defectOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (fault) {
    return asGatewayError(fault)
      .message.replace(/^The body/, 'its arguments')
      .replace(/\.$/, '');
  }
}
