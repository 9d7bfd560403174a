/** Returns the events that would have been streamed for a complete Anthropic message. */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { objectOf, objectsOf } from '#core/kernel/narrow.ts';
import { isCall } from './texts.ts';

export function replayAnthropic(reply: JsonObject): JsonObject[] {
  const usage = objectOf(reply.usage) ?? {};
  const { stop_reason = null, stop_sequence = null } = reply;
  const message = {
    ...reply,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 0 },
  };
  return [
    { type: 'message_start', message },
    ...objectsOf(reply.content).flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: JsonObject, index: number): JsonObject[] {
  const { start, deltas } = splitBlock(block);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** Splits a block into its start and its deltas. Kinds without deltas are complete at the start. */
function splitBlock(block: JsonObject): { start: JsonObject; deltas: JsonObject[] } {
  if (block.type === 'text') {
    const { citations, ...rest } = block;
    const cited = Array.isArray(citations) ? citations : [];
    return {
      start: {
        ...rest,
        text: '',
        ...(cited.length > 0 ? { citations: [] } : citations !== undefined && { citations }),
      },
      deltas: [
        { type: 'text_delta', text: block.text ?? '' },
        ...cited.map((citation: Json) => ({ type: 'citations_delta', citation })),
      ],
    };
  }
  if (block.type === 'thinking')
    return {
      start: { ...block, thinking: '', signature: '' },
      deltas: [
        { type: 'thinking_delta', thinking: block.thinking ?? '' },
        { type: 'signature_delta', signature: block.signature ?? '' },
      ],
    };
  if (isCall(block))
    return {
      start: { ...block, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input ?? {}) }],
    };
  return { start: block, deltas: [] };
}
