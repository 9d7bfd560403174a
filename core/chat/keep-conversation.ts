/** What a chat shows its model, remembered for tool calls of the same session that go another way, such as MCP. */
import { rememberConversation } from '#core/session/sources/remember-call.ts';
import type { ChatCall } from './call.ts';
import type { ChatPorts } from './ports.ts';

/**
 * Never rejects: the fault is given back, since the model is called beside it. An answer is not given where the results its model
 * has read could not be remembered.
 */
export async function keepConversation(
  { provenance, clock, ids }: ChatPorts,
  { tenant, sessionId, body, snapshot }: ChatCall,
): Promise<{ readonly fault: unknown } | undefined> {
  if (!provenance) return undefined;
  const { retention_hours } = snapshot.configuration.provenance;
  const name = { tenant: tenant.id, session: sessionId };
  try {
    await rememberConversation({ provenance, clock, ids }, name, body, retention_hours * 3600);
    return undefined;
  } catch (fault) {
    return { fault };
  }
}
