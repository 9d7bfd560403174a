/** `pending`, `show`, `approve`, `deny`: pending requests and votes on them. */
import { briefCard, showCard, showSimilar, statusOf, wholeCard } from './approval-card.ts';
import { approvalId } from './approval-id.ts';
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { atTerminal, confirmed } from './confirm.ts';
import { wholeNumber } from './globals.ts';
import { type Fields, fields, list, text } from './json-fields.ts';
import { showHeldDefinition } from './mcp.ts';
import { type Output, painted } from './output.ts';
import { paged, showMore } from './paging.ts';
import { watchApprovals } from './watch-approvals.ts';

interface PageOptions {
  readonly limit?: number;
  readonly cursor?: string;
}
interface PendingOptions extends PageOptions {
  readonly watch?: true;
  readonly events?: number;
  readonly bell: boolean;
}
interface VoteOptions {
  readonly reviewer?: string;
  readonly comment?: string;
  readonly yes?: true;
}

export function addApprovals(parent: Parent): void {
  addCommand<PendingOptions>(parent, {
    usage: 'pending',
    summary: 'List actions that wait for a human',
    examples: ['pending', 'pending --watch', "pending --json | jq -r '.pending[].envelope_id'"],
    options: (command) =>
      paged(command)
        .option('--watch', 'go on showing what happens; not on a terminal, one line an event')
        .option('--events <count>', 'with --watch: end after this many events', wholeNumber)
        .option('--no-bell', 'with --watch: do not ring at a new request (GATEWAY_NO_BELL=1)'),
    run: async (cli, { limit, cursor, watch, events, bell }) => {
      const show = async () => {
        const answer = await cli.api().call('listApprovals', { query: { limit, cursor } });
        if (cli.globals.json) cli.out.json(answer.text);
        else {
          await showPending(cli, fields(answer.json));
          showMore(cli, ['pending'], { limit }, fields(answer.json).cursor);
        }
      };
      if (!watch) await show();
      else {
        const redraws = process.stdout.isTTY === true && !cli.globals.json;
        const rings = bell && redraws && !process.env.GATEWAY_NO_BELL;
        await watchApprovals(cli, { events, list: show, redraws, bell: rings });
      }
      return 'positive';
    },
  });
  addCommand<{ readonly full?: true }>(parent, {
    usage: 'show <envelope_id>',
    summary: 'Show one approval: the caller, the effects of the call, and the whole call',
    examples: ['show 0197a3c2', 'show 0197a3c2-7d1e-7000-8000-000000000001 --full'],
    options: (command) => command.option('--full', 'leave nothing out, however long it is'),
    run: async (cli, { full }, [id = '']) => {
      const answer = await cli.api().call('getApproval', { path: { envelope_id: await approvalId(cli, id) } });
      const item = fields(answer.json);
      if (cli.globals.json) cli.out.json(answer.text);
      else {
        showCard(cli.out, item, full ? wholeCard : briefCard);
        if (item.status !== 'pending') showRecord(cli.out, item);
        else await showHeldDefinition(cli, item);
      }
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
    examples: [
      `${vote} 0197a3c2-7d1e-7000-8000-000000000001 --comment "looked at the diff"`,
      `${vote} 0197a3c2 --reviewer alice`,
    ],
    options: (command) =>
      command
        .option('--reviewer <name>', 'name recorded beside the person the key belongs to (default: that person)')
        .option('--comment <text>', 'why, for the record')
        .option('--yes', 'do not ask at the terminal'),
    run: (cli, options, [id = '']) => castVote(cli, vote, id, options),
  });
}

async function castVote(cli: Cli, vote: 'approve' | 'deny', id: string, options: VoteOptions): Promise<Outcome> {
  const { comment } = options;
  const envelope_id = await approvalId(cli, id);
  if (!options.yes && !cli.globals.json && atTerminal() && !(await confirmedFor(cli, vote, envelope_id))) {
    cli.out.note('nothing was decided');
    return 'negative';
  }
  const reviewer = options.reviewer ?? (await personOfKey(cli));
  const body = { reviewer, ...(comment !== undefined && { comment }) };
  const answer = await cli.api().call(vote, { path: { envelope_id }, body });
  const record = fields(answer.json);
  if (cli.globals.json) cli.out.json(answer.text);
  else {
    showRecord(cli.out, record);
    showSimilar(cli.out, record);
  }
  // A server that answers 200 with another status did not count the vote.
  const counted = vote === 'approve' ? ['approved', 'pending'] : ['denied'];
  return counted.includes(text(record.status) ?? '') ? 'positive' : 'negative';
}

/** Shows the call and asks for confirmation, because a vote is final [cli.vote-asks]. */
async function confirmedFor(cli: Cli, vote: 'approve' | 'deny', envelope_id: string): Promise<boolean> {
  const item = fields((await cli.api().call('getApproval', { path: { envelope_id } })).json);
  // If the request is already decided, the gateway answers the vote with the record.
  if (item.status !== 'pending') return true;
  showCard(cli.out, item, vote === 'approve' ? wholeCard : briefCard);
  await showHeldDefinition(cli, item);
  cli.out.flush();
  return confirmed(vote === 'approve' ? 'Approve it?' : 'Deny it?');
}

/** Returns the person that the key belongs to; the server decides whether they may vote. */
async function personOfKey(cli: Cli): Promise<string> {
  const { person, name, key_id } = fields((await cli.api().call('whoami')).json);
  return text(person) ?? text(name) ?? text(key_id) ?? 'unknown';
}

function showRecord(out: Output, record: Fields): void {
  const style = record.status === 'approved' ? 'green' : 'red';
  const isLate = record.reason === 'timeout';
  out.line('status: ', painted(style, `${statusOf(record)}${isLate ? ' (no reviewer decided in time)' : ''}`));
  const names = [
    ...['envelope_id', 'reviewer', 'person', 'approved_at', 'denied_at', 'comment', 'evidence_hash'],
    ...['still_needed', 'executed_by', 'outcome', 'refused_because'],
  ];
  for (const name of names) out.field(name === 'denied_at' && isLate ? 'timed_out_at' : name, record[name]);
}

/** Shows pending requests with the whole text that will be executed; the list shortens long calls. */
async function showPending(cli: Cli, page: Fields): Promise<void> {
  const items = list(page.pending);
  if (items.length === 0) cli.out.line('nothing is pending');
  for (const item of items) {
    const envelope_id = text(item.envelope_id) ?? '';
    const isWhole = list(item.omitted).length === 0;
    const whole = isWhole ? item : fields((await cli.api().call('getApproval', { path: { envelope_id } })).json);
    showCard(cli.out, whole, briefCard);
    cli.out.line();
  }
}
