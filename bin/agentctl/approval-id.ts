/** Expands the prefix of an approval id. */
import type { Cli } from './command.ts';
import { UsageError } from './failure.ts';
import { fields, list, text } from './json-fields.ts';

const whole = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const leastCharacters = 4;
/** Maximum number of pages to search. */
const maxPages = 50;

/**
 * Returns the whole id for a prefix. Text that cannot be a prefix of an id is sent to the server unchanged.
 * @throws UsageError for a prefix that matches several approvals, or none.
 */
export async function approvalId(cli: Cli, given: string): Promise<string> {
  if (whole.test(given) || !/^[0-9a-f][0-9a-f-]*$/i.test(given) || given.length < leastCharacters) return given;
  const found = await pendingIds(cli, given.toLowerCase());
  const recent = found.length > 0 ? found : await decidedIds(cli, given.toLowerCase());
  if (recent.length === 1) return recent[0]!;
  if (recent.length === 0) throw new UsageError(`no approval begins with ${given}; give the whole id`);
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
