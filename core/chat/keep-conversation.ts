/** Stores a chat's conversation for tool calls that arrive in the same session through other paths, such as MCP. */
import { rememberConversation } from '#core/session/sources/remember-call.ts';
import type { ChatCall } from './call.ts';
import type { ChatPorts } from './ports.ts';

/**
 * Stores the conversation while the model is called. Never rejects, but returns the error: the answer is withheld if
 * tool results that its model has read could not be stored.
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
