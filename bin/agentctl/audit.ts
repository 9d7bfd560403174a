/** `audit` and `verify`: the log by tenant and time, and verification of all its chains. */

import { count, type Fields, fields, list } from '#core/kernel/json-fields.ts';
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { addOperation } from './operation-command.ts';
import { type Output, paint } from './output.ts';
import { pieces } from './pieces.ts';

export function addAudit(parent: Parent): void {
  addCommand(parent, {
    usage: 'verify',
    summary: "Verify all of the tenant's chains; exit code 0 only when every one is valid",
    examples: ['verify', 'verify --json'],
    run: (cli) => verifyAll(cli),
  });
  addOperation(parent, 'audit', showEntries);
}

/** Verifies all pieces and adds up the results; stops at the first one that does not verify. */
async function verifyAll(cli: Cli): Promise<Outcome> {
  const sum = { total_entries: 0, sessions: 0 };
  const not_checked: unknown[] = [];
  let last: Fields = {};
  for await (const piece of pieces(cli, 'verifyAudit', {})) {
    last = piece;
    sum.total_entries += count(piece.total_entries);
    sum.sessions += Array.isArray(piece.sessions) ? piece.sessions.length : count(piece.sessions);
    if (Array.isArray(piece.not_checked)) not_checked.push(...piece.not_checked);
    if (piece.valid !== true) break;
  }

  const { broken_link } = last;
  const valid = last.valid === true;
  if (cli.globals.json) {
    cli.out.pretty({
      valid,
      ...sum,
      ...(broken_link !== undefined && { broken_link }),
      ...(not_checked.length > 0 && { not_checked }),
    });
  } else {
    cli.out.line('valid: ', paint(valid ? 'green' : 'red', String(valid)));
    cli.out.field('total_entries', sum.total_entries);
    cli.out.field('sessions', sum.sessions);
    const { session_id, index, reason } = fields(broken_link);
    if (broken_link !== undefined) cli.out.line(`broken_link: session ${session_id}, entry ${index}: ${reason}`);
    for (const item of not_checked) cli.out.line(paint('yellow', String(item)));
  }
  return valid ? 'positive' : 'negative';
}

const version = (number: unknown) => (number === undefined ? undefined : `version ${number}`);

function showEntries(out: Output, page: Fields): void {
  const rows = list(page.entries).map((entry) => {
    const { agent, person, key_id } = fields(entry.actor);
    const { tool, target, operation, action, policy_version, name, id, reason } = fields(entry.body);
    // For an administrative action: its name, and the version or object it changed.
    const place = target ?? (action === undefined ? undefined : (name ?? id ?? version(policy_version)));
    return [
      entry.timestamp,
      entry.kind === 'deny' && reason === 'timeout' ? 'timed out' : entry.kind,
      entry.session_id,
      agent ?? person ?? key_id,
      tool ?? operation ?? action,
      place,
    ];
  });
  out.rows('no entries', ['time', 'kind', 'session', 'actor', 'what', 'target'], rows);
  for (const { tenant, session_id, index } of list(page.unreadable))
    out.line(
      paint(
        'red',
        `Entry ${index} of session ${session_id} (tenant ${tenant}) cannot be read. Run \`agentctl verify\`.`,
      ),
    );
}
