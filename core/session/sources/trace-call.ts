/** Traces the values of one call: words that come with it, the conversation it stands in, and the record of its session. */

import type { ToolCall } from '#core/contracts/envelope.ts';
import type { CallSources } from '#core/contracts/provenance.ts';
import { trusted } from '#core/contracts/provenance.ts';
import type { SessionName } from './ports.ts';
import { type RecordPorts, recall } from './session-record.ts';
import { formsOfValue } from './texts-of.ts';
import { type SeenBySession, type SeenText, traceValues } from './trace.ts';

/** What comes with a call itself. */
interface AttachedSources {
  /** Words of the person, as the host passes them on. */
  readonly words: readonly string[];
  /** Of a conversation that passes the gateway in full. */
  readonly conversation?: readonly SeenText[] | undefined;
}

/** @throws GatewayError `service_unavailable`. */
export async function traceCall(
  ports: RecordPorts | undefined,
  name: SessionName,
  { parameters, sent_with }: ToolCall,
  { words, conversation }: AttachedSources,
  isNew: () => Promise<boolean>,
): Promise<CallSources> {
  const kept = await before(ports, name, conversation, isNew);
  const seen = [...words.map(wordsSeen), ...kept.seen];
  const { complete } = kept;
  return traceValues([parameters, ...(sent_with ? [sent_with] : [])], { seen, complete });
}

/** A conversation has all that its model has seen; else the record of the session says it. */
async function before(
  ports: RecordPorts | undefined,
  name: SessionName,
  conversation: AttachedSources['conversation'],
  isNew: () => Promise<boolean>,
): Promise<SeenBySession> {
  if (conversation) return { seen: conversation, complete: true };
  return ports ? recall(ports, name, isNew) : { seen: [], complete: false };
}

/** Words of the person as something to look into. */
export function wordsSeen(text: string): SeenText {
  const { forms } = formsOfValue(text);
  return { label: trusted, has: (form) => forms.has(form) };
}
