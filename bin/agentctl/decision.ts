/** Shows a decision to the user, with the next step. */

import { type Fields, fields, text } from '#core/kernel/json-fields.ts';
import type { Cli } from './command.ts';
import { type Output, type OutputPart, paint } from './output.ts';
import { commandLine, optionWords } from './shell.ts';

const styles = { allow: 'green', review: 'yellow', block: 'red' } as const;

export function decisionPart(decision: unknown): OutputPart {
  const word = text(decision) ?? 'unknown';
  return word in styles ? paint(styles[word as keyof typeof styles], word) : word;
}

/** Prints a decision. @param retry the command that repeats the call, without `--approval-ref`. */
export function showDecision(cli: Cli, answer: Fields, retry: readonly string[]): void {
  const { out } = cli;
  const data = fields(fields(answer.error).data);
  out.line('decision: ', decisionPart(answer.decision));
  // A review's reason is a code; the message explains why an earlier request did not count.
  if (answer.decision !== 'review' || text(data.reason)) out.field('message', fields(answer.error).message);
  if (answer.decision === 'allow' && hasFailed(answer))
    out.line('execution: ', paint('red', outcomeText(answer, data)));
  out.field('matched_rule', answer.matched_rule);
  out.field('upstream', answer.upstream);
  out.field('policy', policyName(answer));
  out.field('envelope_id', answer.envelope_id);
  out.field('session_id', answer.session_id);
  out.field('evidence_hash', answer.evidence_hash);
  const explaining = ['reason', 'reviewer', 'comment', 'ask_again_after', 'suggested_alternative'] as const;
  for (const name of [...explaining, 'approval_url', 'queued_at', 'expires_at'] as const) out.field(name, data[name]);
  showCredential(out, fields(answer.credential));
  for (const name of ['result', 'result_sha256', 'result_withheld'] as const) out.field(name, answer[name]);
  if (answer.replayed === true) out.line(paint('dim', 'repeated: the outcome of the first request under this key'));
  if (answer.dry_run === true) out.line(paint('dim', 'dry run: nothing was recorded'));
  else if (answer.decision === 'review') showNext(cli, answer, retry);
}

/** Returns whether an allowed action failed: either its executor failed, or the tool itself reported an error. */
export const hasFailed = ({ error, result }: Fields): boolean => error !== undefined || fields(result).isError === true;

/** Returns the outcome; `unknown` means that the action may have taken effect. */
const outcomeText = ({ error }: Fields, { outcome }: Fields): string =>
  error === undefined ? 'the tool reports an error' : (text(outcome) ?? 'failed');

const policyName = ({ policy, policy_version }: Fields): string | undefined =>
  policy_version === undefined ? text(policy) : `${text(policy) ?? ''} (version ${policy_version})`.trim();

function showCredential(out: Output, { type, scope, expires_in }: Fields): void {
  if (type === undefined) return;
  out.line(`credential: ${text(type) ?? ''}, scope ${text(scope) ?? 'none'}, expires in ${expires_in} s`);
}

function showNext({ out, globals }: Cli, answer: Fields, retry: readonly string[]): void {
  const id = text(answer.envelope_id);
  if (!id) return;
  const where = optionWords(globals, ['url', 'config', 'state']);
  const session = text(answer.session_id);
  const sameSession = session && !retry.includes('--session') ? ['--session', session] : [];
  out.line();
  out.line('A person reviews the call and decides:');
  out.line(`  ${commandLine(['agentctl', 'show', id, ...where])}`);
  out.line(`  ${commandLine(['agentctl', 'approve', id, '--comment', 'WHY', ...where])}`);
  out.line(`  ${commandLine(['agentctl', 'deny', id, '--comment', 'WHY', ...where])}`);
  out.line('Then the same call is allowed once:');
  out.line(`  ${commandLine(['agentctl', ...retry, ...sameSession, '--approval-ref', id, ...where])}`);
}
