/** `policy.check_input`: keyword, regex, PII, WASM over every text the model will read. */

import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ContentPolicy, Verdict } from '#core/models/content-policy/ports.ts';
import type { AdmittedCall, KnownCall, ScreenedCall } from '../call-stages.ts';
import type { ChatPorts } from '../ports.ts';
import { StageFailure } from '../stage-failure.ts';

/**
 * Texts may be redacted in place. `review` is for the approval stage to act on.
 * @throws GatewayError `policy_violation`.
 */
export async function checkInputPolicy(
  ports: ChatPorts,
  admitted: AdmittedCall,
  policy: ContentPolicy,
  body: JsonObject,
): Promise<ScreenedCall> {
  const { call } = admitted;
  return ports.telemetry.span('policy.check_input', {}, async (span) => {
    const context = { tenant_id: call.tenant.id, model: call.resolvedModel, provider: '' };
    const verdict = policy.inputIdle ? clean : await policy.checkInput(call.wire.requestTexts(body), context);
    span.set(verdictAttributes(verdict));
    countFindings(ports, verdict);
    const screened = { ...admitted, body, lines: [], inputVerdict: verdict };
    if (verdict.decision === 'block') throw blocked(screened, verdict);
    return screened;
  });
}

/** The result of a stage without filters; it is in the trace as well [trace.policy-stages]. */
export const clean: Verdict = { decision: 'allow', findings: [] };

/** By filter and action. */
export function countFindings({ telemetry }: Pick<ChatPorts, 'telemetry'>, { findings }: Verdict): void {
  for (const { policy, action } of findings) telemetry.count('svc_policy_violations_total', { policy, action });
}

/** The end of a call that a filter does not let pass. */
export const blocked = (known: KnownCall, verdict: Verdict, fault = violation(verdict)): StageFailure =>
  new StageFailure(fault, known, 'blocked');

/** What the caller gets: which filter, never what it found. */
export function violation({ matched_rule, findings }: Verdict): GatewayError {
  const policy = matched_rule?.replace(/^content:/, '') ?? 'content policy';
  const deciding = findings.find((finding) => finding.policy === policy && finding.action === 'block');
  const where = deciding?.phase === 'output' ? 'The reply' : 'The request';
  const reason =
    deciding?.type === 'wasm' && deciding.detail !== undefined && !deciding.erred ? `: ${deciding.detail}` : '';
  return new GatewayError('policy_violation', `${where} is blocked by policy ${policy}${reason}.`, {
    data: { policy, phase: deciding?.phase ?? 'input' },
  });
}

/** Of the actions that let a text pass, the strictest first. */
const passing: readonly string[] = ['redact', 'warn', 'log'];

/** Attributes of a span: the decision, and the filter whose action is the strictest [trace.policy-stages]. */
export function verdictAttributes({ decision, matched_rule, findings }: Verdict) {
  if (decision !== 'allow') return { decision, policy_name: matched_rule, action: decision };
  const [found] = [...findings].sort((a, b) => passing.indexOf(a.action) - passing.indexOf(b.action));
  if (!found) return { decision, action: 'allow' };
  return { decision, policy_name: matched_rule ?? `content:${found.policy}`, action: found.action };
}
