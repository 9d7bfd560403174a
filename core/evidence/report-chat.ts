/** Chat calls in a session report: model, outcome, tokens, cost and findings. Their content is not recorded. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { fields, list, text } from '#core/kernel/json-fields.ts';

type Body = EvidenceEntry['body'];
type LooseFact = readonly [label: string, value: unknown, code?: boolean];

/** Returns the title of a chat call in the timeline and story, such as `chat.completions → gpt-4o`. */
export const chatTitle = ({ operation, resolved_model, model }: Body): string =>
  [text(operation) ?? 'chat', text(resolved_model) ?? text(model)].filter(Boolean).join(' → ');

/** Describes a chat call in the timeline: outcome, rule, tokens and cost. */
export function chatDetail(body: Body): string {
  const rule = text(body.matched_rule);
  const used = tokensOf(body.usage);
  return [chatOutcome(body), rule && `rule ${rule}`, text(body.provider), used].filter(Boolean).join(', ');
}

const outcomes: Readonly<Record<string, string>> = {
  completed: 'completed',
  cached: 'answered from the cache',
  blocked: 'blocked',
  review: 'waiting for approval',
  aborted: 'the caller disconnected',
  failed: 'failed',
  refused: 'refused',
  begun: 'begun',
};

export function chatOutcome({ outcome, decision, aborted_by }: Body): string {
  if (outcome === 'aborted' && text(aborted_by) !== undefined) return `cancelled by ${text(aborted_by)}`;
  const name = text(outcome);
  return (name !== undefined && Object.hasOwn(outcomes, name) ? outcomes[name] : name) ?? text(decision) ?? 'recorded';
}

export function chatFacts({ body, timestamp }: EvidenceEntry): LooseFact[] {
  const { model, resolved_model, status } = body;
  const alias = text(model) !== text(resolved_model) ? text(model) : undefined;
  const provider = [text(body.provider), text(body.region) && `region ${text(body.region)}`];
  return [
    ['Operation', body.operation, true],
    ['Model', text(resolved_model) ?? text(model), true],
    ['Asked for as', text(resolved_model) === undefined ? undefined : alias, true],
    ['Provider', provider.filter(Boolean).join(', ')],
    ['Tried before', attemptsOf(body.attempts)],
    ['Decision', `${text(body.decision) ?? 'not recorded'} at ${timestamp}${byRule(body)}`],
    ['Policy', typeof body.policy_version === 'number' ? `version ${body.policy_version}` : undefined],
    ['Outcome', `${chatOutcome(body)}${typeof status === 'number' ? `, status ${status}` : ''}${streamedNote(body)}`],
    [
      'Delivered',
      body.delivered === 'unknown' ? 'not known: this host does not detect when callers disconnect' : undefined,
    ],
    ['Error', body.error],
    ['Findings', findingsOf(body.findings)],
    ['Tokens', tokensOf(body.usage)],
    ['Cost', costOf(body)],
    ['Cache', body.cache],
    ['Took', durationOf(body)],
    ['Break-glass', body.break_glass === true ? 'this request passed under break-glass' : undefined],
    ['Approval used', body.approval_ref, true],
    ['Request', body.request_id, true],
    ['Request digest', body.request_sha256, true],
    ['Trace', body.trace_id, true],
  ];
}

const byRule = ({ matched_rule }: Body): string =>
  text(matched_rule) === undefined ? '' : `, by rule ${text(matched_rule)}`;

const streamedNote = ({ stream }: Body): string => (stream === true ? ', streamed' : '');

/** Lists filter findings, such as `pii-input warned of 2 (email) in the input`. */
function findingsOf(findings: unknown): string {
  return list(findings)
    .map(({ policy, action, phase, count, detail, erred }) => {
      const what = text(detail) === undefined ? '' : ` (${text(detail)})`;
      const times = typeof count === 'number' ? ` × ${count}` : '';
      const how = erred === true ? ', the filter failed' : '';
      return `${text(policy) ?? 'a filter'}: ${text(action) ?? 'found'}${times}${what} in the ${text(phase) ?? 'text'}${how}`;
    })
    .join('; ');
}

const attemptsOf = (attempts: unknown): string =>
  list(attempts)
    .map(({ provider, error }) => `${text(provider) ?? 'a provider'}: ${text(error) ?? 'failed'}`)
    .join('; ');

function tokensOf(usage: unknown): string | undefined {
  const { input_tokens, output_tokens, estimated } = fields(usage);
  if (typeof input_tokens !== 'number' || typeof output_tokens !== 'number') return undefined;
  return `${input_tokens} in, ${output_tokens} out${estimated === true ? ' (estimated)' : ''}`;
}

function costOf({ cost_microusd, cost_estimated }: Body): string | undefined {
  if (typeof cost_microusd !== 'number') return undefined;
  return `${(cost_microusd / 1_000_000).toFixed(6)} USD${cost_estimated === true ? ' (price not known, the dearest taken)' : ''}`;
}

function durationOf({ latency_ms, first_token_ms }: Body): string | undefined {
  if (typeof latency_ms !== 'number') return undefined;
  return `${latency_ms} ms${typeof first_token_ms === 'number' ? `, first token after ${first_token_ms} ms` : ''}`;
}
