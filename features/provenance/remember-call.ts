/** Records tool results and the person's words for a session. */
import { trusted } from '#core/contracts/provenance.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { SeenAction, SessionName } from '#core/session/value-tracer.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { conversationParts } from './conversation.ts';
import { type RecordPorts, remember, withheldResult } from './session-record.ts';

const labelOfTool = (tool: string): string => `tool:${foldCase(tool).trim()}`;

/** Records a tool result. @throws GatewayError `service_unavailable`, in which case the result must not be returned. */
export async function rememberResult(
  ports: RecordPorts,
  name: SessionName,
  { envelope_id, tool, upstream }: SeenAction,
  result: unknown,
  keptSeconds: number,
): Promise<void> {
  const server = upstream === undefined ? {} : { server: upstream.toLowerCase() };
  const entry = { id: `r#${envelope_id}`, label: labelOfTool(tool), action: envelope_id, ...server };
  try {
    await remember(ports, name, entry, result, keptSeconds);
  } catch (fault) {
    throw withheldResult(tool, fault);
  }
}

const rememberedMarks = new RecentMap<string, true>({ max: 4_096 });

/**
 * Records the person's words, once in this process per session and text.
 * @throws GatewayError `service_unavailable`.
 */
export async function rememberWords(
  ports: RecordPorts,
  name: SessionName,
  label: string,
  value: unknown,
  keptSeconds: number,
): Promise<void> {
  const id = `w#${digestOf([label, value])}`;
  const mark = `${name.tenant}#${name.session}#${id}`;
  if (rememberedMarks.get(mark)) return;
  await remember(ports, name, { id, label }, value, keptSeconds);
  rememberedMarks.set(mark, true);
}

/** Records a conversation's words and results, for the session's later calls that do not include the conversation. */
export async function rememberConversation(
  ports: RecordPorts,
  name: SessionName,
  body: JsonObject,
  keptSeconds: number,
): Promise<void> {
  for (const { label, value } of conversationParts(body, true))
    if (label === trusted || label.startsWith('tool:')) await rememberWords(ports, name, label, value, keptSeconds);
}
