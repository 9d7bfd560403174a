/** Prints a line, and rings the terminal's bell, for each new request that is pending for a person [local.ready]. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Timeouts } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { shorten, visibleText } from '#core/text/secrets/visible-text.ts';
import { clockTime } from './human-log.ts';

interface ApprovalLinesOptions {
  readonly write: (text: string) => void;
  readonly bell: boolean;
  /** The command to reach this run, as typed in another terminal. */
  readonly client: string;
  readonly timeouts: Timeouts;
}

/**
 * Window in which only a limited number of requests are printed on their own lines. Additional requests are counted,
 * and the bell rings once.
 */
const windowMs = 5_000;
const linesOfWindow = 3;
const longestText = 80;
const bellCharacter = '\u0007';

/** @returns a function to be called with every committed entry. */
export function approvalLines({ write, bell, client, timeouts }: ApprovalLinesOptions): (entry: EvidenceEntry) => void {
  // The same call, repeated while it is pending, is the same request.
  const seen = new RecentMap<string, true>({ max: 1_000 });
  let inWindow = 0;
  const ring = () => (bell ? bellCharacter : '');
  const windowEnded = () => {
    const more = inWindow - linesOfWindow;
    inWindow = 0;
    if (more > 0) write(`${ring()}          and ${more} more, see ${client} pending\n`);
  };
  return ({ kind, envelope_id, timestamp, actor, body }) => {
    if (kind !== 'review' || seen.has(envelope_id)) return;
    seen.set(envelope_id, true);
    if (++inWindow === 1) timeouts.after(windowMs, windowEnded);
    if (inWindow > linesOfWindow) return;
    const target = visibleOf(body.target);
    const what = `${visibleOf(body.tool) || 'a call'}${target === '' ? '' : ` on ${target}`}`;
    const who = actor.agent === undefined ? '' : `, asked by ${visibleOf(actor.agent)}`;
    const first = inWindow === 1 ? ring() : '';
    write(
      `${first}${clockTime(timestamp)}  waits for a person: ${what}${who}\n          ${client} show ${envelope_id}\n`,
    );
  };
}

const visibleOf = (value: unknown): string =>
  typeof value === 'string' ? visibleText(shorten(value, longestText)) : '';
