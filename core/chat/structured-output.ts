/**
 * Structured output through a tool that never runs. Client libraries (LangChain, instructor) offer one tool, force the
 * model to call it, and read its arguments as the answer. Such a call is data [messages.structured-output].
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
 * Checks whether a call of the model is such an answer. It is an action if a rule names the tool, its arguments have an
 * effect, or a text cannot be parsed with certainty.
 * @param input parsed arguments.
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
