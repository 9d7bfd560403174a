/**
 * Structured output by a tool that never runs: client libraries (LangChain, instructor) offer one tool, force the model to call
 * it, and read its arguments as the answer. Such a call is data [messages.structured-output].
 */

import { assessCall } from '#core/actions/assess-call.ts';
import { openEnvelope } from '#core/actions/envelope.ts';
import type { EvaluationPorts } from '#core/actions/ports.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import type { IdsPort } from '#core/kernel/ports.ts';
import type { ChatCall } from './call.ts';
import { forcedTool } from './tool-use-mode.ts';

type ToolCallOrigin = Pick<ChatCall, 'dialect' | 'body' | 'snapshot'>;

/**
 * Whether a call of the model is such an answer. The policy must know nothing of it: a rule that names the tool, an effect
 * that its arguments come to, and a text that cannot be read with certainty all make it an action like any other.
 * @param input the arguments, already parsed.
 */
export async function isStructuredOutput(
  ports: EvaluationPorts & IdsPort,
  call: ToolCallOrigin & Pick<ChatCall, 'principal' | 'sessionId'>,
  request: Parameters<typeof openEnvelope>[0],
): Promise<boolean> {
  const { messages } = call.snapshot.configuration;
  if (messages.structured_output !== 'data' || forcedTool(call) !== request.tool) return false;
  const envelope = openEnvelope(request, call.principal, call.sessionId, ports.ids.uuid());
  const effects = await ports.effects(envelope);
  if (effects.parts.length > 0 || effects.unclear !== undefined) return false;
  const { decision, matched_rule } = await assessCall(
    ports,
    ofTenant(call.snapshot, envelope.tenant),
    envelope,
    effects,
  );
  return decision === 'review' && matched_rule === 'default';
}
