/** `pending`, `show`, `approve`, `deny`: pending requests and votes on them. */

import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import { briefCard, showCard, showSimilar, statusOf, wholeCard } from './approval-card.ts';
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { askYesNo, isTerminal } from './confirm.ts';
import { UsageError } from './failure.ts';
import { wholeNumber } from './globals.ts';
import { showHeldDefinition } from './mcp.ts';
import { showAnswer, showMore, withPageOptions } from './operation-command.ts';
import { type Output, paint } from './output.ts';
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
    summary: 'List calls that are pending approval',
    examples: ['pending', 'pending --watch', "pending --json | jq -r '.pending[].envelope_id'"],
    options: (command) =>
      withPageOptions(command)
        .option('--watch', 'keep running and show changes; outside a terminal, one line per event')
        .option('--events <count>', 'with --watch: end after this many events', wholeNumber)
        .option('--no-bell', 'with --watch: do not ring the bell for a new request (GATEWAY_NO_BELL=1)'),
    run: async (cli, { limit, cursor, watch, events, bell }) => {
      const show = () =>
        showAnswer(cli, 'listApprovals', { query: { limit, cursor } }, async (_out, page) => {
          await showPending(cli, page);
          showMore(cli, ['pending'], { limit }, page.cursor);
        });
      if (!watch) return show();
      const redraws = process.stdout.isTTY === true && !cli.globals.json;
      const rings = bell && redraws && !process.env.GATEWAY_NO_BELL;
      await watchApprovals(cli, { events, list: show, redraws, bell: rings });
      return 'positive';
    },
  });
  addCommand<{ readonly full?: true }>(parent, {
    usage: 'show <envelope_id>',
    summary: 'Show one approval: the caller, the effects of the call, and the whole call',
    examples: ['show 0197a3c2', 'show 0197a3c2-7d1e-7000-8000-000000000001 --full'],
    options: (command) => command.option('--full', 'print the whole call, however long it is'),
    run: async (cli, { full }, [id = '']) =>
      showAnswer(cli, 'getApproval', { path: { envelope_id: await approvalId(cli, id) } }, async (out, item) => {
        showCard(out, item, full ? wholeCard : briefCard);
        if (item.status !== 'pending') showRecord(out, item);
        else await showHeldDefinition(cli, item);
      }),
  });
  addVote(parent, 'approve', 'Approve a pending action');
  addVote(parent, 'deny', 'Deny a pending action');
}

function addVote(parent: Parent, vote: 'approve' | 'deny', summary: string): void {
  addCommand<VoteOptions>(parent, {
    usage: `${vote} <envelope_id>`,
    summary,
    examples: [
      `${vote} 0197a3c2-7d1e-7000-8000-000000000001 --comment "${vote === 'approve' ? 'looked at the diff' : 'not before the release'}"`,
      `${vote} 0197a3c2 --reviewer alice`,
    ],
    options: (command) =>
      command
        .option('--reviewer <name>', 'name to record in addition to the owner of the key (default: the owner)')
        .option('--comment <text>', 'reason, which evidence records')
        .option('--yes', 'skip the confirmation prompt'),
    run: (cli, options, [id = '']) => castVote(cli, vote, id, options),
  });
}

async function castVote(cli: Cli, vote: 'approve' | 'deny', id: string, options: VoteOptions): Promise<Outcome> {
  const { comment } = options;
  const envelope_id = await approvalId(cli, id);
  if (!options.yes && !cli.globals.json && isTerminal() && !(await confirmedFor(cli, vote, envelope_id))) {
    cli.out.note('nothing was decided');
    return 'negative';
  }
  const reviewer = options.reviewer ?? (await personOfKey(cli));
  const body = { reviewer, ...(comment !== undefined && { comment }) };
  const show = (out: Output, record: Fields): void => {
    showRecord(out, record);
    showSimilar(out, record);
  };
  // A server that responds 200 with another status did not count the vote.
  const counted = vote === 'approve' ? ['approved', 'pending'] : ['denied'];
  return showAnswer(cli, vote, { path: { envelope_id }, body }, show, ({ status }) =>
    counted.includes(text(status) ?? ''),
  );
}

/** Shows the call and asks for confirmation, because a vote is final [cli.vote]. */
async function confirmedFor(cli: Cli, vote: 'approve' | 'deny', envelope_id: string): Promise<boolean> {
  const item = fields((await cli.api().call('getApproval', { path: { envelope_id } })).json);
  // If the request is already decided, the gateway responds to the vote with the record.
  if (item.status !== 'pending') return true;
  showCard(cli.out, item, vote === 'approve' ? wholeCard : briefCard);
  await showHeldDefinition(cli, item);
  cli.out.flush();
  return askYesNo(vote === 'approve' ? 'Approve it?' : 'Deny it?');
}

/** Returns the owner of the key. The server decides whether the owner may vote. */
async function personOfKey(cli: Cli): Promise<string> {
  const { person, name, key_id } = fields((await cli.api().call('whoami')).json);
  return text(person) ?? text(name) ?? text(key_id) ?? 'unknown';
}

function showRecord(out: Output, record: Fields): void {
  const style = record.status === 'approved' ? 'green' : 'red';
  const isLate = record.reason === 'timeout';
  out.line('status: ', paint(style, `${statusOf(record)}${isLate ? ' (no reviewer decided in time)' : ''}`));
  const names = [
    ...['envelope_id', 'reviewer', 'person', 'approved_at', 'denied_at', 'comment', 'evidence_hash'],
    ...['still_needed', 'executed_by', 'outcome', 'refused_because'],
  ];
  for (const name of names) out.field(name === 'denied_at' && isLate ? 'timed_out_at' : name, record[name]);
}

/** Shows pending requests with the full text that will be executed, because the list shortens long calls. */
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

const whole = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const leastCharacters = 4;
/** Maximum number of pages to search. */
const maxPages = 50;

/**
 * Returns the full id for a prefix. Text that cannot be a prefix of an id is sent to the server unchanged.
 * @throws UsageError for a prefix that matches several approvals, or none.
 */
async function approvalId(cli: Cli, given: string): Promise<string> {
  if (whole.test(given) || !/^[0-9a-f][0-9a-f-]*$/i.test(given) || given.length < leastCharacters) return given;
  const found = await pendingIds(cli, given.toLowerCase());
  const recent = found.length > 0 ? found : await decidedIds(cli, given.toLowerCase());
  if (recent.length === 1) return recent[0]!;
  if (recent.length === 0)
    throw new UsageError(`no recent approval has an id that begins with ${given}; give the whole id`);
  throw new UsageError(`${recent.length} approvals begin with ${given}: ${recent.slice(0, 5).join(', ')}`);
}

async function pendingIds(cli: Cli, start: string): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const answer = fields((await cli.api().call('listApprovals', { query: { cursor } })).json);
    found.push(...idsIn(answer.pending, start));
    cursor = text(answer.cursor);
    if (cursor === undefined) break;
  }
  return found;
}

async function decidedIds(cli: Cli, start: string): Promise<string[]> {
  const pages = await Promise.all(
    ['approved', 'denied', 'expired'].map((status) => cli.api().call('approvalHistory', { query: { status } })),
  );
  return [...new Set(pages.flatMap(({ json }) => idsIn(fields(json).approvals, start)))];
}

const idsIn = (items: unknown, start: string): string[] =>
  list(items).flatMap(({ envelope_id }) => (text(envelope_id)?.startsWith(start) ? [text(envelope_id)!] : []));
