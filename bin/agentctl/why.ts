/**
 * `why`: shows a call, its effects, and the rule or setting that determined the decision. Rules that do not match are
 * shown only with `--all` [cli.policy-tools].
 */

import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import { addCommand, type Parent } from './command.ts';
import { decisionPart } from './decision.ts';
import { showAnswer } from './operation-command.ts';
import { type Output, oneLineText, paint } from './output.ts';

interface WhyOptions {
  readonly all?: true;
}

export function addWhy(parent: Parent): void {
  addCommand<WhyOptions>(parent, {
    usage: 'why <envelope_id>',
    summary: 'Explain a decision: the call, its effects, and the rule that decided',
    examples: ['why 0197a3c2-7d1e-7000-8000-000000000001', 'why 0197a3c2-7d1e-7000-8000-000000000001 --all'],
    options: (command) =>
      command.option('--all', 'also print the rules before it, each with the condition that failed'),
    run: (cli, { all }, [id = '']) =>
      showAnswer(cli, 'why', { path: { envelope_id: id } }, (out, answer) => showWhy(out, answer, all === true)),
  });
}

function showWhy(out: Output, answer: Fields, all: boolean): void {
  const { protocol, tool, target, capability, upstream, parameters } = fields(answer.call);
  const at = upstream === undefined ? '' : ` at ${oneLineText(upstream)}`;
  const on = text(target) ? ` on ${oneLineText(target)}` : '';
  const call =
    tool === undefined ? oneLineText(answer.envelope_id) : `${oneLineText(protocol)} ${oneLineText(tool)}${at}${on}`;
  out.line(
    decisionPart(answer.decision),
    `  ${call}${capability === undefined ? '' : ` (${oneLineText(capability)})`}`,
  );
  for (const [name, value] of Object.entries(fields(parameters))) out.field(`  ${name}`, short(oneLineText(value)));
  out.field('  reason', text(answer.reason));
  out.field('  needs', text(answer.needs));
  out.line(`  decided by: ${deciderOf(answer, all)}${placeText(answer)}`);
  out.line(
    `  policy: ${oneLineText(answer.policy ?? 'unknown')}, version ${oneLineText(answer.policy_version ?? 'unknown')}`,
  );
  if (Array.isArray(answer.not_replayed))
    out.line(
      `  not evaluated again, because parameters are redacted: ${answer.not_replayed.map(oneLineText).join(', ')}`,
    );
  showExplanation(out, answer, { all, more: '--all' });
}

/**
 * Shows a call's effects and how the rules evaluated it.
 * @param all shows every rule instead of near matches; `more` is the option that enables it.
 */
export function showExplanation(
  out: Output,
  answer: Fields,
  { all, more }: { readonly all: boolean; readonly more: string },
): void {
  const effects = list(answer.effects);
  if (effects.length > 0) out.line('  what the call would do:');
  for (const effect of effects) {
    out.line(
      '    - ',
      decisionPart(effect.decision),
      `  ${effectOf(effect)}: ${ruleOf(effect.matched_rule, all)}${placeText(effect)}`,
    );
    if (all) showTrace(out, effect.trace, '      ');
  }
  out.field('  more effects', answer.more_effects);
  out.field('  unclear', text(answer.unclear));
  for (const { entry, found } of list(answer.catalog))
    out.line(`  catalog of this configuration: ${oneLineText(entry)}, in ${short(oneLineText(found))}`);
  showRules(out, list(answer.trace), all, more);
}

/** Shows near matches: rules that match both protocol and tool, and are therefore the most likely to need a change. */
function showRules(out: Output, trace: readonly Fields[], all: boolean, more: string): void {
  const failed = trace.filter(({ matched }) => matched !== true);
  if (all) {
    if (trace.length > 0) out.line('  rules, in order:');
    showTrace(out, trace, '    ');
    return;
  }
  const near = failed.filter((step) => !['undefined', 'protocol', 'tool'].includes(String(fields(step.failed).field)));
  if (near.length > 0) out.line('  rules for this tool that do not match:');
  showTrace(out, near.slice(0, maxNear), '    ', true);
  const others = failed.length - Math.min(near.length, maxNear);
  if (others > 0)
    out.line(paint('dim', `  ${others} other ${others === 1 ? 'rule does' : 'rules do'} not match: ${more}`));
}

const maxNear = 3;

const sentences: Readonly<Record<string, string>> = {
  default: 'no rule matches the call; this is the default of the policy',
  approval: 'the vote of a person',
  task: 'the manifest of the session',
  risk: 'the risk of the session or the key',
  sandbox: 'the limits on effects (sandbox)',
  provenance: 'where values of the call come from',
  effects: 'an effect that cannot be read',
};

/** Returns the deciding rule or setting, with the rule as written in the policy. */
function deciderOf({ decided_by, matched_rule, trace, effects }: Fields, all: boolean): string {
  const by = text(decided_by) ?? 'rule';
  const rule = ruleOf(matched_rule, all);
  if (by === 'effect') {
    const [effect] = list(effects).filter((each) => each.matched_rule === matched_rule);
    const [step] = list(effect?.trace).filter(({ matched }) => matched === true);
    return `the effect ${effectOf(effect ?? {})}, by ${step ? ruleLabel(step) : 'the rule'} ${rule}`;
  }
  const [step] = list(trace).filter(({ matched }) => matched === true);
  if (by === 'rule' && step) return `${ruleLabel(step)} ${rule}${quotedName(step)}`;
  const sentence = sentences[by];
  return sentence === undefined ? rule : by === 'default' ? sentence : `${sentence}: ${rule}`;
}

/** Describes an effect. `shell.rm` implies its protocol, but an MCP tool's effect may have a different one. */
function effectOf({ protocol, tool, target, capability }: Fields): string {
  const under = text(protocol) && !oneLineText(tool).startsWith(`${protocol}.`) ? `${oneLineText(protocol)} ` : '';
  return `${under}${oneLineText(tool)}${text(target) ? ` on ${short(oneLineText(target))}` : ''} (${oneLineText(capability)})`;
}

const ruleLabel = ({ index }: Fields): string =>
  typeof index === 'number' && index < 0 ? 'guard' : `rule ${oneLineText(index)}`;
/** Returns the rule's place in its file, or an empty string for a version stored without places. */
const placeText = ({ place }: Fields): string => (place === undefined ? '' : ` (${oneLineText(place)})`);
const quotedName = ({ name }: Fields): string => (name === undefined ? '' : ` "${oneLineText(name)}"`);
const ruleOf = (rule: unknown, all: boolean): string => (all ? oneLineText(rule) : short(oneLineText(rule), 60));

const short = (value: string, most = 200): string =>
  value.length > most ? `${[...value].slice(0, most).join('')}…` : value;

function showTrace(out: Output, trace: unknown, indent: string, brief = false): void {
  const cut = (value: unknown) => (value === '' ? 'empty' : brief ? short(oneLineText(value), 60) : oneLineText(value));
  for (const step of list(trace)) {
    const { field, expected, found } = fields(step.failed);
    const failed = step.failed === undefined ? '' : `: ${oneLineText(field)} is ${cut(found)}, not ${cut(expected)}`;
    const verdict = step.matched === true ? paint('bold', 'matched') : `no${failed}`;
    out.line(
      `${indent}${ruleLabel(step)} `,
      decisionPart(step.decision),
      ` ${cut(step.rule)}${quotedName(step)}${placeText(step)}  `,
      verdict,
    );
  }
}
