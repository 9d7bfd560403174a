/** Chat calls in a session report: model, outcome, tokens, cost, findings; their content is not recorded. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';

type Body = EvidenceEntry['body'];
type LooseFact = readonly [label: string, value: unknown, code?: boolean];

/** Returns the title of a chat call in the timeline and story, such as `chat.completions → gpt-4o`. */
export const chatTitle = ({ operation, resolved_model, model }: Body): string =>
  [word(operation) ?? 'chat', word(resolved_model) ?? word(model)].filter(Boolean).join(' → ');

/** Describes a chat call in the timeline: outcome, rule, tokens and cost. */
export function chatDetail(body: Body): string {
  const rule = word(body.matched_rule);
  const used = tokensOf(body.usage);
  return [chatOutcome(body), rule && `rule ${rule}`, word(body.provider), used].filter(Boolean).join(', ');
}

const outcomes: Readonly<Record<string, string>> = {
  completed: 'completed',
  cached: 'answered from the cache',
  blocked: 'blocked',
  review: 'waiting for approval',
  aborted: 'the caller went away',
  failed: 'failed',
  refused: 'refused',
  begun: 'begun',
};

export function chatOutcome({ outcome, decision, aborted_by }: Body): string {
  if (outcome === 'aborted' && word(aborted_by) !== undefined) return `cancelled by ${word(aborted_by)}`;
  const name = word(outcome);
  return (name !== undefined && Object.hasOwn(outcomes, name) ? outcomes[name] : name) ?? word(decision) ?? 'recorded';
}

export function chatFacts({ body, timestamp }: EvidenceEntry): LooseFact[] {
  const { model, resolved_model, status } = body;
  const alias = word(model) !== word(resolved_model) ? word(model) : undefined;
  const provider = [word(body.provider), word(body.region) && `region ${word(body.region)}`];
  return [
    ['Operation', body.operation, true],
    ['Model', word(resolved_model) ?? word(model), true],
    ['Asked for as', word(resolved_model) === undefined ? undefined : alias, true],
    ['Provider', provider.filter(Boolean).join(', ')],
    ['Tried before', attemptsOf(body.attempts)],
    ['Decision', `${word(body.decision) ?? 'not recorded'} at ${timestamp}${byRule(body)}`],
    ['Policy', typeof body.policy_version === 'number' ? `version ${body.policy_version}` : undefined],
    ['Outcome', `${chatOutcome(body)}${typeof status === 'number' ? `, status ${status}` : ''}${streamedNote(body)}`],
    ['Delivered', body.delivered === 'unknown' ? 'not known: this host does not see its callers' : undefined],
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
  word(matched_rule) === undefined ? '' : `, by rule ${word(matched_rule)}`;

const streamedNote = ({ stream }: Body): string => (stream === true ? ', streamed' : '');

/** Lists filter findings, such as `pii-input warned of 2 (email) in the input`. */
function findingsOf(findings: unknown): string {
  return listOf(findings)
    .map(({ policy, action, phase, count, detail, erred }) => {
      const what = word(detail) === undefined ? '' : ` (${word(detail)})`;
      const times = typeof count === 'number' ? ` × ${count}` : '';
      const how = erred === true ? ', the filter erred' : '';
      return `${word(policy) ?? 'a filter'}: ${word(action) ?? 'found'}${times}${what} in the ${word(phase) ?? 'text'}${how}`;
    })
    .join('; ');
}

const attemptsOf = (attempts: unknown): string =>
  listOf(attempts)
    .map(({ provider, error }) => `${word(provider) ?? 'a provider'}: ${word(error) ?? 'failed'}`)
    .join('; ');

function tokensOf(usage: unknown): string | undefined {
  const { input_tokens, output_tokens, estimated } = fieldsOf(usage);
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

const word = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const fieldsOf = (value: unknown): Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : {};

const listOf = (value: unknown): Body[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
