/** Derives approval events by polling the list, for a gateway without an event stream [cli.watch]. */
import type { Cli } from './command.ts';
import { type Fields, fields, list, text } from './json-fields.ts';

export interface ApprovalEvent {
  readonly id?: string | undefined;
  readonly event: string | undefined;
  readonly happened: Fields;
}

/** Pages read per poll; requests beyond them are shown once they move up. */
const maxPages = 10;
const pageLimit = 100;

/** Polls the list sequentially. A request that is queued and decided between two polls is missed. */
export class PolledApprovals {
  readonly #cli: Cli;
  #pending: ReadonlyMap<string, Fields> | undefined;

  constructor(cli: Cli) {
    this.#cli = cli;
  }

  /** Returns the events since the last poll. @throws Failure; the next poll then reports these events. */
  async look(): Promise<ApprovalEvent[]> {
    const before = this.#pending;
    const now = new Map<string, Fields>();
    for (const item of await this.#listed()) now.set(text(item.envelope_id) ?? '', item);
    if (!before) {
      this.#pending = now;
      return [{ event: 'listening', happened: {} }];
    }
    const events: ApprovalEvent[] = [];
    for (const [id, item] of before) {
      if (now.has(id)) continue;
      const record = fields((await this.#cli.api().call('getApproval', { path: { envelope_id: id } })).json);
      // The list lags behind the record, or is longer than the pages read.
      if (record.status === 'pending') now.set(id, item);
      else events.push(endOf(record));
    }
    for (const [id, item] of now) {
      const known = before.get(id);
      if (!known) events.push({ event: 'new', happened: about(item, item.queued_at) });
      else if (votes(item).length > votes(known).length)
        events.push({ event: 'voted', happened: about(item, votes(item).at(-1)?.at) });
    }
    this.#pending = now;
    return events;
  }

  async #listed(): Promise<Fields[]> {
    const items: Fields[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page++) {
      const query = { limit: pageLimit, cursor };
      const found = fields((await this.#cli.api().call('listApprovals', { query })).json);
      items.push(...list(found.pending));
      cursor = text(found.cursor);
      if (cursor === undefined) break;
    }
    return items;
  }
}

const votes = (item: Fields): readonly Fields[] => list(item.votes);

const about = ({ envelope_id, session_id }: Fields, at: unknown): Fields => ({ envelope_id, session_id, at });

/** Converts to an event of the stream: a denial by timeout is an expiry, and a used approval is still an approval. */
function endOf(record: Fields): ApprovalEvent {
  const denied = record.status === 'denied';
  const happened = { ...about(record, denied ? record.denied_at : record.approved_at) };
  return {
    event: denied && record.reason === 'timeout' ? 'expired' : 'decided',
    happened: { ...happened, status: denied ? 'denied' : 'approved' },
  };
}
