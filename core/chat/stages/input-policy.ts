/** `policy.check_input`: keyword, regex, PII, WASM over every text the model will read. */
import type { ContentPolicy, Verdict } from '#core/content-policy/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ChatCallState } from '../call-state.ts';
import { ended } from '../call-state.ts';
import type { ChatPorts } from '../ports.ts';

/**
 * Texts may be redacted in place. `review` is for the approval stage to act on.
 * @throws GatewayError `policy_violation`.
 */
export async function checkInputPolicy(
  ports: ChatPorts,
  state: ChatCallState,
  policy: ContentPolicy,
  body: JsonObject,
): Promise<Verdict['decision']> {
  const { call } = state;
  return ports.telemetry.span('policy.check_input', {}, async (span) => {
    const context = { tenant_id: call.tenant.id, model: call.resolvedModel, provider: '' };
    const verdict = policy.inputIdle ? clean : await policy.checkInput(call.wire.requestTexts(body), context);
    span.set({ decision: verdict.decision, policy_name: verdict.matched_rule, action: strictest(verdict) });
    note(ports, state, verdict);
    if (verdict.decision === 'block') throw violation(state, verdict);
    return verdict.decision;
  });
}

/** The result of a stage without filters; it is in the trace as well [trace.policy-stages]. */
export const clean: Verdict = { decision: 'allow', findings: [] };

/** Findings go into the call's entry; they are counted by filter and action. A warning is a header of the reply as well. */
export function note(ports: ChatPorts, state: ChatCallState, verdict: Verdict): void {
  state.findings.push(...verdict.findings);
  for (const { policy, action } of verdict.findings)
    ports.telemetry.count('svc_policy_violations_total', { policy, action });
  const warnings = new Set(state.findings.filter(({ action }) => action === 'warn').map(({ policy }) => policy));
  if (warnings.size > 0) state.headers['x-policy-warning'] = [...warnings].map(inHeader).join(', ');
  if (verdict.decision === 'allow' || verdict.matched_rule === undefined) return;
  state.matchedRule = verdict.matched_rule;
  state.decision = verdict.decision;
}

/** A header holds ASCII only. */
const inHeader = (name: string): string => name.replace(/[^\x20-\x7e]/g, '?');

/** What the caller gets: which filter, never what it found. */
export function violation(state: ChatCallState, { matched_rule, findings }: Verdict): GatewayError {
  const policy = matched_rule?.replace(/^content:/, '') ?? 'content policy';
  const deciding = findings.find((finding) => finding.policy === policy && finding.action === 'block');
  const where = deciding?.phase === 'output' ? 'The reply' : 'The request';
  const reason =
    deciding?.type === 'wasm' && deciding.detail !== undefined && !deciding.erred ? `: ${deciding.detail}` : '';
  const error = new GatewayError('policy_violation', `${where} is blocked by policy ${policy}${reason}.`, {
    data: { policy, phase: deciding?.phase ?? 'input' },
  });
  ended(state, 'blocked', error);
  return error;
}

const strictest = ({ decision, findings }: Verdict): string =>
  decision === 'allow' ? (findings[0]?.action ?? 'allow') : decision;
