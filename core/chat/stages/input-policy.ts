/** `policy.check_input`: applies keyword, regex, PII and WASM filters to all text that the model reads. */

import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ContentPolicy, Verdict } from '#core/models/content-policy/ports.ts';
import type { AdmittedCall, KnownCall, ScreenedCall } from '../call-stages.ts';
import type { ChatPorts } from '../ports.ts';
import { StageFailure } from '../stage-failure.ts';

/**
 * Checks the request and may redact text in place. The approval stage handles `review`.
 * @throws GatewayError `policy_violation`.
 */
export async function checkInputPolicy(
  ports: ChatPorts,
  admitted: AdmittedCall,
  policy: ContentPolicy,
  body: JsonObject,
): Promise<ScreenedCall> {
  const { call } = admitted;
  return ports.telemetry.leafSpan('policy.check_input', {}, async (span) => {
    const context = { tenant_id: call.tenant.id, model: call.resolvedModel, provider: '' };
    const messages = body === call.body ? call.messageTexts : undefined;
    const verdict = policy.inputIdle ? clean : await policy.checkInput(call.wire.requestTexts(body, messages), context);
    span.set(verdictAttributes(verdict));
    countFindings(ports, verdict);
    const screened = { ...admitted, body, lines: [], inputVerdict: verdict };
    if (verdict.decision === 'block') throw blockFailure(screened, verdict);
    return screened;
  });
}

/** Verdict of a stage without filters, which also appears in the trace [trace.routes]. */
export const clean: Verdict = { decision: 'allow', findings: [] };

/** Counts findings by filter and action. */
export function countFindings({ telemetry }: Pick<ChatPorts, 'telemetry'>, { findings }: Verdict): void {
  for (const { policy, action } of findings) telemetry.count('svc_policy_violations_total', { policy, action });
}

/** Returns the failure for a call that a filter blocks. */
export const blockFailure = (known: KnownCall, verdict: Verdict, fault = violation(verdict)): StageFailure =>
  new StageFailure(fault, known, 'blocked');

/** Returns the error for the caller, which names the filter but never the match. */
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

/** Actions that let text pass, strictest first. */
const passing: readonly string[] = ['redact', 'warn', 'log'];

/** Attributes of a verdict without findings. */
const passed = { decision: 'allow', action: 'allow' } as const;

/** Returns the span attributes: the decision, and the filter with the strictest action [trace.routes]. */
export function verdictAttributes({ decision, matched_rule, findings }: Verdict) {
  if (decision !== 'allow') return { decision, policy_name: matched_rule, action: decision };
  if (findings.length === 0) return passed;
  const found = findings.reduce((a, b) => (passing.indexOf(b.action) < passing.indexOf(a.action) ? b : a));
  return { decision, policy_name: matched_rule ?? `content:${found.policy}`, action: found.action };
}
