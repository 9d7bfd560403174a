/**
 * Holds each tool call in a stream of messages events until it is complete and a decision has been made. Events for
 * blocks that never began are dropped, because a client would add them to a block that was evaluated without them
 * [chat.tool-use].
 */
import { asText } from '#core/kernel/as-text.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import type { ChatCall } from './call.ts';
import type { ChatPorts } from './ports.ts';
import { isProviderRun, providerRunText } from './provider-tools.ts';
import {
  blockedToolText,
  endedWithinCall,
  isToolUse,
  isUndecidable,
  parsedInput,
  replacement,
  undecidableText,
  useOf,
} from './tool-use.ts';

interface HeldCall {
  readonly events: JsonObject[];
  json: string;
}

export class ToolGate {
  readonly #ports: ChatPorts;
  readonly #call: ChatCall;
  readonly #held = new Map<string, HeldCall>();
  /** Types of the open blocks that are passed through. */
  readonly #open = new Map<string, string>();
  /** Blocks whose start event was replaced. Their stop event ends the replacement. */
  readonly #dropped = new Set<string>();
  #allowed = false;
  #replaced = false;

  constructor(ports: ChatPorts, call: ChatCall) {
    this.#ports = ports;
    this.#call = call;
  }

  async pass(event: JsonObject): Promise<JsonObject[]> {
    switch (event.type) {
      case 'message_start':
        return [withoutContent(event)];
      case 'content_block_start':
        return this.#start(event);
      case 'content_block_delta':
        return this.#delta(event);
      case 'content_block_stop':
        return this.#stop(event);
      case 'message_delta':
        return [this.#ending(event)];
      default:
        return [event];
    }
  }

  #start(event: JsonObject): JsonObject[] {
    const { index, content_block: block } = event;
    const at = asText(index);
    this.#held.delete(at);
    this.#open.delete(at);
    const ran = isProviderRun(block, this.#call.snapshot.configuration.messages);
    if (ran || isUndecidable(block)) {
      this.#dropped.add(at);
      return textBlock(index, ran ? providerRunText(block) : undecidableText(block)).slice(0, -1);
    }
    this.#dropped.delete(at);
    if (isToolUse(block)) {
      this.#held.set(at, { events: [event], json: '' });
      return [];
    }
    this.#open.set(at, asText((block as JsonObject | null | undefined)?.type));
    return [event];
  }

  #delta(event: JsonObject): JsonObject[] {
    const at = asText(event.index);
    const { type, partial_json } = (event.delta ?? {}) as JsonObject;
    const isInput = type === 'input_json_delta';
    const held = this.#held.get(at);
    if (held) {
      if (!isInput) return [];
      held.events.push(event);
      held.json += asText(partial_json ?? '');
      return [];
    }
    const open = this.#open.get(at);
    return open === undefined || (isInput && !open.endsWith('tool_use')) ? [] : [event];
  }

  async #stop(event: JsonObject): Promise<JsonObject[]> {
    const at = asText(event.index);
    const held = this.#held.get(at);
    if (!held) return this.#dropped.delete(at) || this.#open.delete(at) ? [event] : [];
    this.#held.delete(at);
    const [start = {}] = held.events;
    const block = start.content_block as JsonObject;
    const input = parsedInput(held.json, block.input);
    const text =
      typeof input === 'string'
        ? blockedToolText(asText(block.name), input)
        : await replacement(this.#ports, this.#call, useOf(block, input));
    if (text === undefined) {
      this.#allowed = true;
      return [...held.events, event];
    }
    this.#replaced = true;
    return textBlock(start.index, text);
  }

  /**
   * Ends the stream.
   * @throws GatewayError `provider_error` for an unfinished block, because its call may be truncated and no decision
   * was made on it.
   */
  end(): void {
    if (this.#held.size > 0) throw endedWithinCall();
  }

  /** Corrects the stop reason if no tool call is left to run. */
  #ending(event: JsonObject): JsonObject {
    this.end();
    const delta = event.delta as JsonObject | undefined;
    const left = this.#allowed || !this.#replaced;
    return left || delta?.stop_reason !== 'tool_use'
      ? event
      : { ...event, delta: { ...delta, stop_reason: 'end_turn' } };
  }
}

/**
 * Removes the content, because its blocks have their own events and clients would read the content as additional
 * blocks.
 */
function withoutContent(event: JsonObject): JsonObject {
  const message = event.message as JsonObject | undefined;
  const isEmpty = message?.content === undefined || (Array.isArray(message.content) && message.content.length === 0);
  return isEmpty ? event : { ...event, message: { ...message, content: [] } };
}

/** Returns text as the events of one block. */
function textBlock(index: Json | undefined, text: string): JsonObject[] {
  const at = { index: index ?? 0 };
  return [
    { type: 'content_block_start', ...at, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', ...at, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', ...at },
  ];
}
