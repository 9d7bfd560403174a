/** What happens to approvals of a gateway that opens no event stream: its list, compared with the one before [cli.watch]. */
import type { Cli } from './command.ts';
import { type Fields, fields, list, text } from './json-fields.ts';

export interface ApprovalEvent {
  readonly id?: string | undefined;
  readonly event: string | undefined;
  readonly happened: Fields;
}

/** Pages of one look at the list: what waits beyond them is shown when it comes to the front. */
const maxPages = 10;
const pageLimit = 100;

/** One look after the other. A request that is decided between two looks is not seen. */
export class PolledApprovals {
  readonly #cli: Cli;
  #pending: ReadonlyMap<string, Fields> | undefined;

  constructor(cli: Cli) {
    this.#cli = cli;
  }

  /** @throws Failure; what happened since the last look is then reported by the next one. */
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
      // A list that lags behind the record, or that is longer than what is read of it.
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

/** As the event stream names it: a denial by time-out is an expiry, and an approval that was used is still an approval. */
function endOf(record: Fields): ApprovalEvent {
  const denied = record.status === 'denied';
  const happened = { ...about(record, denied ? record.denied_at : record.approved_at) };
  return {
    event: denied && record.reason === 'timeout' ? 'expired' : 'decided',
    happened: { ...happened, status: denied ? 'denied' : 'approved' },
  };
}
