/** `pending`, `approve`, `deny`: what waits for a human, and the human's answer (spec §2.3, §2.4, §4.5). */
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { wholeNumber } from './globals.ts';
import { type Fields, fields, list, text } from './json-fields.ts';
import { type Output, painted } from './output.ts';
import { commandLine } from './shell.ts';

interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
}
interface VoteOptions {
  readonly reviewer: string;
  readonly comment?: string;
}

export function addApprovals(parent: Parent): void {
  addCommand<PageOptions>(parent, {
    usage: 'pending',
    summary: 'List actions that wait for a human',
    examples: ['pending', "pending --json | jq -r '.pending[].envelope_id'"],
    options: (command) =>
      command
        .option('--limit <count>', 'at most so many', wholeNumber)
        .option('--cursor <cursor>', 'continue where a list ended'),
    run: async (cli, { limit, cursor }) => {
      const answer = await cli.api().call('listApprovals', { query: { limit, cursor } });
      if (cli.globals.json) cli.out.json(answer.text);
      else showPending(cli.out, fields(answer.json));
      return 'positive';
    },
  });
  addVote(parent, 'approve', 'Approve a pending action');
  addVote(parent, 'deny', 'Deny a pending action');
}

function addVote(parent: Parent, vote: 'approve' | 'deny', summary: string): void {
  addCommand<VoteOptions>(parent, {
    usage: `${vote} <envelope_id>`,
    summary,
    examples: [`${vote} 0197a3c2-7d1e-7000-8000-000000000001 --reviewer alice --comment "looked at the diff"`],
    options: (command) =>
      command
        .requiredOption('--reviewer <name>', 'name recorded beside the person the key belongs to')
        .option('--comment <text>', 'why, for the record'),
    run: (cli, options, [id = '']) => castVote(cli, vote, id, options),
  });
}

async function castVote(cli: Cli, vote: 'approve' | 'deny', id: string, options: VoteOptions): Promise<Outcome> {
  const { reviewer, comment } = options;
  const body = { reviewer, ...(comment !== undefined && { comment }) };
  const answer = await cli.api().call(vote, { path: { envelope_id: id }, body });
  const record = fields(answer.json);
  if (cli.globals.json) cli.out.json(answer.text);
  else showRecord(cli.out, record);
  // A server that answers 200 with another status has not done what was asked.
  return record.status === (vote === 'approve' ? 'approved' : 'denied') ? 'positive' : 'negative';
}

function showRecord(out: Output, record: Fields): void {
  const style = record.status === 'approved' ? 'green' : 'red';
  out.line('status: ', painted(style, text(record.status) ?? 'unknown'));
  const names = ['envelope_id', 'reviewer', 'person', 'approved_at', 'denied_at', 'comment', 'evidence_hash'];
  for (const name of names) out.field(name, record[name]);
}

function showPending(out: Output, page: Fields): void {
  const items = list(page.pending);
  if (items.length === 0) out.line('nothing is pending');
  for (const item of items) showItem(out, item);
  const cursor = text(page.cursor);
  if (cursor) out.line(`more: ${commandLine(['agentctl', 'pending', '--cursor', cursor])}`);
}

/** All of the call, uncut: the reviewer answers for every byte of it. */
function showItem(out: Output, item: Fields): void {
  const actor = fields(item.actor);
  out.line(painted('bold', text(item.envelope_id) ?? '(no id)'));
  out.line(`  ${[item.protocol, item.tool].filter(text).join(' ')} on ${text(item.target) ?? '(no target)'}`);
  out.field('  capability', item.capability);
  out.field('  agent', [actor.agent, actor.session].filter(text).join(', session '));
  out.field('  parameters', item.parameters);
  if (list(item.withheld).length > 0) out.field('  withheld from you', item.withheld);
  out.field('  justification', text(item.justification));
  out.field('  matched_rule', item.matched_rule);
  out.field('  queued_at', item.queued_at);
  out.field('  expires_at', item.expires_at);
  out.line();
}
