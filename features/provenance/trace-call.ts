/** Traces the values of one call to the words sent with it, its conversation and its session's record. */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { type CallSources, trusted } from '#core/contracts/provenance.ts';
import type { AttachedSources, SessionName } from '#core/session/value-tracer.ts';
import { conversationSources } from './conversation.ts';
import { type RecordPorts, recall } from './session-record.ts';
import { formsOfValue } from './texts-of.ts';
import { type SeenText, type SessionTexts, traceValues } from './trace.ts';

/** Returns the sources of a call's values. @throws GatewayError `service_unavailable`. */
export async function traceCall(
  ports: RecordPorts,
  name: SessionName,
  { parameters, sent_with }: ToolCall,
  { words, conversation }: AttachedSources,
  isNew: () => Promise<boolean>,
): Promise<CallSources> {
  const kept = await loadEarlierValues(ports, name, conversation, isNew);
  const seen = [...words.map(wordsSeen), ...kept.seen];
  const { complete } = kept;
  return traceValues([parameters, ...(sent_with ? [sent_with] : [])], { seen, complete });
}

/**
 * Returns the values seen before the call. If there is a conversation, it contains everything that its model has seen;
 * otherwise the session's record is read.
 */
async function loadEarlierValues(
  ports: RecordPorts,
  name: SessionName,
  conversation: AttachedSources['conversation'],
  isNew: () => Promise<boolean>,
): Promise<SessionTexts> {
  return conversation ? { seen: conversationSources(conversation), complete: true } : recall(ports, name, isNew);
}

/** Returns the person's words as searchable text. */
export function wordsSeen(text: string): SeenText {
  const { forms } = formsOfValue(text);
  return { label: trusted, has: (form) => forms.has(form) };
}
