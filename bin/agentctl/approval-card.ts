/** The card that shows an approval: key, effects, the call, the rule's reason, and the time left. */
import { sha256 } from '#core/kernel/canonical.ts';
import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import { childPath } from '#core/text/secrets/json-path.ts';
import { spelledText } from '#core/text/secrets/visible-text.ts';
import { type Output, oneLineText, paint } from './output.ts';
import { commandLine } from './shell.ts';

interface CardOptions {
  /** Limits in lines and characters for parameter text that is not executed; the card marks omissions. */
  readonly lines: number;
  readonly characters: number;
}

export const briefCard: CardOptions = { lines: 20, characters: 2_000 };
export const wholeCard: CardOptions = { lines: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };

/**
 * Shows an approval. Text that will be executed is never truncated: the reviewer is responsible for every byte of it.
 */
export function showCard(out: Output, item: Fields, options: CardOptions): void {
  const id = text(item.envelope_id) ?? '(no id)';
  const summary = fields(item.summary);
  const upstream = text(item.upstream);
  out.line(paint('bold', id), item.status === undefined || item.status === 'pending' ? '' : `  ${statusOf(item)}`);
  if (text(summary.text)) out.line('  ', paint('bold', text(summary.text)!), ` (${riskWordOf(summary.risk)})`);
  const what = [item.protocol, item.tool].filter(text).join(' ') + (upstream ? ` at ${upstream}` : '');
  const there = text(item.upstream_tool) ? ` (${oneLineText(item.upstream_tool)} there)` : '';
  out.line(`  ${what}${there} on ${spelledText(text(item.target) ?? '(no target)')}`);
  const written = Array.isArray(item.effects) ? item.effects : [];
  const effects = written.map(oneLineText);
  const risks = Array.isArray(item.effect_risks) ? item.effect_risks : [];
  const isSaid = written.length === 1 && written[0] === summary.text;
  if (effects.length > 0 && !isSaid) out.line('  what the call would do:');
  for (const [index, effect] of isSaid ? [] : effects.entries())
    out.line(`    - ${effect}${risks[index] === undefined ? '' : ` (${riskWordOf(risks[index])})`}`);
  out.field('  capability', item.capability);
  showParameters(out, item, id, options);
  for (const [name, value] of Object.entries(fields(item.sent_with)))
    showParameter(out, `sent along, ${name}`, value, wholeCard, id);
  if (Array.isArray(item.withheld) && item.withheld.length > 0) out.field('  withheld from you', item.withheld);
  showCaller(out, item);
  showRule(out, item);
  out.field('  call digest', item.call_digest);
  out.field('  queued_at', item.queued_at);
  const left = typeof item.expires_in_seconds === 'number' ? `${duration(item.expires_in_seconds)}, ` : '';
  if (text(item.expires_at)) out.line(`  expires: ${left && 'in '}${left}at ${oneLineText(item.expires_at)}`);
  const next = nextSteps[String(item.after_vote)];
  if (next) out.line(`  after an approval: ${next}`);
  out.field('  approval_url', item.approval_url);
}

const nextSteps: Readonly<Record<string, string>> = {
  caller: 'the caller makes the call itself',
  gateway: 'the gateway makes the call immediately',
  held: 'the held call continues',
  task: 'the MCP task continues',
  input: 'the client sends the call again',
  retry: 'the agent sends the identical call again',
};

const riskWordOf = (risk: unknown): string => (risk === 'sends' ? 'sends out' : oneLineText(risk));

/** Returns the status in words. A request that expired without a decision has the same status as a denied one. */
export const statusOf = ({ status, reason }: Fields): string =>
  reason === 'timeout' ? 'timed out' : oneLineText(status ?? 'unknown');

function showCaller(out: Output, item: Fields): void {
  const key = fields(item.key);
  const actor = fields(item.actor);
  const kind = text(key.kind);
  if (text(key.id)) {
    const name = [text(key.name) ?? '(no name)', kind && `(${kind} key)`].filter(text).join(' ');
    out.line(
      `  key: ${name}, id ${oneLineText(key.id)}, ${text(key.owner) ? `owner ${oneLineText(key.owner)}` : 'no owner'}`,
    );
  }
  out.field('  tenant', text(item.tenant));
  out.field('  session', text(item.session_id) ?? text(actor.session));
  if (text(actor.agent)) out.line(`  label (given by the caller, not verified): ${oneLineText(actor.agent)}`);
  const sources = Array.isArray(item.sources) ? item.sources : [];
  if (sources.length > 0) out.line('  where values come from:');
  for (const source of sources) out.line(`    - ${oneLineText(source)}`);
  if (text(item.justification)) out.line(`  justification (in the caller's words): ${oneLineText(item.justification)}`);
}

function showRule(out: Output, item: Fields): void {
  const rule = fields(item.rule);
  const policy = text(rule.policy)
    ? ` (policy ${oneLineText(rule.policy)}, version ${oneLineText(rule.policy_version)})`
    : '';
  out.field('  matched_rule', `${oneLineText(item.matched_rule)}${policy}`);
  out.field('  rule at', text(rule.place));
  out.field('  reason', text(rule.reason));
  if (text(item.caller_gone_at))
    out.line(`  caller: gone since ${oneLineText(item.caller_gone_at)}; an approved call runs when it is sent again`);
  if (item.passkey_required === true)
    out.line('  passkey: an approval counts only if it is signed with a passkey; approve in the web console');
  out.field('  changed', text(item.terms_changed));
  out.field('  cannot run', text(item.cannot_run));
  showSimilar(out, item);
  out.field('  needs', text(item.still_needed));
  for (const { person, comment } of list(item.votes))
    out.field('  approved', `${text(person)}${comment ? `: ${text(comment)}` : ''}`);
  const { session, key, kill_switch } = fields(item.risk);
  if (session !== undefined)
    out.line(
      `  risk: session ${oneLineText(session)}, key ${oneLineText(key)} (calls are blocked at ${oneLineText(kill_switch)})`,
    );
}

/** Lists requests that a reviewer may confuse with this one. A vote on this request does not affect them. */
export function showSimilar(out: Output, item: Fields): void {
  for (const { envelope_id, session_id, queued_at } of list(item.similar_pending))
    out.line(
      `  pending as well: ${oneLineText(envelope_id)}, nearly the same call, session ${oneLineText(session_id)}, queued at ${oneLineText(queued_at)}; it needs its own vote`,
    );
}

function showParameters(out: Output, item: Fields, id: string, options: CardOptions): void {
  const parameters = Object.entries(fields(item.parameters)).sort(([a], [b]) => (a < b ? -1 : 1));
  if (parameters.length === 0) return;
  const executed = Array.isArray(item.executed) ? item.executed.map(oneLineText) : [];
  out.line('  parameters:');
  for (const [name, value] of parameters) {
    const path = childPath('$.parameters', name);
    const isExecuted = executed.some(
      (each) => each === '$.parameters' || each === path || each.startsWith(`${path}[`) || each.startsWith(`${path}.`),
    );
    showParameter(out, `${name}${isExecuted ? ' (executed)' : ''}`, value, isExecuted ? wholeCard : options, id);
  }
}

function showParameter(out: Output, label: string, value: unknown, options: CardOptions, id: string): void {
  const whole = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
  const lines = whole.split(/\r?\n/);
  const shown = shortenLines(lines, options);
  if (shown.length === 1 && shown[0] === whole) {
    out.line(`    ${label}: ${whole}`);
    return;
  }
  out.line(`    ${label}: (${lines.length} lines, ${whole.length} characters)`);
  for (const line of shown) out.line(`      | ${line}`);
  if (shown.join('\n').length >= lines.join('\n').length) return;
  const digest = sha256(whole);
  out.line(`      … the rest is left out; SHA-256 of the whole text: ${digest}`);
  out.line(`      … all of it: ${commandLine(['agentctl', 'show', id, '--full'])}`);
}

function shortenLines(lines: readonly string[], { lines: most, characters }: CardOptions): string[] {
  const shown: string[] = [];
  let left = characters;
  for (const line of lines.slice(0, most === Number.POSITIVE_INFINITY ? undefined : most)) {
    if (left <= 0) break;
    shown.push(line.length > left ? line.slice(0, left).toWellFormed() : line);
    left -= line.length + 1;
  }
  return shown;
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
