/** `pending --watch`: shows approval events live until interrupted. */
import { setTimeout as pause } from 'node:timers/promises';
import { sseDecoder } from '#core/models/dialects/sse.ts';
import type { Cli } from './command.ts';
import { exitCodes, Failure } from './failure.ts';
import { type Fields, fields, text } from './json-fields.ts';
import { painted } from './output.ts';
import { type ApprovalEvent, PolledApprovals } from './polled-approvals.ts';

const longestPauseMs = 15_000;
/** The interval that the gateway sends in `retry`. */
const betweenStreamsMs = 1_000;
const betweenLooksMs = 2_000;

interface Watching {
  /** Number of events after which the watch ends; default: unlimited. */
  readonly events?: number | undefined;
  /** Shows pending requests: at the start, and on a terminal at each event. */
  readonly list: () => Promise<void>;
  /** True if the list is redrawn in place; otherwise each event is a line. */
  readonly redraws: boolean;
  /** True if a new request rings the bell. */
  readonly bell: boolean;
}

/**
 * Watches approvals. Reopens an ended stream after the last event, even after the gateway was unreachable. Polls the
 * list of a gateway without a stream.
 * @throws Failure if the gateway refuses, or was never reached.
 */
export async function watchApprovals(cli: Cli, { events = Infinity, list, redraws, bell }: Watching): Promise<void> {
  let last: string | undefined;
  let seen = 0;
  let failures = 0;
  let reached = false;
  let polled: PolledApprovals | undefined;
  while (seen < events) {
    try {
      for await (const { id, event, happened } of polled ? await polled.look() : opened(cli, last)) {
        last = id ?? last;
        failures = 0;
        reached = true;
        const known = event === 'listening' && happened.missed !== true;
        if (redraws && !(known && seen > 0)) await redrawn(cli, list);
        if (event === 'listening' && !redraws && happened.missed === true)
          cli.out.note('events were missed while the stream was closed: see agentctl pending');
        if (event === 'listening') continue;
        if (!redraws) shown(cli, event, happened);
        if (bell && event === 'new') cli.out.ring();
        if (++seen >= events) return;
      }
      failures = 0;
      await pause(polled ? betweenLooksMs : betweenStreamsMs);
    } catch (failure) {
      if (!polled && opensNone(failure)) {
        cli.out.note('this gateway opens no event stream; its list is requested every 2 s instead');
        polled = new PolledApprovals(cli);
        continue;
      }
      if (!reached || !isAway(failure)) throw failure;
      if (failures++ === 0) cli.out.note('the gateway does not answer; connecting again');
      await pause(Math.min(500 * 2 ** failures, longestPauseMs));
    }
  }
}

/** Unreachable, or reachable but not ready. */
const isAway = (failure: unknown): boolean =>
  failure instanceof Failure &&
  (failure.exitCode === exitCodes.unreachable ||
    /^(service_unavailable|server_error|rate_limit_error)\b/.test(failure.message));

/** True on AWS, and if several gateways share a store. */
const opensNone = (failure: unknown): boolean =>
  failure instanceof Failure && /^method_not_allowed\b/.test(failure.message);

async function* opened(cli: Cli, last: string | undefined): AsyncGenerator<ApprovalEvent> {
  const headers = last === undefined ? {} : { 'last-event-id': last };
  const decoder = sseDecoder();
  for await (const bytes of await cli.api().stream('approvalEvents', { headers }))
    for (const { id, event, data } of decoder.push(bytes)) yield { id, event, happened: fields(JSON.parse(data)) };
}

async function redrawn(cli: Cli, list: () => Promise<void>): Promise<void> {
  cli.out.clear();
  await list();
  cli.out.line(painted('dim', 'watching; Ctrl-C ends it'));
  cli.out.flush();
}

function shown({ globals, out }: Cli, event: string | undefined, happened: Fields): void {
  const { at, envelope_id, session_id, status } = happened;
  if (globals.json) out.json(JSON.stringify({ event, ...happened }));
  else {
    const what = event === 'expired' ? 'timed out' : (text(status) ?? event);
    out.line([text(at), what, text(envelope_id), text(session_id)].join('  '));
  }
  out.flush();
}
