/** `pending --watch`: shows approval events live until interrupted. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import { sseDecoder } from '#core/models/dialects/sse.ts';
import type { Cli } from './command.ts';
import { exitCodes, Failure } from './failure.ts';
import { paint } from './output.ts';

const longestPauseMs = 15_000;
/** Delay before a stream is reopened: the same interval that the gateway sends in `retry`. */
const betweenStreamsMs = 1_000;
const betweenLooksMs = 2_000;

interface WatchOptions {
  /** Number of events after which the watch ends; default: unlimited. */
  readonly events?: number | undefined;
  /** Shows pending requests at the start and, on a terminal, after each event. */
  readonly list: () => Promise<unknown>;
  /** True if the list is redrawn in place; otherwise each event is printed on its own line. */
  readonly redraws: boolean;
  /** True to ring the bell for each new request. */
  readonly bell: boolean;
}

/**
 * Watches approvals. If the stream ends, reopens it after the last event, even if the gateway was unreachable
 * meanwhile. If the gateway has no stream, polls its list.
 * @throws Failure if the gateway refuses, or was never reached.
 */
export async function watchApprovals(
  cli: Cli,
  { events = Infinity, list, redraws, bell }: WatchOptions,
): Promise<void> {
  let last: string | undefined;
  let seen = 0;
  let failures = 0;
  let reached = false;
  let polled: PolledApprovals | undefined;
  while (seen < events) {
    try {
      for await (const { id, event, happened } of polled ? await polled.look() : openEvents(cli, last)) {
        last = id ?? last;
        failures = 0;
        reached = true;
        const known = event === 'listening' && happened.missed !== true;
        if (redraws && !(known && seen > 0)) await redraw(cli, list);
        if (event === 'listening' && !redraws && happened.missed === true)
          cli.out.note('events were missed while the stream was closed: see agentctl pending');
        if (event === 'listening') continue;
        if (!redraws) printEvent(cli, event, happened);
        if (bell && event === 'new') cli.out.ring();
        if (++seen >= events) return;
      }
      failures = 0;
      await pause(polled ? betweenLooksMs : betweenStreamsMs);
    } catch (failure) {
      if (!polled && opensNone(failure)) {
        cli.out.note('this gateway has no event stream; agentctl polls every 2 s instead');
        polled = new PolledApprovals(cli);
        continue;
      }
      if (!reached || !isAway(failure)) throw failure;
      if (failures++ === 0) cli.out.note('the gateway does not answer; connecting again');
      await pause(Math.min(500 * 2 ** failures, longestPauseMs));
    }
  }
}

/** Checks for a gateway that is unreachable, or reachable but not ready. */
const isAway = (failure: unknown): boolean =>
  failure instanceof Failure &&
  (failure.exitCode === exitCodes.unreachable ||
    /^(service_unavailable|server_error|rate_limit_error)\b/.test(failure.message));

/** Checks for a gateway that has no event stream, as on AWS or if several gateways share a store. */
const opensNone = (failure: unknown): boolean =>
  failure instanceof Failure && /^method_not_allowed\b/.test(failure.message);

async function* openEvents(cli: Cli, last: string | undefined): AsyncGenerator<ApprovalEvent> {
  const headers = last === undefined ? {} : { 'last-event-id': last };
  const decoder = sseDecoder();
  for await (const bytes of await cli.api().stream('approvalEvents', { headers }))
    for (const { id, event, data } of decoder.push(bytes)) yield { id, event, happened: fields(JSON.parse(data)) };
}

async function redraw(cli: Cli, list: () => Promise<unknown>): Promise<void> {
  cli.out.clear();
  await list();
  cli.out.line(paint('dim', 'watching; Ctrl-C ends it'));
  cli.out.flush();
}

function printEvent({ globals, out }: Cli, event: string | undefined, happened: Fields): void {
  const { at, envelope_id, session_id, status } = happened;
  if (globals.json) out.json(JSON.stringify({ event, ...happened }));
  else {
    const what = event === 'expired' ? 'timed out' : (text(status) ?? event);
    out.line([text(at), what, text(envelope_id), text(session_id)].join('  '));
  }
  out.flush();
}

interface ApprovalEvent {
  readonly id?: string | undefined;
  readonly event: string | undefined;
  readonly happened: Fields;
}

/** Maximum number of pages read per poll. Requests on later pages are shown once they move up. */
const maxPages = 10;
const pageLimit = 100;

/** Poller of the approvals list. A request that is queued and decided between two polls is missed. */
class PolledApprovals {
  readonly #cli: Cli;
  #pending: ReadonlyMap<string, Fields> | undefined;

  constructor(cli: Cli) {
    this.#cli = cli;
  }

  /** Returns the events since the last poll. @throws Failure; the next poll then also reports this poll's events. */
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
      // The list is older than the record, or longer than the pages that were read.
      if (record.status === 'pending') now.set(id, item);
      else events.push(endOf(record));
    }
    for (const [id, item] of now) {
      const known = before.get(id);
      if (!known) events.push({ event: 'new', happened: eventFields(item, item.queued_at) });
      else if (votes(item).length > votes(known).length)
        events.push({ event: 'voted', happened: eventFields(item, votes(item).at(-1)?.at) });
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

const eventFields = ({ envelope_id, session_id }: Fields, at: unknown): Fields => ({ envelope_id, session_id, at });

/**
 * Converts a record to a stream event: a denial due to timeout counts as an expiry, and an approval that has been used
 * still counts as an approval.
 */
function endOf(record: Fields): ApprovalEvent {
  const denied = record.status === 'denied';
  const happened = { ...eventFields(record, denied ? record.denied_at : record.approved_at) };
  return {
    event: denied && record.reason === 'timeout' ? 'expired' : 'decided',
    happened: { ...happened, status: denied ? 'denied' : 'approved' },
  };
}
