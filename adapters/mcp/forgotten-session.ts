/** Recognises how HTTP servers report an unknown session other than with status 404 or 410 [mcp.sessions]. */
import { mcpCodes, type RpcError } from '#core/mcp/protocol/messages.ts';

const codes: readonly number[] = [mcpCodes.invalidRequest, -32000, -32001];
const forgotten =
  /\b(?:not found|no valid|not valid|invalid|unknown|expired|terminated|closed|not exist|no longer|missing|required)\b/i;

export const isSessionRefusal = ({ code, message }: RpcError): boolean =>
  codes.includes(code) &&
  ((/\bsession\b/i.test(message) && forgotten.test(message)) || /\bserver not initialized\b/i.test(message));
